/** The cache of answers. A `WeakMap` keeps an answer as long as its key exists. */
type Answers<Key, Answer> = { get(key: Key): Answer | undefined; set(key: Key, answer: Answer): unknown };

/** Computes the answer once per key. An answer must not be `undefined`. Promises are kept even if they reject. */
export function onceForEach<Key, Answer>(
  ask: (key: Key) => Answer,
  answers: Answers<NoInfer<Key>, NoInfer<Answer>> = new Map<Key, Answer>(),
): (key: Key) => Answer {
  return (key) => {
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = ask(key);
    answers.set(key, answer);
    return answer;
  };
}

/** Computes the answer once. */
export function once<Answer>(ask: () => Answer): () => Answer {
  let known: { answer: Answer } | undefined;
  return () => {
    known ??= { answer: ask() };
    return known.answer;
  };
}

/** Where answers are kept; a `WeakMap` keeps each for as long as its key is there. */
type Answers<Key, Answer> = { get(key: Key): Answer | undefined; set(key: Key, answer: Answer): unknown };

/** Asks once for each key. An answer is never `undefined`; a promise is kept however it ends. */
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

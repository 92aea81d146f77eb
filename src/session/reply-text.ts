/**
 * The text of a model's answer: a string itself; the `content` or `text` of an object, if it is a string or a list of
 * parts with a `text`. Undefined if there is none. Then only the JSON shows everything.
 */
export function replyText(reply: unknown): string | undefined {
  if (typeof reply === 'string') return reply;
  const { content, text } = (reply ?? {}) as { content?: unknown; text?: unknown };
  return textOf(content) ?? textOf(text);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  const texts = value.flatMap((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? [part.text] : []));
  return texts.length > 0 ? texts.join('') : undefined;
}

/** The content of a message for people: text as it is, anything else as JSON. */
export function shownContent(content: unknown): { text: string; isJson: boolean } {
  if (typeof content === 'string') return { text: content, isJson: false };
  return { text: JSON.stringify(content, undefined, 2) ?? '', isJson: true };
}

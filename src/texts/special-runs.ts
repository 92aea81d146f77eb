/** A part of a text that begins at `offset`, in UTF-16 code units. */
type Run = { offset: number; text: string };

/** Runs with at most so many plain characters between them are joined, so that no text has very many runs. */
const maxBetween = 16;

/** The flag `u` would make it four times slower. Lone surrogates are special too. */
const special = /[^\t\n\f\r\x20-\x7e]/g;

/**
 * The parts of a text that begin and end with a special character: not printable ASCII, a tab, a line end or a form
 * feed. A regular expression skips plain text. Within a run each character is checked, which is faster there.
 */
export function specialRuns(text: string): Run[] {
  const runs: Run[] = [];
  special.lastIndex = 0;
  while (special.test(text)) {
    const offset = special.lastIndex - 1;
    let last = offset;
    for (let at = offset + 1; at < text.length && at - last <= maxBetween + 1; at += 1)
      if (!isPlain(text.charCodeAt(at))) last = at;
    runs.push({ offset, text: text.slice(offset, last + 1) });
    special.lastIndex = last + 1;
  }
  return runs;
}

/** Not found by `special`. */
function isPlain(code: number): boolean {
  return (code >= 0x20 && code <= 0x7e) || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;
}

/** A part of a text, from `offset` in UTF-16 code units on. */
type Run = { offset: number; text: string };

/** What stands between two runs that are one, so that a text of both kinds in turns makes few of them. */
const maxBetween = 16;

/**
 * The parts of a text that begin and end with what is no printable ASCII. Asked character by character, which costs a third of
 * a regular expression.
 */
export function specialRuns(text: string): Run[] {
  const runs: Run[] = [];
  let begin = -1;
  let last = -1;
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && !isPlain(text.charCodeAt(at))) {
      if (begin === -1) begin = at;
      last = at;
    } else if (begin !== -1 && (at === text.length || at - last > maxBetween)) {
      runs.push({ offset: begin, text: text.slice(begin, last + 1) });
      begin = -1;
    }
  }
  return runs;
}

/** Printable ASCII, a tab, a line end or a form feed. */
function isPlain(code: number): boolean {
  return (code >= 0x20 && code <= 0x7e) || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;
}

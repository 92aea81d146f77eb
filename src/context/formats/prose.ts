/** The lines of Markdown with code masked, so that an example is not read as an instruction. */

/** The mask for code: no white space, and no sign with a meaning. */
const mask = '`';

/**
 * The state of reading, line by line. In a list, `indent` is the column of its text, and code begins four columns after
 * it.
 */
type Place = { fence: string; isComment: boolean; indent: number; isAfterBlank: boolean; isIndentedCode: boolean };

/**
 * One string for each line, in time linear in the text. Fenced and indented code, code spans and, if they are not read,
 * comments of HTML are masked.
 */
export function* proseLines(text: string, { readsComments }: { readsComments: boolean }): Generator<string> {
  const place: Place = { fence: '', isComment: false, indent: 0, isAfterBlank: true, isIndentedCode: false };
  let paragraph: string[] = [];
  const flush = (): string[] => {
    const mayHide = place.isComment || paragraph.some((line) => line.includes('`') || line.includes('<!--'));
    const lines = mayHide ? maskSpans(paragraph.join('\n'), place, readsComments).split('\n') : paragraph;
    paragraph = [];
    return lines;
  };
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end < 0 ? undefined : end).trimEnd();
    start = end < 0 ? text.length + 1 : end + 1;
    if (paragraph.length > 0 && beginsBlock(line)) yield* flush();
    if (place.isComment) {
      paragraph.push(line);
      yield* flush();
    } else if (isCode(line, place)) yield mask;
    else if (line === '') yield line;
    else paragraph.push(line);
  }
  yield* flush();
}

/** Code spans end at these lines. */
function beginsBlock(line: string): boolean {
  const text = line.trimStart();
  return text === '' || text[0] === '#' || text[0] === '|' || fenceOf(text) !== '' || listIndent(line, text) > 0;
}

/** Whether a line is code, or a fence. Updates the state. */
function isCode(line: string, place: Place): boolean {
  const text = line.trimStart();
  const fence = fenceOf(text);
  if (place.fence !== '') {
    if (fence.startsWith(place.fence) && fence === text) place.fence = '';
    return true;
  }
  // The text behind a fence of backticks has none: else it is a span of code.
  if (fence !== '' && !(fence.startsWith('`') && text.includes('`', fence.length))) {
    place.fence = fence;
    place.isAfterBlank = true;
    return true;
  }
  if (text === '') {
    place.isAfterBlank = true;
    return false;
  }
  const indent = widthOf(line, line.length - text.length);
  const list = listIndent(line, text);
  if ((place.isAfterBlank || place.isIndentedCode) && indent >= place.indent + 4) {
    place.isIndentedCode = true;
    return true;
  }
  if (list > 0) place.indent = list;
  else if (place.isAfterBlank && indent < place.indent) place.indent = 0;
  place.isAfterBlank = false;
  place.isIndentedCode = false;
  return false;
}

/** The backticks or tildes with which a line begins or ends fenced code; empty where there are fewer than three. */
function fenceOf(text: string): string {
  const sign = text[0];
  if (sign !== '`' && sign !== '~') return '';
  const length = runAt(text, 0);
  return length < 3 ? '' : text.slice(0, length);
}

/** The column of the text of a list item; 0 where the line begins none. */
function listIndent(line: string, trimmed: string): number {
  if (!'-*+0123456789'.includes(trimmed[0] as string)) return 0;
  const marker = /^(?:[-*+]|\d{1,9}[.)])[ \t]/u.exec(trimmed.slice(0, 12))?.[0];
  if (marker === undefined) return 0;
  const end = line.length - trimmed.length + marker.length - 1;
  const rest = line.slice(end);
  const gap = rest.length - rest.trimStart().length;
  // Behind a wider gap code begins.
  return widthOf(line, end) + (gap > 4 ? 1 : gap);
}

/** The column of the first text of a line. A tab goes to the next multiple of four. */
function widthOf(line: string, length: number): number {
  let width = 0;
  for (let at = 0; at < length; at += 1) width += line[at] === '\t' ? 4 - (width % 4) : 1;
  return width;
}

/** A span ends at the next equally long run of backticks. If there is none, the backticks are text. */
function maskSpans(text: string, place: Place, readsComments: boolean): string {
  const runs = runsIn(text);
  let masked = '';
  let kept = 0;
  const leaveOut = (from: number, to: number): number => {
    const hidden = text.slice(from, to);
    masked += text.slice(kept, from) + mask;
    // Lines stay lines.
    if (hidden.includes('\n')) masked += `\n${mask}`.repeat(hidden.split('\n').length - 1);
    kept = to;
    return to;
  };
  const leaveComment = (from: number, search: number): number => {
    const end = text.indexOf('-->', search);
    place.isComment = end < 0;
    return leaveOut(from, end < 0 ? text.length : end + 3);
  };
  let at = place.isComment ? leaveComment(0, 0) : 0;
  while (at < text.length) {
    const sign = text[at];
    if (sign === '\\') at += 2;
    else if (sign === '`') {
      const length = runAt(text, at);
      const close = nextRun(runs.get(length), at);
      at = close === undefined ? at + length : leaveOut(at, close + length);
    } else if (sign === '<' && !readsComments && text.startsWith('<!--', at)) at = leaveComment(at, at + 4);
    else at += 1;
  }
  return masked + text.slice(kept);
}

function runAt(text: string, from: number): number {
  let to = from;
  while (text[to] === text[from]) to += 1;
  return to - from;
}

/** The starts of runs of backticks, by length, last first, because each is used once. */
function runsIn(text: string): Map<number, number[]> {
  const runs = new Map<number, number[]>();
  for (let at = text.indexOf('`'); at >= 0; ) {
    const length = runAt(text, at);
    const known = runs.get(length);
    if (known) known.push(at);
    else runs.set(length, [at]);
    at = text.indexOf('`', at + length);
  }
  for (const starts of runs.values()) starts.reverse();
  return runs;
}

function nextRun(starts: number[] | undefined, after: number): number | undefined {
  while (starts !== undefined && starts.length > 0 && (starts.at(-1) as number) <= after) starts.pop();
  return starts?.at(-1);
}

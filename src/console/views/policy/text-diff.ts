/** Two texts, line by line. */

export type DiffLine = { kind: 'same' | 'old' | 'new'; text: string };
/** `hidden` lines that are the same in both were left out. */
export type DiffPart = DiffLine | { kind: 'hidden'; count: number };

/** Larger differences are shown as all of the one and then all of the other. */
const maxCells = 1_000_000;
const context = 3;

/** What has to go from `before` and come to make `after`, with three lines around each change. */
export function diffLines(before: string, after: string): DiffPart[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  return hideFar([
    ...same(a.slice(0, start)),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ]);
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/u);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** By the longest common subsequence. */
function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const olds = a.map((text): DiffLine => ({ kind: 'old', text }));
  const news = b.map((text): DiffLine => ({ kind: 'new', text }));
  if (a.length * b.length > maxCells || a.length === 0 || b.length === 0) return [...olds, ...news];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] as number;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] as string });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      lines.push(olds[i] as DiffLine);
      i += 1;
    } else {
      lines.push(news[j] as DiffLine);
      j += 1;
    }
  }
  return [...lines, ...olds.slice(i), ...news.slice(j)];
}

function hideFar(lines: readonly DiffLine[]): DiffPart[] {
  const isNear = lines.map(() => false);
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, index - context), index + context + 1);
  const parts: DiffPart[] = [];
  for (const [index, line] of lines.entries()) {
    const last = parts.at(-1);
    if (isNear[index]) parts.push(line);
    else if (last?.kind === 'hidden') last.count += 1;
    else parts.push({ kind: 'hidden', count: 1 });
  }
  return parts;
}

/** Compares two texts line by line. */
import { diffArrays } from 'diff';

type DiffLine = { kind: 'same' | 'old' | 'new'; text: string };
/** `hidden`: a number of equal lines that are left out. */
type DiffPart = DiffLine | { kind: 'hidden'; count: number };

/** Texts with more changed lines are shown one after the other. */
const maxChangedLines = 2_000;
const context = 3;

/** The changes from `before` to `after`, with three lines around each. */
export function diffLines(before: string, after: string): DiffPart[] {
  const [olds, news] = [linesOf(before), linesOf(after)];
  const changes = diffArrays(olds, news, { maxEditLength: maxChangedLines }) ?? [
    { value: olds, removed: true, added: false },
    { value: news, removed: false, added: true },
  ];
  return changes.flatMap(({ value, removed, added }, index): DiffPart[] => {
    const linesAs = (kind: DiffLine['kind']) => value.map((text): DiffLine => ({ kind, text }));
    if (removed) return linesAs('old');
    if (added) return linesAs('new');
    const lines = linesAs('same');
    const head = index === 0 ? 0 : context;
    const tail = index === changes.length - 1 ? 0 : context;
    const hidden = lines.length - head - tail;
    return hidden <= 0
      ? lines
      : [...lines.slice(0, head), { kind: 'hidden', count: hidden }, ...lines.slice(lines.length - tail)];
  });
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/u);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

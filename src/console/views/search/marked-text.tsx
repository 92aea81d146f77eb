import { useMemo } from 'preact/hooks';
import { visibleText } from '../../../texts/visible-text.ts';

/** Text with the words of a query marked, also in other forms: `retry` marks `retries`. */
export function MarkedText({ text, query }: { text: string; query: string }) {
  const pieces = useMemo(() => piecesOf(text, query), [text, query]);
  return (
    <bdi>
      {pieces.map(({ text, isMarked }, index) => {
        const shown = visibleText(text.replace(/\s+/gu, ' '));
        return isMarked ? <mark key={index}>{shown}</mark> : shown;
      })}
    </bdi>
  );
}

const words = /[\p{L}\p{N}]+/gu;
/** Common words are not marked. */
const common = new Set(
  'a an and are as at be by do for from how in is it of on or that the this to we what when with'.split(' '),
);

function piecesOf(text: string, query: string): { text: string; isMarked: boolean }[] {
  const all = (query.slice(0, 2_000).match(words) ?? []).map((word) => word.toLowerCase());
  const sought = [...new Set(all.filter((word) => !common.has(word)))];
  const pieces: { text: string; isMarked: boolean }[] = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(words)) {
    const lower = word.toLowerCase();
    if (!sought.some((each) => isAlike(each, lower))) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), isMarked: false });
    pieces.push({ text: word, isMarked: true });
    from = index + word.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMarked: false });
  return pieces;
}

/** Whether two words are the same, or begin the same and differ only at the end. */
function isAlike(a: string, b: string): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  let same = 0;
  while (same < shorter && a[same] === b[same]) same += 1;
  return same >= 4 && same >= shorter - 1 && Math.max(a.length, b.length) - same <= 3;
}

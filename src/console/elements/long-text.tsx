import { useMemo, useState } from 'preact/hooks';
import { visibleText } from '../../texts/visible-text.ts';
import { Button } from './button.tsx';
import { PlainText, size } from './text.tsx';
import { VirtualList } from './virtual-list.tsx';

/** More characters than this are shown only on request. */
const shownAtFirst = 8_000;
const pieceLength = 1_000;

/** A text of any length: first its beginning, then all of it, line by line, in a scrolling box. */
export function LongText({ text, label }: { text: string; label: string }) {
  const [isWhole, setIsWhole] = useState(false);
  if (text.length <= shownAtFirst) return <PlainText text={text} />;
  if (isWhole) return <WholeText text={text} label={label} />;
  return (
    <div class="long-text">
      <PlainText text={`${text.slice(0, shownAtFirst).toWellFormed()}…`} />
      <Button onClick={() => setIsWhole(true)}>Show all ({size(new Blob([text]).size)})</Button>
    </div>
  );
}

function WholeText({ text, label }: { text: string; label: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return (
    <VirtualList
      class="long-text-lines"
      label={label}
      items={pieces}
      keyOf={(_, index) => index}
      estimate={20}
      render={(piece) => <div class="long-text-line">{visibleText(piece) || ' '}</div>}
    />
  );
}

/** The lines of a text. Very long lines are split into several pieces, because layout would be slow. */
function piecesOf(text: string): string[] {
  return text.split(/\r?\n/u).flatMap((line) => {
    if (line.length <= pieceLength) return [line.replaceAll('\t', '    ')];
    const parts: string[] = [];
    for (let at = 0; at < line.length; at += pieceLength) parts.push(line.slice(at, at + pieceLength));
    return parts;
  });
}

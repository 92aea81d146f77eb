import { useMemo } from 'preact/hooks';
import { countOf, FilePath, PlainText } from '../../elements/text.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';

export type TextPart = { key: string; text: string; path?: string; tokens?: number };

type Piece = { key: string; text: string; isLast: boolean; head?: TextPart };

const pieceLines = 60;
const pieceCharacters = 6_000;

/** Cuts a text of any size at line ends. A very long line is cut between two characters. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = at;
    for (let line = 0; line < pieceLines && end < text.length; line += 1) {
      const next = text.indexOf('\n', end);
      const after = next < 0 ? text.length : next + 1;
      if (after - at > pieceCharacters && end > at) break;
      end = after;
    }
    if (end - at > pieceCharacters) {
      end = at + pieceCharacters;
      const last = text.charCodeAt(end - 1);
      if (last >= 0xd800 && last < 0xdc00) end -= 1;
    }
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

/** Shows texts of any size one below the other, without formatting. Invisible characters are made visible. */
export function ContextText({ parts, label }: { parts: readonly TextPart[]; label: string }) {
  const pieces = useMemo<Piece[]>(
    () =>
      parts.flatMap((part) => {
        const texts = piecesOf(part.text);
        const all = texts.length === 0 ? [''] : texts;
        return all.map((text, index) => ({
          key: `${index} ${part.key}`,
          text,
          isLast: index === all.length - 1,
          ...(index === 0 && part.path !== undefined ? { head: part } : {}),
        }));
      }),
    [parts],
  );
  return (
    <VirtualList
      class="workspace-text"
      label={label}
      items={pieces}
      keyOf={({ key }) => key}
      estimate={240}
      render={({ text, isLast, head }) => (
        <>
          {head?.path !== undefined && (
            <p class="workspace-text-head">
              <FilePath path={head.path} />
              {head.tokens !== undefined && <span class="faint number">{countOf(head.tokens, 'token')}</span>}
            </p>
          )}
          {text === '' ? (
            <p class="workspace-text-empty faint">Nothing is in it.</p>
          ) : (
            <PlainText
              class={isLast ? 'workspace-text-piece workspace-text-last' : 'workspace-text-piece'}
              text={text.replace(/\r?\n$/u, '')}
            />
          )}
        </>
      )}
    />
  );
}

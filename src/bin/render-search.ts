/** Search results as a page for people. */
import type { ItemSearchResult } from '../agent/item-search.ts';
import { oneLine, renderWarnings, type Sheet } from './page.ts';
import { wrapText } from './terminal-text.ts';

const barWidth = 10;
/** Lines of the matching chunk. */
const mostLines = 3;

export function renderSearch({ results, semantic, warnings }: ItemSearchResult, sheet: Sheet): string[] {
  const lines = results.flatMap(({ type, name, serverName, score, engine, chunk }) => {
    const full = Math.round(score * barWidth);
    const bar = sheet.paint('green', '█'.repeat(full)) + sheet.paint('dim', '░'.repeat(barWidth - full));
    const title = sheet.paint('bold', oneLine(serverName === undefined ? name : `${serverName}.${name}`));
    const notes = [type, engine, ...(chunk.index === 0 ? [] : [`part ${chunk.index + 1}`])].join(', ');
    const text = wrapText(oneLine(chunk.text), sheet.width - 6);
    const shown = text.length > mostLines ? [...text.slice(0, mostLines - 1), `${text[mostLines - 1]} …`] : text;
    return [
      `${score.toFixed(2)} ${bar}  ${title} ${sheet.paint('dim', `(${notes})`)}`,
      ...shown.map((line) => `      ${sheet.paint('dim', line)}`),
      '',
    ];
  });
  const nothing = semantic.status === 'unavailable' ? 'Nothing was searched.' : 'Nothing is relevant enough.';
  const found = results.length === 0 ? [nothing] : lines.slice(0, -1);
  const { status, detail } = semantic;
  const note = status === 'ready' ? [] : wrapText(`Search is ${status}. ${oneLine(detail ?? '')}`.trim(), sheet.width);
  const noted = note.map((line) => sheet.paint('yellow', line));
  return [...found, ...(noted.length === 0 ? [] : ['', ...noted]), ...renderWarnings(warnings, sheet)];
}

/** Search results as a page for people. */
import type { FoundItem, ItemSearchResult } from '../../agent/item-search.ts';
import type { Reason } from '../../warnings.ts';
import { renderSearchNote, renderWarnings, type Sheet } from './page.ts';
import { oneLine, wrapText } from './terminal-text.ts';
import { itemName, plural } from './words.ts';

const barWidth = 10;
/** Lines of the matching chunk. */
const maxLines = 3;

export function renderSearch(answer: ItemSearchResult, sheet: Sheet): string[] {
  const { results, rejected = [], searched, semantic } = answer;
  // This warning is about files that always apply, not about the search.
  const warnings = answer.warnings.filter(({ code }) => code !== 'many_tokens');
  if (searched === 0) return ['There are no rules, references or tools to search.', ...renderWarnings(warnings, sheet)];
  const none = `None of ${plural(searched, 'item')} is relevant enough.`;
  const nothing = semantic.status === 'unavailable' ? 'Nothing was searched.' : none;
  const found = results.length === 0 ? [nothing] : renderItems(results, sheet);
  const others = renderItems(rejected, sheet);
  return [
    ...found,
    ...(others.length === 0 ? [] : ['', sheet.paint('bold', 'Not selected:'), '', ...others]),
    ...renderSearchNote(semantic, sheet),
    ...renderWarnings(warnings, sheet),
  ];
}

function renderItems(items: readonly (FoundItem & { reason?: Reason })[], sheet: Sheet): string[] {
  const lines = items.flatMap(({ type, name, serverName, score, engine, chunk, reason }) => {
    const full = Math.round(score * barWidth);
    const bar = sheet.paint('green', '█'.repeat(full)) + sheet.paint('dim', '░'.repeat(barWidth - full));
    const title = sheet.paint('bold', itemName({ name, serverName }));
    const part = chunk.index === 0 ? [] : [`part ${chunk.index + 1}`];
    const notes = [type, engine, ...part, ...(reason?.detail === undefined ? [] : [reason.detail])].join(', ');
    const text = wrapText(oneLine(chunk.text), sheet.width - 6);
    const shown = text.length > maxLines ? [...text.slice(0, maxLines - 1), `${text[maxLines - 1]} …`] : text;
    return [
      `${score.toFixed(2)} ${bar}  ${title} ${sheet.paint('dim', `(${notes})`)}`,
      ...shown.map((line) => `      ${sheet.paint('dim', line)}`),
      '',
    ];
  });
  return lines.slice(0, -1);
}

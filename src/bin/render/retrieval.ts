/** The page of a retrieve result: what is sent with the prompt, why, its tokens, and what was left out. */
import { wordsOfExclusion } from '../../context/reason-words.ts';
import type { Origin, RetrieveResult } from '../../retrieval/retrieve-result.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { type Sheet, warningSection } from './page.ts';
import { textLines, textWidth, wrapText } from './terminal-text.ts';
import { count, plural, tokensWithin } from './words.ts';

const titles: Record<Origin, string> = {
  supplementary: 'Added by you',
  'open-tab': 'Open tabs',
  import: 'Imported',
  search: 'Found by the query',
};

/** The page, lines ended by `\n`. Nothing in it comes from a file unescaped. `asked`: the options of the command. */
export function renderRetrieval(
  result: RetrieveResult,
  sheet: Sheet,
  asked: { query?: string; search?: boolean } = {},
): string {
  const { items, omitted, usage, warnings, semantic } = result;
  const { width, paint, say } = sheet;
  const rows = items.map(({ origin, path, range, tokens, truncated }) => ({
    origin,
    place: `${say(path)}${range === undefined ? '' : `:${range.startLine}-${range.endLine}`}`,
    cost: `${count(tokens)}${truncated ? ' (beginning)' : ''}`,
  }));
  const costWidth = Math.max(0, ...rows.map(({ cost }) => textWidth(cost)));
  const groups = [...Map.groupBy(rows, ({ origin }) => origin)].flatMap(([origin, group]) => [
    paint('bold', titles[origin]),
    ...group.map(
      ({ place, cost }) => `  ${paint('dim', `${' '.repeat(costWidth - textWidth(cost))}${cost}`)}  ${place}`,
    ),
    '',
  ]);
  const left = omitted.flatMap(({ path, reason, tokens }) => {
    const mark = `  ${paint('red', '✕')} ${say(path)}`;
    if (reason.code === 'over_budget')
      return [`${mark}  ${paint('dim', `does not fit, ${plural(tokens ?? 0, 'token')}`)}`];
    return [mark, ...wrapText(say(wordsOfExclusion(reason)), width - 4).map((line) => `    ${line}`)];
  });
  const couldSearch = semantic === undefined && asked.query === undefined && asked.search !== false;
  const nothing = `No context was found for the prompt.${couldSearch ? ' With --query, the workspace is searched.' : ''}`;
  const summary = items.length === 0 ? nothing : `${plural(items.length, 'item')}, ${tokensWithin(usage)}`;
  const status = semantic === undefined || semantic.status === 'ready' ? [] : [say(semantic.detail ?? semantic.status)];
  const sections = [
    ...[summary, ...status, ''],
    ...groups,
    ...(left.length === 0 ? [] : [paint('bold', 'Left out'), ...left, '']),
    ...warningSection(warnings, sheet),
  ];
  return `${sections.join('\n').trimEnd()}\n`;
}

/** The context itself, each item below a line with its name. Control characters of files are made visible. */
export function renderContents({ items }: RetrieveResult): string {
  return items
    .map(({ relativePath, range, content }) => {
      const lines = range === undefined ? '' : `:${range.startLine}-${range.endLine}`;
      return `=== ${visibleText(relativePath)}${lines}\n${textLines(content).join('\n').trimEnd()}\n`;
    })
    .join('\n');
}

/** Rule files of other tools, for people. Nothing on these pages comes from a file unescaped. */
import { howToFollow } from '../../access/refusal-words.ts';
import type { FormatChoice } from '../../context/formats/choose-formats.ts';
import { formatNames } from '../../context/formats/format-names.ts';
import type { FormatsResult } from '../../context/formats-request.ts';
import { wordsOfState } from '../../context/reason-words.ts';
import { shortenList } from '../../texts/shorten.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { renderWarnings, type Sheet } from './page.ts';
import { padText, textWidth, wrapText } from './terminal-text.ts';
import { count, plural } from './words.ts';

const nothingHere =
  'There are no rule files of other tools here. Those of directories below count for files there (--file).';

/** The files of each format, their tokens, and what each tool loads. */
export function renderFormats(result: FormatsResult, sheet: Sheet): string[] {
  const { formats, tools, usage, warnings } = result;
  if (formats.length === 0 && tools.length === 0)
    return [...wrapText(nothingHere, sheet.width), ...renderWarnings(warnings, sheet)];
  const cost = `${plural(usage.active, 'context file applies', 'context files apply')} now, ${count(usage.tokens)} tokens, of which ${count(usage.alwaysOnTokens)} always apply. A budget that fits: ${count(usage.suggestedBudget)}.`;
  const formatRows = formats.map(({ name, tool, isRead, files, active, duplicates, tokens }) => [
    isRead ? name : `${name} (not read)`,
    tool,
    `${count(active)} of ${count(files)}${duplicates === 0 ? '' : `, ${count(duplicates)} the same`}`,
    count(tokens),
  ]);
  return [
    sheet.paint('bold', visibleText(result.mountedDirectory)),
    ...wrapText(cost, sheet.width),
    '',
    ...(formats.length === 0 ? [] : [...table(['Format', 'tool', 'apply', 'tokens'], formatRows, sheet), '']),
    sheet.paint('bold', 'What each tool sees'),
    ...groupsOf(tools).flatMap((group) => renderGroup(group, sheet)),
    ...helpWithLinks(
      tools.some(({ linkCount }) => linkCount > 0),
      result,
      sheet,
    ),
    ...renderWarnings(warnings, sheet),
  ];
}

/** What one tool would load, and why, and what it does not load because of links. */
export function renderView(result: FormatsResult, sheet: Sheet, asked: string): string[] {
  const { as = [], tools, warnings } = result;
  const { links = [], linkCount = 0 } = tools.find(({ tool }) => tool === asked) ?? {};
  const words = `${wordsOfLinks(linkCount)}: ${listed(links, linkCount)}`;
  const named = linkCount === 0 ? [] : ['', ...wrapText(words, sheet.width)];
  const unread = [...named, ...helpWithLinks(linkCount > 0, result, sheet)];
  if (as.length === 0) return ['It would load nothing here.', ...unread, ...renderWarnings(warnings, sheet)];
  const rows = as.map((file) => [
    `${file.state === 'active' ? '●' : '○'} ${visibleText(file.relativePath)}`,
    file.format,
    count(file.tokens),
  ]);
  const [head = '', ...lines] = table(['  File', 'format', 'tokens'], rows, sheet);
  const whys = as.map((file) => sheet.say(wordsOfState(file)));
  const files = lines.flatMap((line, at) => withText(line, whys[at] as string, sheet));
  const title = hasRoom(lines[0] as string, sheet) ? `${head}  ${sheet.paint('bold', 'why')}` : head;
  return [title, ...files, ...unread, ...renderWarnings(warnings, sheet)];
}

/** A text behind a line, in a column of its own, or below the line if there is little room. */
function withText(line: string, text: string, sheet: Sheet): string[] {
  if (!hasRoom(line, sheet)) return [line, ...wrapText(text, sheet.width - 4).map((part) => `    ${part}`)];
  const before = textWidth(line) + 2;
  const [first, ...rest] = wrapText(text, sheet.width - before);
  return [`${line}  ${first}`, ...rest.map((part) => ' '.repeat(before) + part)];
}

function hasRoom(line: string, { width }: Sheet): boolean {
  return width - textWidth(line) >= 22;
}

/** Files down, tools across; those that see the same are one column, which is named below. */
export function renderComparison({ files, tools, warnings }: FormatsResult, sheet: Sheet): string[] {
  if (tools.length === 0) return ['No tool would load anything here.', ...renderWarnings(warnings, sheet)];
  const known = files.map(({ relativePath }) => relativePath);
  const paths = [...new Set([...known, ...tools.flatMap((tool) => [...tool.files, ...tool.waiting])])];
  const groups = groupsOf(tools);
  const numbers = groups.map((_, at) => String(at + 1));
  const rows = paths.map((path) => [visibleText(path), ...groups.map(([view]) => markOf(path, view))]);
  const legend = groups.flatMap((group, at) => {
    const names = wrapText(namesOf(group), sheet.width - 4);
    return names.map((line, index) => `${padText(index === 0 ? (numbers[at] ?? '') : '', 3)} ${line}`);
  });
  return [...table(['File', ...numbers], rows, sheet), '', ...legend, ...renderWarnings(warnings, sheet)];
}

function markOf(path: string, { files, waiting }: View): string {
  if (files.includes(path)) return '●';
  return waiting.includes(path) ? '○' : '';
}

const stateWords = { active: 'applies', available: 'waits', excluded: 'left out' } as const;

/** What another choice of formats would change, and how to write it. */
export function renderChange({ change, warnings }: FormatsResult, sheet: Sheet): string[] {
  if (change === undefined) return renderWarnings(warnings, sheet);
  const { configuration, formats, files, servers, before, after } = change;
  const wordsOf = (place: (typeof files)[number]['before']): string => (place ? stateWords[place.state] : 'not read');
  const rows = files.map(({ relativePath, format = '', tokens, before: was, after: is }) => [
    visibleText(relativePath),
    format,
    `${wordsOf(was)} → ${wordsOf(is)}`,
    tokens === undefined ? '' : count(tokens),
  ]);
  const sums = `${plural(before.active, 'context file')}, ${count(before.tokens)} tokens → ${plural(after.active, 'context file')}, ${count(after.tokens)} tokens`;
  const serverLines = servers.map(
    ({ name, change: what }) => `The MCP server "${visibleText(name)}" would be ${what}.`,
  );
  return [
    ...(files.length === 0
      ? ['No file would be read differently.']
      : table(['File', 'format', 'change', 'tokens'], rows, sheet)),
    ...serverLines.flatMap((line) => wrapText(line, sheet.width)),
    '',
    ...wrapText(sums, sheet.width),
    '',
    `Nothing has changed yet. --write writes this into ${sheet.say(configuration)}${wordsOfChoice(formats)}:`,
    `  ${JSON.stringify({ clientContext: { formats } })}`,
    ...renderWarnings(warnings, sheet),
  ];
}

const fewNames = 3;

/** For a long list, it is easier to see what is missing. */
function wordsOfChoice(formats: FormatChoice): string {
  const left = Array.isArray(formats) ? formatNames.filter((name) => !formats.includes(name)) : [];
  return left.length > 0 && left.length <= fewNames ? ` (all formats but ${left.join(', ')})` : '';
}

type View = FormatsResult['tools'][number];
type Group = readonly [View, ...View[]];

/** Tools that see the same, those that see most first. */
function groupsOf(tools: FormatsResult['tools']): Group[] {
  const groups = Map.groupBy(tools, ({ files, waiting, links, linkCount }) =>
    JSON.stringify([...[files, waiting, links].map((each) => each.toSorted()), linkCount]),
  );
  return [...groups.values()].sort((a, b) => (b[0]?.tokens ?? 0) - (a[0]?.tokens ?? 0)) as unknown as Group[];
}

function renderGroup(group: Group, { width, paint }: Sheet): string[] {
  const [{ files, waiting, linkCount, tokens }] = group;
  const found = files.length + waiting.length;
  const loads = `loads ${count(files.length)} of ${plural(found, 'file')}, ${count(tokens)} tokens${linkCount === 0 ? '' : `; ${wordsOfLinks(linkCount)}`}`;
  return [...wrapText(namesOf(group), width - 2).map((line) => `  ${line}`), paint('dim', `    ${loads}`)];
}

function wordsOfLinks(linkCount: number): string {
  return `${plural(linkCount, 'link is', 'links are')} not followed`;
}

/** Only if no warning says this already. */
function helpWithLinks(hasLinks: boolean, { warnings }: FormatsResult, { width }: Sheet): string[] {
  const isSaid = warnings.some(({ code }) => code === 'symlink');
  return !hasLinks || isSaid ? [] : ['', ...wrapText(howToFollow, width)];
}

const maxListed = 10;

/** `all`: their number, if `paths` are only the first hundred. */
function listed(paths: readonly string[], all: number): string {
  return shortenList(paths.map(visibleText), maxListed, (left) => `, ${count(all - paths.length + left)} more`);
}

function namesOf(group: Group): string {
  return group.map(({ name }) => name).join(', ');
}

/** Columns as wide as their content. The last column of numbers is aligned right. */
function table(head: readonly string[], rows: readonly (readonly string[])[], { paint }: Sheet): string[] {
  const widths = head.map((title, at) => Math.max(...[title, ...rows.map((row) => row[at] ?? '')].map(textWidth)));
  const isNumber = (at: number): boolean => rows.every((row) => !/[^\d,]/u.test(row[at] ?? ''));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) =>
        isNumber(at) ? ' '.repeat((widths[at] ?? 0) - textWidth(cell)) + cell : padText(cell, widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [paint('bold', line(head)), ...rows.map((row) => line(row))];
}

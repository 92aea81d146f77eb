/** The page of a resolve result: active files, other files, the reasons, the configurations, and warnings. */
import { howToFollow, isUnfollowed } from '../../access/refusal-words.ts';
import type { ContextFile } from '../../context/context-file.ts';
import { priorityRange } from '../../context/item-values.ts';
import { wordsOfExclusion, wordsOfState } from '../../context/reason-words.ts';
import type { ResolveResult } from '../../context/resolve-result.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { maxShown, more, type Sheet, type Style, warningSection, widest } from './page.ts';
import { nameColumn, padText, textWidth, wrapText } from './terminal-text.ts';
import { bytes, count, plural } from './words.ts';

type Row = { mark: string; style: Style; name: string; why: string; number?: string };

/** Below this width, the reason stands below its name. */
const twoColumnsFrom = 72;

/** The page, lines ended by `\n`. Nothing in it comes from a file unescaped. */
export function renderResolution(result: ResolveResult, page: Sheet): string {
  const lines = [
    ...renderHead(result, page),
    ...renderFiles(result, page),
    ...renderExcluded(result, page),
    ...renderConfiguration(result, page),
    ...warningSection(result.warnings, page),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function renderHead(result: ResolveResult, page: Sheet): string[] {
  const { files, usage, semantic } = result;
  const summary =
    files.length === 0
      ? 'No context files apply.'
      : `${usage.files} of ${plural(files.length, 'file')} active, ${plural(usage.tokens, 'token')}, ${bytes(usage.bytes, 1)}`;
  const working = result.workingDirectories.filter((directory) => directory !== result.mountedDirectory);
  return [
    page.paint('bold', visibleText(result.mountedDirectory)),
    ...working.map((directory) => page.paint('dim', `working in ${page.place(directory)}`)),
    ...wrapText(summary, page.width),
    ...(semantic === undefined || semantic.status === 'ready'
      ? []
      : wrapText(page.say(semantic.detail ?? `Search by relevance is ${semantic.status}.`), page.width)),
    '',
  ];
}

function renderFiles({ files }: ResolveResult, page: Sheet): string[] {
  const groups = Map.groupBy(files, (file) => `${file.scope}\0${file.owner}`);
  const rows = (group: ContextFile[]) => group.map((file) => fileRow(file, page));
  const nameWidth = nameColumn(rows(files), page.width * 0.45, 12);
  return [...groups.values()].flatMap((group, index) => {
    const title = groupTitle(group[0] as ContextFile, page);
    const heading =
      page.paint('bold', title) +
      (index === 0 ? page.paint('dim', 'tokens'.padStart(edgeOf(page) - textWidth(title))) : '');
    return [heading, ...rows(group).flatMap((row) => renderRow(row, { page, nameWidth })), ''];
  });
}

function groupTitle({ scope, owner }: ContextFile, page: Sheet): string {
  const place = page.place(owner);
  if (scope === 'global') return `Global (${place})`;
  return place === '.' ? 'Mounted directory' : place;
}

function fileRow(file: ContextFile, page: Sheet): Row {
  const active = file.state === 'active';
  const notes = [
    wordsOfState(file),
    ...(file.format === undefined ? [] : [file.format]),
    ...(file.source === 'include' ? ['included by configuration'] : []),
    ...(file.supportingFiles === undefined ? [] : [`with ${plural(file.supportingFiles.length, 'file')} beside it`]),
    ...(file.priority === priorityRange.default ? [] : [`priority ${file.priority}`]),
    ...(file.truncated ? [`only the beginning of ${bytes(file.bytes, 1)}`] : []),
  ];
  return {
    mark: active ? '●' : '○',
    style: active ? 'green' : 'dim',
    name: visibleText(file.name),
    why: page.say(notes.join(' · ')),
    number: count(file.tokens),
  };
}

function renderExcluded({ excluded, omitted, configSources }: ResolveResult, page: Sheet): string[] {
  const configs = new Set(configSources.map(({ path }) => path));
  // A file in play that does not exist counts all the same.
  const left = omitted.filter(({ reason }) => reason.code !== 'not_found');
  const files = [...left, ...excluded.filter(({ path }) => !configs.has(path))];
  if (files.length === 0) return [];
  const rows = files.slice(0, maxShown).map(
    ({ path, reason }): Row => ({
      mark: '✕',
      style: 'red',
      name: page.place(path),
      why: page.say(wordsOfExclusion(reason)),
    }),
  );
  const nameWidth = nameColumn(rows, page.width * 0.45, 12);
  const shown = rows.flatMap((row) => renderRow(row, { page, nameWidth }));
  const isLinked = files.some(({ reason }) => isUnfollowed(reason));
  const help = isLinked ? wrapText(howToFollow, page.width - 4).map((line) => page.paint('dim', `    ${line}`)) : [];
  return [page.paint('bold', 'Left out'), ...shown, ...more(files.length), ...help, ''];
}

function renderConfiguration({ config, configSources }: ResolveResult, page: Sheet): string[] {
  const { includeFiles, excludeFiles, ignoreGlobalContext, ignoreAncestorContext } = config.clientContext;
  const ignored = [...(ignoreGlobalContext ? ['global'] : []), ...(ignoreAncestorContext ? ['ancestor'] : [])];
  const servers = Object.entries(config.mcpServers).map(([name, server]) => {
    const how = server.url ?? [server.command, ...(server.args ?? [])].join(' ');
    const notes = [`from ${page.place(server.definedIn)}`, ...(server.disabled === true ? ['disabled'] : [])];
    if (server.shadows !== undefined && server.shadows.length > 0) notes.push(`hides ${server.shadows.length} weaker`);
    return `${visibleText(`${name}: ${how}`)} (${notes.join(', ')})`;
  });
  const entries: [string, string[]][] = [
    ['includes', includeFiles.filter((pattern) => pattern !== '*').map(visibleText)],
    ['excludes', excludeFiles.filter((pattern) => pattern !== 'context-config.json').map(visibleText)],
    ['ignores', ignored.length === 0 ? [] : [`${ignored.join(' and ')} context`]],
    ['servers', servers],
    ['read from', configSources.map(({ path }) => page.place(path))],
  ];
  const lines = entries.flatMap(([label, values]) =>
    values
      .flatMap((value) => wrapText(value, page.width - 13))
      .map((value, index) => `  ${page.paint('dim', padText(index === 0 ? label : '', 10))} ${value}`),
  );
  return lines.length === 0 ? [] : [page.paint('bold', 'Configuration'), ...lines, ''];
}

/** Mark and name, the reason beside it (or below if there is no room), and the number at the right edge. */
function renderRow(row: Row, { page, nameWidth }: { page: Sheet; nameWidth: number }): string[] {
  const number = row.number === undefined ? '' : `  ${row.number}`;
  const room = page.width - 4 - number.length;
  const wide = page.width >= twoColumnsFrom;
  const indent = wide ? nameWidth + 2 : 2;
  const reasons = wrapText(row.why, room - indent).map((why): [string, string] => ['', ' '.repeat(indent) + why]);
  const cells =
    wide && textWidth(row.name) <= nameWidth
      ? reasons.map(([, why], index): [string, string] =>
          index === 0 ? [row.name, why.slice(textWidth(row.name))] : ['', why],
        )
      : [...wrapText(row.name, room).map((name): [string, string] => [name, '']), ...reasons];
  return cells.map(([name, why], index) => {
    const text = page.paint(row.style, name) + page.paint('dim', why);
    if (index > 0) return `    ${text}`.trimEnd();
    const gap = ' '.repeat(Math.max(0, edgeOf(page) - 4 - number.length - textWidth(name + why)));
    return `  ${page.paint(row.style, row.mark)} ${text}${gap}${number}`.trimEnd();
  });
}

/** The column of numbers. */
function edgeOf({ width }: Sheet): number {
  return Math.min(width, widest);
}

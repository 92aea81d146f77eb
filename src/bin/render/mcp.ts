/** Pages about MCP servers. What would run is always shown whole, and nothing in it can be hidden (S-19). */
import { wordsOfDanger } from '../../mcp/danger-words.ts';
import type { McpServerEntry, McpServerList } from '../../mcp/server-requests.ts';
import { shellWord } from '../../texts/shell-word.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { renderWarnings, type Sheet } from './page.ts';
import { oneLine, padText } from './terminal-text.ts';

const marks = {
  ready: ['●', 'green'],
  starting: ['◐', 'cyan'],
  stopped: ['○', 'dim'],
  disabled: ['○', 'dim'],
  needs_approval: ['!', 'yellow'],
  failed: ['✕', 'red'],
} as const;

export function renderServerList({ servers, warnings }: McpServerList, sheet: Sheet): string[] {
  const pages = servers.map((server) => renderServer(server, sheet));
  const lines = pages.flatMap((page, at) => (at === 0 ? page : ['', ...page]));
  return [...(pages.length === 0 ? ['No MCP servers are defined here.'] : lines), ...renderWarnings(warnings, sheet)];
}

/** Everything that decides what is run, and the changes since the approval. */
export function renderServer(server: McpServerEntry, sheet: Sheet): string[] {
  const [mark, style] = marks[server.state];
  const why = server.reason.detail ?? '';
  const what = server.command === undefined ? visibleText(server.url ?? '') : server.command.map(shellWord).join(' ');
  const facts: [string, string | undefined][] = [
    [server.command === undefined ? 'calls' : 'runs', what],
    ['program', server.program && visibleText(server.program)],
    ['in', server.cwd && visibleText(server.cwd)],
    ...listed(server.env === undefined ? 'headers' : 'env', server.env ?? server.headers ?? {}),
    ...server.files.map(({ path, sha256 }, at): [string, string] => [
      at === 0 ? 'files' : '',
      `${visibleText(path)}  ${sheet.paint('dim', sha256.slice(0, 12))}`,
    ]),
    ['defined', visibleText(server.definedIn)],
    ...(server.alsoDefinedIn ?? []).map((path): [string, string] => ['also in', visibleText(path)]),
    ['tools', wordsOfTools(server)],
    ['id', server.id],
  ];
  return [
    `${sheet.paint(style, `${mark} ${padText(server.state.replace('_', ' '), 14)}`)} ${sheet.paint('bold', oneLine(server.name))}  ${sheet.paint('dim', server.scope)}`,
    ...(why === '' ? [] : [`    ${oneLine(why)}`]),
    ...facts.flatMap(([label, text]) =>
      text === undefined ? [] : [`    ${sheet.paint('dim', padText(label, 8))} ${text}`],
    ),
    ...(server.unverifiable === undefined
      ? []
      : [`    ${sheet.paint('red', '▲')} ${visibleText(server.unverifiable)}`]),
    ...server.danger.map((danger) => `    ${sheet.paint('red', '▲')} ${visibleText(wordsOfDanger(danger))}`),
    ...(server.shadows ?? []).map(
      ({ path }) => `    ${sheet.paint('yellow', '!')} hides a server of the same name in ${visibleText(path)}`,
    ),
    ...renderChanges(server, sheet),
  ];
}

function wordsOfTools({ state, tools, withheldTools }: McpServerEntry): string {
  if (state !== 'ready' && tools + withheldTools === 0) return 'not known before it is started';
  return `${tools}${withheldTools === 0 ? '' : `, ${withheldTools} withheld`}`;
}

function renderChanges({ changes = [] }: McpServerEntry, sheet: Sheet): string[] {
  if (changes.length === 0) return [];
  return [
    '    changed since it was approved:',
    ...changes.flatMap(({ field, before, after }) => [
      `      ${visibleText(field)}`,
      ...(before === undefined ? [] : [`      ${sheet.paint('red', `- ${quoted(before)}`)}`]),
      ...(after === undefined ? [] : [`      ${sheet.paint('green', `+ ${quoted(after)}`)}`]),
    ]),
  ];
}

function quoted(text: string): string {
  return `'${visibleText(text).replaceAll("'", String.raw`'\''`)}'`;
}

function listed(label: string, values: Record<string, string>): [string, string][] {
  return Object.entries(values).map(([name, value], at) => [
    at === 0 ? label : '',
    `${visibleText(name)}=${visibleText(value)}`,
  ]);
}

/** The page of `GET /v1/status`: the state of the daemon, and how to improve it. */

import type { GrantedRoots } from '../../../routes/roots.ts';
import type { Status } from '../../../routes/status.ts';
import { isGranted } from '../../access/granted-paths.ts';
import { visibleText } from '../../texts/visible-text.ts';
import type { Warning } from '../../warnings.ts';
import { renderWarnings, type Sheet } from './page.ts';
import { padText, wrapText } from './terminal-text.ts';
import { bytes, count, plural, rootNotes } from './words.ts';

type Roots = GrantedRoots['roots'];

const labelWidth = 13;

/** `discovery`: the path of the discovery file, if it is known. */
export function renderStatus(
  status: Status,
  about: { roots: Roots; discovery: string | undefined },
  sheet: Sheet,
): string[] {
  const rows: [string, string][] = [
    ...describeProcess(status),
    ['requests', describeRequests(status)],
    [
      'streams',
      `${count(status.streams.open)} of ${count(status.streams.most)} open, ${plural(status.streams.published, 'event')} sent`,
    ],
    ['watches', plural(status.watching.directories, 'directory', 'directories')],
    ['search', describeSearch(status)],
    ['MCP servers', describeServers(status)],
    ...describeTokens(status),
    ['stored', describeStorage(status)],
    ['log', status.log === undefined ? 'standard error' : sheet.place(status.log)],
    ...(about.discovery === undefined ? [] : [['discovery', sheet.place(about.discovery)] as [string, string]]),
    ...about.roots.map(({ path, origin }): [string, string] => ['may read', sheet.place(path) + rootNotes[origin]]),
  ];
  const lines = rows.flatMap(([label, text], at) => {
    const shown = rows[at - 1]?.[0] === label ? '' : label;
    return wrapText(text, sheet.width - labelWidth - 2).map((line, row) => {
      const name = sheet.paint('dim', padText(row === 0 ? shown : '', labelWidth));
      return `  ${name}${line}`;
    });
  });
  const advice = advise(status, about.roots);
  return [
    `${sheet.paint(advice.length === 0 ? 'green' : 'yellow', '●')} ${sheet.paint('bold', `contextd is running at ${status.url}`)}`,
    '',
    ...lines,
    ...renderWarnings(advice, sheet),
  ];
}

function describeProcess({ memory, eventLoop, openDescriptors, ...status }: Status): [string, string][] {
  const heap = `heap ${bytes(memory.heapUsedBytes)} of ${bytes(memory.heapTotalBytes)}`;
  const open = openDescriptors === undefined ? '' : `, ${plural(openDescriptors, 'open file')}`;
  const busy = `busy ${Math.round(eventLoop.utilization * 100)} % of the time`;
  const late = eventLoop.longestMs > 0 ? `, at most ${milliseconds(eventLoop.longestMs)} late since the start` : '';
  return [
    ['process', `${status.pid}, up ${duration(status.uptimeSeconds)}`],
    ['version', `${status.version} (Node.js ${status.nodeVersion})`],
    ['memory', `${bytes(memory.rssBytes)}, ${heap}${open}`],
    ['event loop', `${busy}, ${milliseconds(eventLoop.p99Ms)} late${late}`],
  ];
}

function describeRequests({ requests }: Status): string {
  const { total, refused, shed, failed, aborted, inFlight, p50Ms, p99Ms } = requests;
  const parts = [
    `${count(total)} in all`,
    ...(refused > 0 ? [`${count(refused)} refused`] : []),
    ...(shed > 0 ? [`${count(shed)} too many at once`] : []),
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(aborted > 0 ? [`${count(aborted)} aborted by their clients`] : []),
    ...(inFlight > 1 ? [`${count(inFlight - 1)} running`] : []),
  ];
  const speed = total === 0 ? '' : `; half within ${milliseconds(p50Ms)}, 99 of 100 within ${milliseconds(p99Ms)}`;
  return `${parts.join(', ')}${speed}`;
}

function describeSearch({ search }: Status): string {
  if (search.endpoint !== undefined) {
    const isOut = search.state === 'failed' ? ', which does not work; search uses keywords only' : '';
    return `${visibleText(search.model)} of ${visibleText(search.endpoint)}, which gets all searched text${isOut}${amountOf(search)}`;
  }
  const state = {
    stopped: search.installed
      ? 'model installed; it is loaded when it is needed'
      : 'no model; search uses keywords only',
    downloading: 'the model is being downloaded',
    loading: 'the model is being loaded',
    ready: 'model loaded',
    failed: 'keywords only',
  }[search.state];
  return `${state}${amountOf(search)}`;
}

function amountOf(search: Status['search']): string {
  const vectors = search.vectors > 0 ? `, ${plural(search.vectors, 'vector')}` : '';
  const jobs = search.jobs.length > 0 ? `, ${plural(search.jobs.length, 'indexing job')} running` : '';
  return `${vectors}${jobs}`;
}

function describeServers({ servers, storage }: Status): string {
  const running = Object.entries(servers).flatMap(([state, number]) => (number > 0 ? [`${number} ${state}`] : []));
  const approved = storage.rows === undefined ? [] : [`${storage.rows.approvals} approved`];
  return [...(running.length === 0 ? ['none started'] : running), ...approved].join(', ');
}

function describeTokens({ tokens: { most, held = [] } }: Status): [string, string][] {
  return held.map(({ id, label, use }) => {
    const name = label === '' ? id : visibleText(label);
    const open = `${plural(use.connections, 'connection')}, ${plural(use.streams, 'stream')}`;
    const stored = `${plural(use.sessions, 'session')}, ${bytes(use.storedBytes)} of ${bytes(most.storedBytes)}`;
    return ['tokens', `${name}: ${stored}; ${open}`];
  });
}

function describeStorage({ storage, store }: Status): string {
  const { rows, databaseBytes, journalBytes } = storage;
  if (!store.available) return visibleText(`the shared store cannot be used. ${store.detail ?? ''}`.trim());
  const what = rows === undefined ? [] : [plural(rows.agents, 'agent'), plural(rows.sessions, 'session')];
  const size = `database ${bytes(databaseBytes)}`;
  if (store.kind === 'postgres') return [...what, `${size} in PostgreSQL`].join(', ');
  return [...what, size, `journal ${bytes(journalBytes)}`].join(', ');
}

/** What could be better, and what to do. */
function advise({ warnings, requests, watching, search, servers }: Status, roots: Roots): Omit<Warning, 'code'>[] {
  const advice: [boolean, string][] = [
    [!roots.some(isGranted), 'No directory is granted yet. Grant one: contextd roots grant <dir>'],
    [
      requests.shed > 0,
      'Some requests were refused, because the daemon had too much to do. Clients should send fewer requests at once; the log names slow requests.',
    ],
    [
      requests.failed > 0,
      'Some requests were answered with 5xx; 502 and 504 are failures of MCP servers. The log has a line for each, with its code.',
    ],
    [
      watching.degraded === 'polling',
      'Changes are noticed late, because the system has no more file watches. Allow more: sysctl fs.inotify.max_user_watches=524288',
    ],
    [
      watching.degraded === 'too_many_directories',
      'Some changes are not noticed, because there are too many directories to watch. Ask about smaller directories.',
    ],
    [search.state === 'failed', `Search by meaning does not work. ${search.reason ?? ''} Try: contextd warm`],
    [servers.failed > 0, 'An MCP server failed. To see why: contextd mcp list'],
  ];
  const own = advice.flatMap(([applies, message]) => (applies ? [{ message }] : []));
  return [...warnings, ...own];
}

function milliseconds(value: number): string {
  return value >= 1_000 ? `${(value / 1_000).toFixed(1)} s` : `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

function duration(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor((seconds % 86_400) / 3_600), 'h'],
    [Math.floor((seconds % 3_600) / 60), 'min'],
    [Math.floor(seconds % 60), 's'],
  ];
  const first = Math.max(
    0,
    parts.findIndex(([number]) => number > 0),
  );
  const shown = seconds < 1 ? parts.slice(-1) : parts.slice(first, first + 2).filter(([number]) => number > 0);
  return shown.map(([number, unit]) => `${number} ${unit}`).join(' ');
}

/** Agents and their items as pages for people. */
import type { Agent, AgentSummary } from '../../agent/agent.ts';
import type { AgentItem } from '../../agent/item.ts';
import type { Warning } from '../../warnings.ts';
import { cutPath, cutText, itemName, oneLine, plural, renderWarnings, type Sheet } from './page.ts';
import { padText, textWidth } from './terminal-text.ts';

const marks = { always: ['●', 'green'], auto: ['◐', 'cyan'], agent: ['◇', 'magenta'], manual: ['○', 'dim'] } as const;

/** `● always` and the like: in every session, by files, by relevance, on demand. */
export function badge(include: AgentItem['include'], sheet: Sheet): string {
  const [mark, style] = marks[include];
  return sheet.paint(style, padText(`${mark} ${include}`, 8));
}

export function renderAgentList(agents: readonly AgentSummary[], sheet: Sheet): string[] {
  if (agents.length === 0) return ['There are no agents. Create one with: contextd agents import <file>'];
  const width = Math.max(...agents.map(({ id }) => id.length));
  return agents.map(({ id, name, mountedDirectory, rules, references, mcpServers }) => {
    const holds = [some(rules, 'rule'), some(references, 'reference'), some(mcpServers, 'server')];
    const text = cutText([oneLine(name), ...holds.flat()].join(' · '), sheet.width - width - 2);
    const room = sheet.width - width - 2 - textWidth(text) - 3;
    const where =
      mountedDirectory === undefined || room < 8 ? '' : ` · ${cutPath(sheet.place(mountedDirectory), room)}`;
    return `${sheet.paint('bold', padText(id, width))}  ${text}${where}`;
  });
}

export function renderAgent(agent: Agent, sheet: Sheet): string[] {
  const { search, toolSearch, ...chat } = agent.settings ?? {};
  const say = (value: object | undefined) =>
    value === undefined
      ? undefined
      : Object.entries(value)
          .map(([key, each]) => `${key} ${each}`)
          .join(', ');
  const facts: [string, string | undefined][] = [
    ['mounted', agent.mountedDirectory && sheet.place(agent.mountedDirectory)],
    ['working', agent.workingDirectory && sheet.place(agent.workingDirectory)],
    ['prompt', agent.systemPrompt && oneLine(agent.systemPrompt)],
    ['settings', say(chat)],
    ['search', say(search)],
    ['tools', say(toolSearch)],
  ];
  return [
    `${sheet.paint('bold', oneLine(agent.name))} ${sheet.paint('dim', agent.id)}`,
    ...(agent.description === undefined ? [] : [cutText(oneLine(agent.description), sheet.width)]),
    ...facts.flatMap(([label, value]) =>
      value === undefined || value === ''
        ? []
        : [`  ${sheet.paint('dim', padText(label, 9))} ${cutText(value, sheet.width - 12)}`],
    ),
    ...(['rules', 'references'] as const).flatMap((kind) =>
      section(
        kind === 'rules' ? 'Rules of its own' : 'References of its own',
        (agent[kind] ?? []).map(({ name, description = '', include = 'manual', priority = 500 }) => {
          return { name, description, include, priority, origin: '' };
        }),
        sheet,
      ),
    ),
    ...section(
      'Servers',
      Object.entries(agent.mcpServers ?? {}).map(([name, server]) => {
        const description = 'url' in server ? server.url : [server.command, ...(server.args ?? [])].join(' ');
        return { name: oneLine(name), description, include: server.include ?? 'always', origin: '' };
      }),
      sheet,
    ),
  ];
}

export function renderItems(
  { items, warnings }: { items: readonly AgentItem[]; warnings: readonly Warning[] },
  sheet: Sheet,
): string[] {
  const titles = { rule: 'Rules', reference: 'References', tool: 'Tools' } as const;
  const lines = (['rule', 'reference', 'tool'] as const).flatMap((type) =>
    section(
      titles[type],
      items
        .filter((item) => item.type === type)
        .map(({ name, serverName, description, include, priority, path }) => {
          const shown = itemName({ name, serverName });
          return { name: shown, description, include, priority, origin: path === undefined ? '' : sheet.place(path) };
        }),
      sheet,
    ),
  );
  const none = items.length === 0 ? ['The agent has no items.'] : lines.slice(1);
  return [...none, ...renderWarnings(warnings, sheet)];
}

type Row = {
  name: string;
  /** Of a request: how relevant it was, 0 to 1. */
  similarityScore?: number | undefined;
  /** In a request: why it is in the context, on its own line. */
  why?: string | undefined;
  /** A note about it, on its own line. */
  note?: string | undefined;
  description: string;
  include: AgentItem['include'];
  priority?: number | undefined;
  origin: string;
};

/**
 * A line for each row: priority, include mode, name, relevance, and the description or else the origin. Empty without
 * rows.
 */
export function section(title: string, rows: readonly Row[], sheet: Sheet): string[] {
  if (rows.length === 0) return [];
  const widths = rows.map(({ name }) => textWidth(name)).filter((width) => width <= sheet.width * 0.4);
  const nameWidth = Math.max(8, ...widths);
  const hasPriority = rows.some(({ priority }) => priority !== undefined);
  const hasScore = rows.some(({ similarityScore }) => similarityScore !== undefined);
  const lines = rows.flatMap(({ name, similarityScore, why, note, description, include, priority, origin }) => {
    const digits = priority === undefined ? '   ' : String(priority).padStart(3, '0');
    const number = hasPriority ? `${sheet.paint('dim', digits)} ` : '';
    const score = hasScore ? `${sheet.paint('magenta', (similarityScore?.toFixed(2) ?? '').padEnd(4))}  ` : '';
    const before = (hasPriority ? 4 : 0) + 2 + 8 + 2 + (hasScore ? 6 : 0);
    const room = sheet.width - before - Math.max(nameWidth, textWidth(name)) - 2;
    const what = description === '' ? cutPath(origin, room) : cutText(oneLine(description), room);
    const about = room < 8 || what === '' ? '' : sheet.paint('dim', what);
    const line = `  ${number}${badge(include, sheet)}  ${padText(name, nameWidth)}  ${score}${about}`.trimEnd();
    const below = [
      ...(why === undefined ? [] : [sheet.paint('dim', cutText(why, sheet.width - 6))]),
      ...(note === undefined ? [] : [sheet.paint('yellow', cutText(`! ${note}`, sheet.width - 6))]),
    ];
    return [line, ...below.map((words) => `      ${words}`)];
  });
  return ['', `${sheet.paint('bold', title)} ${sheet.paint('dim', String(rows.length))}`, ...lines];
}

const some = (number: number, word: string): string[] => (number === 0 ? [] : [plural(number, word)]);

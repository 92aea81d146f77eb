/** Agents and their items as pages for people. */
import type { Agent, AgentSummary } from '../../agent/agent.ts';
import type { AgentItem } from '../../agent/item.ts';
import type { Warning } from '../../warnings.ts';
import { renderFacts, renderTitle, renderWarnings, type Sheet } from './page.ts';
import { cutPath, cutText, nameColumn, oneLine, padText, textWidth } from './terminal-text.ts';
import { itemName, plural } from './words.ts';

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
  const facts = {
    mounted: agent.mountedDirectory && sheet.place(agent.mountedDirectory),
    working: agent.workingDirectory && sheet.place(agent.workingDirectory),
    prompt: agent.systemPrompt && oneLine(agent.systemPrompt),
    settings: say(chat),
    search: say(search),
    tools: say(toolSearch),
  };
  return [
    `${sheet.paint('bold', oneLine(agent.name))} ${sheet.paint('dim', agent.id)}`,
    ...(agent.description === undefined ? [] : [cutText(oneLine(agent.description), sheet.width)]),
    ...renderFacts(facts, sheet),
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
  const rows = items.map((item) => {
    const { type, description, include, priority, path } = item;
    return { type, name: itemName(item), description, include, priority, origin: path ? sheet.place(path) : '' };
  });
  const lines = items.length === 0 ? ['The agent has no items.'] : itemSections(rows, sheet).slice(1);
  return [...lines, ...renderWarnings(warnings, sheet)];
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

const titles: Record<AgentItem['type'], string> = { rule: 'Rules', reference: 'References', tool: 'Tools' };

/** A section for each type of items. */
export function itemSections(rows: readonly (Row & Pick<AgentItem, 'type'>)[], sheet: Sheet): string[] {
  return Object.entries(titles).flatMap(([type, title]) => {
    const own = rows.filter((row) => row.type === type);
    return section(title, own, sheet);
  });
}

/**
 * A line for each row: priority, include mode, name, relevance, and the description or else the origin. Empty without
 * rows.
 */
function section(title: string, rows: readonly Row[], sheet: Sheet): string[] {
  if (rows.length === 0) return [];
  const nameWidth = nameColumn(rows, sheet.width * 0.4);
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
  return ['', renderTitle(title, rows.length, sheet), ...lines];
}

const some = (number: number, word: string): string[] => (number === 0 ? [] : [plural(number, word)]);

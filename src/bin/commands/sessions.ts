import { Argument, type Command } from 'commander';
import type { ContextItemRef } from '../../agent/item.ts';
import type { Session, SessionItems, SessionSummary } from '../../agent/session.ts';
import { visibleText } from '../../visible-text.ts';
import type { DaemonRequest } from '../client.ts';
import { processSurroundings, stateDirectoryPath } from '../state-directory.ts';
import { jsonOption, printJson, stateDirOption } from './shared.ts';

export type SessionFlags = { json?: boolean; stateDir?: string };
type Kind = ContextItemRef['type'];
type SessionPage = { sessions: SessionSummary[]; next?: number; warnings: Session['warnings'] };

/** `contextd sessions`, `contextd sessions list|show|create|delete|add|remove`: sessions and their items. */
export function addSessionsCommand(program: Command): Command {
  const sessions = program
    .command('sessions')
    .summary('Show, begin, change and delete sessions; look back at their requests.')
    .description(
      'Shows, begins, changes and deletes sessions with agents, and looks back at their requests. Needs a running daemon.',
    )
    .helpCommand(false)
    .addHelpText('after', sessionsHelp);
  const add = (name: string, description: string) =>
    sessions.command(name).description(description).addOption(stateDirOption());
  const id = sessionArgument;
  const item = (command: Command) =>
    command
      .addArgument(id())
      .addArgument(new Argument('<type>', 'what it is').choices(['rule', 'reference', 'tool']))
      .argument('<name>', 'its name; see "contextd agents items"')
      .option('--server <name>', 'Of a tool: its MCP server.')
      .addOption(jsonOption());
  add('list', 'Lists the sessions, the newest first.')
    .option('-a, --agent <id>', 'Only those with this agent.')
    .addOption(jsonOption())
    .action(listSessions);
  add('show', 'Shows a session: settings, items and the last messages.')
    .addArgument(id())
    .addOption(jsonOption())
    .action(showSession);
  add('create', 'Begins a session with every item of the agent that is included always.')
    .argument('<agent>', 'id of the agent')
    .option('--parent <session>', 'Begin with the items of this session.')
    .addOption(jsonOption())
    .action(createSession);
  add('delete', 'Deletes a session, its messages and requests.')
    .addArgument(id())
    .addOption(jsonOption())
    .action(deleteSession);
  item(add('add', 'Adds an item to a session.')).action(changeItem('POST'));
  item(add('remove', 'Removes an item from a session.')).action(changeItem('DELETE'));
  return sessions;
}

/** `<session>` */
export const sessionArgument = (): Argument => new Argument('<session>', 'its id');

const sessionsHelp = `
Examples:
  contextd sessions create reviewer
  contextd sessions add <session> rule style
  contextd sessions remove <session> tool read_file --server filesystem
  contextd sessions set <session> --temperature 0 --tool-permission always
  contextd sessions context <session> <request>   what a model was given, and why

Exit codes:
  0 done   64 wrong usage, unknown session or item   69 no daemon runs`;

async function listSessions(flags: SessionFlags & { agent?: string }): Promise<void> {
  const answer: SessionPage = { sessions: [], warnings: [] };
  for (let next: number | undefined = Number.MAX_SAFE_INTEGER; next !== undefined; ) {
    const agent = flags.agent === undefined ? '' : `&agentId=${encodeURIComponent(flags.agent)}`;
    const path = `/v1/sessions?limit=1000&after=${next}${agent}`;
    const page: SessionPage = await ask<SessionPage>(flags, { method: 'GET', path });
    answer.sessions.push(...page.sessions);
    answer.warnings.push(...page.warnings);
    next = page.next;
  }
  if (flags.json === true) return printJson(answer);
  await print(({ renderSessionList }, sheet) => renderSessionList(answer, sheet));
}

async function showSession(id: string, flags: SessionFlags): Promise<void> {
  const session = await ask<Session>(flags, { method: 'GET', path: pathOf(id) });
  if (flags.json === true) return printJson(session);
  await print(({ renderSession }, sheet) => renderSession(session, sheet));
}

async function createSession(agentId: string, flags: SessionFlags & { parent?: string }): Promise<void> {
  const body = { agentId, ...(flags.parent === undefined ? {} : { parentSessionId: flags.parent }) };
  const session = await ask<Session>(flags, { method: 'POST', path: '/v1/sessions', body });
  if (flags.json === true) return printJson(session);
  await print(({ renderSession }, sheet) => renderSession(session, sheet));
}

async function deleteSession(id: string, flags: SessionFlags): Promise<void> {
  await ask(flags, { method: 'DELETE', path: pathOf(id) });
  if (flags.json === true) return printJson({ deleted: id });
  console.log(`The session ${visibleText(id)} is gone.`);
}

function changeItem(method: 'POST' | 'DELETE') {
  return async (id: string, type: Kind, name: string, flags: SessionFlags & { server?: string }): Promise<void> => {
    const body = { type, name, ...(flags.server === undefined ? {} : { serverName: flags.server }) };
    const answer = await ask<SessionItems>(flags, { method, path: `${pathOf(id)}/context-items`, body });
    if (flags.json === true) return printJson(answer);
    await print(({ renderSessionItems }, sheet) => renderSessionItems(answer, sheet).slice(1));
  };
}

export const pathOf = (id: string) => `/v1/sessions/${encodeURIComponent(id)}`;

export async function ask<Answer>(flags: SessionFlags, asked: DaemonRequest): Promise<Answer> {
  const { requireDaemon } = await import('../client.ts');
  const { request } = await requireDaemon(stateDirectoryPath(flags.stateDir, processSurroundings()));
  return request<Answer>(asked);
}

type Pages = typeof import('../render-sessions.ts');

export async function print(render: (pages: Pages, sheet: import('../page.ts').Sheet) => string[]): Promise<void> {
  const [pages, { terminalSheet }] = await Promise.all([import('../render-sessions.ts'), import('../page.ts')]);
  process.stdout.write(`${render(pages, terminalSheet(processSurroundings().home)).join('\n')}\n`);
}

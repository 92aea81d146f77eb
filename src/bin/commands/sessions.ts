import { Argument, type Command } from 'commander';
import type { AgentItems } from '../../../routes/agents.ts';
import type { SessionList } from '../../../routes/sessions.ts';
import type { ContextItemRef } from '../../agent/item.ts';
import type { Session, SessionItems } from '../../session/session.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { askDaemon, printResult } from './shared/ask-daemon.ts';
import { type CommonFlags, jsonOption, stateDirOption } from './shared/options.ts';
import { uniqueId } from './shared/unique-id.ts';

type Kind = ContextItemRef['type'];

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
  const item = (method: ItemChange['method'], command: Command) =>
    command
      .addArgument(id())
      .addArgument(new Argument('<type>', 'what it is').choices(['rule', 'reference', 'tool']))
      .argument('<name>', 'its name; see "contextd agents items". Of a tool: "<server>/<tool>"')
      .option('--server <name>', 'The MCP server of a tool that is named without it.')
      .addOption(jsonOption())
      .action((id: string, type: Kind, name: string) => changeItem(id, { method, type, name }, command.opts()));
  add('list', 'Lists the sessions, the newest first.')
    .option('-a, --agent <id>', 'Only sessions with this agent.')
    .addOption(jsonOption())
    .action(listSessions);
  add('show', 'Shows a session: settings, items and the last messages.')
    .addArgument(id())
    .addOption(jsonOption())
    .action(showSession);
  add('create', 'Begins a session with every item of the agent that is always included.')
    .argument('<agent>', 'id of the agent')
    .option('--parent <session>', 'Begin with the items of this session.')
    .addOption(jsonOption())
    .action(createSession);
  add('delete', 'Deletes a session, its messages and requests.')
    .addArgument(id())
    .addOption(jsonOption())
    .action(deleteSession);
  item('POST', add('add', 'Adds an item to a session.'));
  item('DELETE', add('remove', 'Removes an item from a session.'));
  return sessions;
}

/** `<session>` */
export const sessionArgument = (): Argument => new Argument('<session>', 'its id, or the beginning of it');

const sessionsHelp = `
Examples:
  contextd sessions create reviewer
  contextd sessions add <session> rule style
  contextd sessions remove <session> tool filesystem/read_file
  contextd sessions set <session> --temperature 0 --tool-permission always
  contextd sessions context <session> <request>   what a model was given, and why

Exit codes:
  0 done   64 wrong usage, unknown session or item   69 no daemon runs`;

async function allSessions(flags: CommonFlags & { agent?: string }): Promise<SessionList> {
  const answer: SessionList = { sessions: [], warnings: [] };
  const agent = flags.agent === undefined ? '' : `&agentId=${encodeURIComponent(flags.agent)}`;
  for (let next: number | undefined = Number.MAX_SAFE_INTEGER; next !== undefined; ) {
    const path = `/v1/sessions?limit=1000&after=${next}${agent}`;
    const page: SessionList = await askDaemon<SessionList>(flags, { method: 'GET', path });
    answer.sessions.push(...page.sessions);
    answer.warnings.push(...page.warnings);
    next = page.next;
  }
  return answer;
}

async function listSessions(flags: CommonFlags & { agent?: string }): Promise<void> {
  const answer = await allSessions(flags);
  await printResult(answer, flags, async (sheet) => (await sessionPages()).renderSessionList(answer, sheet));
}

async function showSession(id: string, flags: CommonFlags): Promise<void> {
  const session = await askDaemon<Session>(flags, { method: 'GET', path: await sessionPath(id, flags) });
  await printResult(session, flags, async (sheet) => (await sessionPages()).renderSession(session, sheet));
}

async function createSession(agentId: string, flags: CommonFlags & { parent?: string }): Promise<void> {
  const parentSessionId = flags.parent === undefined ? undefined : await sessionIdOf(flags.parent, flags);
  const body = { agentId, parentSessionId };
  const session = await askDaemon<Session>(flags, { method: 'POST', path: '/v1/sessions', body });
  await printResult(session, flags, async (sheet) => (await sessionPages()).renderSession(session, sheet));
}

async function deleteSession(id: string, flags: CommonFlags): Promise<void> {
  const deleted = await sessionIdOf(id, flags);
  await askDaemon(flags, { method: 'DELETE', path: `/v1/sessions/${encodeURIComponent(deleted)}` });
  if (flags.json === true) return printJson({ deleted });
  console.log(`The session ${visibleText(deleted)} is gone.`);
}

type ItemFlags = CommonFlags & { server?: string };
type ListedItem = { type: Kind; name: string; serverName?: string | undefined };
type ItemChange = { method: 'POST' | 'DELETE'; type: Kind; name: string };

async function changeItem(id: string, { method, type, name }: ItemChange, flags: ItemFlags): Promise<void> {
  const session = await sessionPath(id, flags);
  const body = type === 'tool' ? await toolNamed(name, { method, session, flags }) : { type, name };
  const answer = await askDaemon<SessionItems>(flags, { method, path: `${session}/context-items`, body });
  await printResult(answer, flags, async (sheet) => (await sessionPages()).renderSessionItems(answer, sheet).slice(1));
}

/** A tool by the name that lists show, or by its name and that of its server. */
async function toolNamed(
  name: string,
  { method, session, flags }: Pick<ItemChange, 'method'> & { session: string; flags: ItemFlags },
): Promise<ContextItemRef> {
  const { server } = flags;
  if (server !== undefined) return { type: 'tool', name, serverName: server };
  const [serverName = '', ...rest] = name.split('/');
  if (rest.length === 0) throw wrongUsage(`name the server too: "<server>/${visibleText(name)}"`);
  const tool = { type: 'tool', name: rest.join('/'), serverName } as const;
  if (rest.length === 1) return tool;
  // Names of servers and of tools may contain "/".
  const { agentId, contextItems } = await askDaemon<Session>(flags, { method: 'GET', path: session });
  const ofAgent = { method: 'GET', path: `/v1/agents/${encodeURIComponent(agentId)}/items` } as const;
  const items: ListedItem[] = method === 'DELETE' ? contextItems : (await askDaemon<AgentItems>(flags, ofAgent)).items;
  const found = items.find((item) => item.type === 'tool' && `${item.serverName}/${item.name}` === name);
  return found === undefined ? tool : { type: 'tool', name: found.name, serverName: found.serverName ?? '' };
}

/** The session that a person means by the beginning of its id. */
const sessionIdOf = (written: string, flags: CommonFlags) =>
  uniqueId(written, async () => (await allSessions(flags)).sessions);

/** The path of a session in the API. `id`: as a person wrote it. */
export async function sessionPath(id: string, flags: CommonFlags): Promise<string> {
  return `/v1/sessions/${encodeURIComponent(await sessionIdOf(id, flags))}`;
}

export const sessionPages = () => import('../render/sessions.ts');

import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { McpServerEntry, McpServerList, McpToolList } from '../../mcp/server-requests.ts';
import { shellWord } from '../../texts/shell-word.ts';
import { visibleText } from '../../texts/visible-text.ts';
import type { DaemonClient } from '../client/client.ts';
import { wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import type { Sheet } from '../render/page.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { printResult, runningDaemon } from './shared/ask-daemon.ts';
import { askPerson } from './shared/ask-person.ts';
import { type CommonFlags, jsonOption, stateDirOption } from './shared/options.ts';

export type ServerFlags = CommonFlags & {
  directory: string;
  workingDirectory?: string;
  agent?: string;
};

/** Adds a subcommand about the servers of a directory, or of an agent. */
export function addServerCommand(mcp: Command, name: string, description: string): Command {
  return mcp
    .command(name)
    .description(description)
    .option('-d, --directory <dir>', 'The mounted directory: the root of the project.', '.')
    .option('-w, --working-directory <dir>', 'The directory you work in, relative to <dir>. Default: <dir>.')
    .addOption(
      new Option('--agent <id>', 'The servers of an agent instead.').conflicts(['directory', 'workingDirectory']),
    )
    .addOption(jsonOption())
    .addOption(stateDirOption());
}

/** `contextd mcp list|approve|revoke|start|stop|restart`: which MCP servers there are, and which may run. */
export function addMcpServerCommands(mcp: Command): void {
  const add = (name: string, description: string): Command => addServerCommand(mcp, name, description);
  mcp.addHelpText('after', mcpServersHelp);
  const server = '<server>';
  const which = 'its name or id';
  add('list', 'Lists the servers: exactly what would run, and what changed since it was approved.').action(listServers);
  add('approve', 'Shows a server, asks, and allows it to run exactly as it is shown.')
    .argument(server, `${which}, or the fingerprint from "list --json" to approve exactly that`)
    .option('-y, --yes', 'Do not ask.')
    .option('--tools', 'Also accept the tools as they are now.')
    .action(approveServer);
  add('revoke', 'Revokes an approval and stops the server.').argument(server, which).action(revokeServer);
  for (const verb of ['start', 'stop', 'restart'] as const)
    add(verb, `${verb[0]?.toUpperCase()}${verb.slice(1)}s a server.`)
      .argument(server, which)
      .action((name: string, flags: ServerFlags) => act(verb, name, flags));
}

const mcpServersHelp = `
A server from a configuration runs only after you approved it, exactly as it was shown.
If an argument, a variable or a script changes, it needs a new approval.

Examples:
  contextd mcp list                   what the servers of this project would run
  contextd mcp approve github         look at it and allow it
  contextd mcp start github           run it now
  contextd mcp tools github           what it offers, and what is withheld
  contextd mcp call github list_issues --arguments '{"state": "open"}'

Exit codes:
  0 done   1 the called tool failed   64 wrong usage, or not approved   69 no daemon runs`;

const pages = () => import('../render/mcp.ts');

async function listServers(flags: ServerFlags): Promise<void> {
  const { list } = await daemonOf(flags);
  const answer = await list();
  await printResult(answer, flags, async (sheet) => (await pages()).renderServerList(answer, sheet));
}

async function approveServer(name: string, flags: ServerFlags & { yes?: boolean; tools?: boolean }): Promise<void> {
  const { find, request } = await daemonOf(flags);
  const server = await find(name);
  const toolsFingerprint = flags.tools === true ? await showTools(await toolsOf(server, request)) : undefined;
  if (flags.yes !== true) {
    const { renderServer } = await pages();
    await showPerson((sheet) => renderServer(server, sheet));
    if (!(await isConfirmed(server, flags))) throw wrongUsage('nothing was approved');
  }
  const { fingerprint } = server;
  const body = { fingerprint, toolsFingerprint };
  const approved = await request<McpServerEntry>({ method: 'POST', path: '/v1/mcp/approvals', body });
  if (flags.json === true) return printJson(approved);
  console.log(
    `“${visibleText(approved.name)}” may run as it is shown. Start it with: contextd mcp start ${approved.id}`,
  );
}

/** Shows what the tools are now, and returns the fingerprint of exactly that. */
async function showTools({ tools, withheld, toolsFingerprint }: McpToolList): Promise<string> {
  if (toolsFingerprint === undefined)
    throw wrongUsage('the server did not list its tools since the daemon runs; start it first');
  const { renderWithheld } = await import('../render/tools.ts');
  const acceptable = withheld.filter(({ tool }) => tool !== undefined);
  await showPerson((sheet) => [
    ...acceptable.flatMap((each) => renderWithheld(each, sheet)),
    `${tools.length} others are as they were.`,
  ]);
  return toolsFingerprint;
}

/** Shows what is to be approved on standard error, where the question is. Standard output only gets the answer. */
async function showPerson(render: (sheet: Sheet) => string[]): Promise<void> {
  const { terminalSheet } = await import('../render/page.ts');
  console.error(render(terminalSheet(processSurroundings().home, undefined, process.stderr)).join('\n'));
}

async function isConfirmed(
  { name, fingerprint }: McpServerEntry,
  flags: ServerFlags & { tools?: boolean },
): Promise<boolean> {
  const said = await askPerson(`Allow “${visibleText(name)}” to run exactly this, with your rights?`, 'no');
  if (said !== undefined) return said;
  throw wrongUsage(
    `nobody can be asked here; to allow exactly this: contextd mcp approve ${fingerprint}${placeWords(flags)}${flags.tools === true ? ' --tools' : ''} --yes`,
  );
}

async function revokeServer(name: string, flags: ServerFlags): Promise<void> {
  const { find, request } = await daemonOf(flags);
  const { approvedAt, approvedFingerprint, fingerprint, ...server } = await find(name);
  const revoked = approvedFingerprint ?? (approvedAt === undefined ? undefined : fingerprint);
  if (revoked === undefined) throw wrongUsage('it is not approved');
  await request({ method: 'DELETE', path: `/v1/mcp/approvals/${revoked}` });
  if (flags.json === true) return printJson({ revoked });
  console.log(`“${visibleText(server.name)}” is no longer approved.`);
}

async function act(verb: 'start' | 'stop' | 'restart', name: string, flags: ServerFlags): Promise<void> {
  const { idOf, request } = await daemonOf(flags);
  const id = await idOf(name);
  const server = await request<McpServerEntry>({ method: 'POST', path: `/v1/mcp/servers/${id}/${verb}`, body: {} });
  if (flags.json === true) return printJson(server);
  const { state, tools, withheldTools } = server;
  const counted = state === 'ready' ? `, ${tools} ${tools === 1 ? 'tool' : 'tools'}` : '';
  const withheld =
    counted !== '' && withheldTools > 0 ? `, ${withheldTools} withheld: contextd mcp tools ${server.id}` : '';
  console.log(`${visibleText(server.name)}: ${state}${counted}${withheld}`);
}

/** The options for the same place, for another command. */
function placeWords({ agent, directory, workingDirectory }: ServerFlags): string {
  if (agent !== undefined) return ` --agent ${shellWord(agent)}`;
  const mounted = directory === '.' ? '' : ` -d ${shellWord(directory)}`;
  return workingDirectory === undefined ? mounted : `${mounted} -w ${shellWord(workingDirectory)}`;
}

/** The tools of a server, also those that are withheld. */
export const toolsOf = ({ id }: Pick<McpServerEntry, 'id'>, request: DaemonClient['request']) =>
  request<McpToolList>({ method: 'GET', path: `/v1/mcp/servers/${id}/tools` });

/** The daemon, and the servers that the options name. */
export async function daemonOf({ directory, workingDirectory, agent, stateDir }: ServerFlags) {
  const { request } = await runningDaemon({ stateDir });
  const place: Record<string, string> =
    agent === undefined
      ? { mountedDirectory: resolve(directory), ...(workingDirectory && { workingDirectory }) }
      : { agentId: agent };
  const list = () =>
    request<McpServerList>({
      method: 'GET',
      path: `/v1/mcp/servers?${new URLSearchParams(place)}`,
    });
  const find = async (name: string): Promise<McpServerEntry> => {
    const found = (await list()).servers.find(({ fingerprint, ...server }) =>
      [server.name, server.id, fingerprint].includes(name),
    );
    if (found !== undefined) return found;
    const hint =
      agent === undefined ? ' here. Name its directory with -d, or its agent with --agent.' : ' in this agent';
    throw wrongUsage(`there is no server “${visibleText(name)}”${hint}`);
  };
  /** An id is accepted even if the server is not in this place. */
  const idOf = async (name: string): Promise<string> => {
    if (!/^[\da-f]{32}$/u.test(name)) return (await find(name)).id;
    return (await find(name).catch(() => undefined))?.id ?? name;
  };
  return { list, find, idOf, request };
}

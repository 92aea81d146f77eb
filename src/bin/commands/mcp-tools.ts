import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { ToolCallResult } from '../../mcp/server-requests.ts';
import { isRecord } from '../../texts/is-record.ts';
import { exitCodes, wrongUsage } from '../exit-codes.ts';
import { addServerCommand, daemonOf, type ServerFlags, toolsOf } from './mcp.ts';
import { printResult } from './shared/ask-daemon.ts';

/** `contextd mcp tools|call`: show the tools of a server, and try them. */
export function addMcpToolCommands(mcp: Command): void {
  const [server, which] = ['<server>', 'its name or id'];
  addServerCommand(mcp, 'tools', 'Lists the tools of a server, and what changed in withheld tools.')
    .argument(server, which)
    .action(listTools);
  addServerCommand(mcp, 'call', 'Calls a tool of an approved server and prints what it answers.')
    .argument(server, which)
    .argument('<tool>', 'name of the tool; see "contextd mcp tools"')
    .option('--arguments <json>', 'Its arguments, a JSON object; "-" for standard input.', '{}')
    .addHelpText('after', callHelp)
    .action(callTool);
}

const callHelp = `
Starts the server if it does not run. Do not trust what a tool answers: it comes from
outside. Images and sounds are only named; --json has the whole answer.

Examples:
  contextd mcp call files read_file --arguments '{"path": "README.md"}'
  contextd mcp call memory create_entities --arguments - < entities.json

Exit codes:
  0 answered   1 the tool says that it failed   64 wrong usage or arguments, or not approved
  69 no daemon runs, or the server does not answer`;

/** Longer than the daemon waits for the start of a server and the answer of a tool. */
const callTimeoutMs = 180_000;

const pages = () => import('../render/tools.ts');

async function listTools(name: string, flags: ServerFlags): Promise<void> {
  const { idOf, request } = await daemonOf(flags);
  const list = await toolsOf({ id: await idOf(name) }, request);
  await printResult(list, flags, async (sheet) => (await pages()).renderTools(list, sheet));
}

async function callTool(name: string, tool: string, flags: ServerFlags & { arguments: string }): Promise<void> {
  const values = parseArguments(flags.arguments === '-' ? await text(process.stdin) : flags.arguments);
  const { idOf, request } = await daemonOf(flags);
  const id = await idOf(name);
  const result = await request<ToolCallResult>({
    method: 'POST',
    path: `/v1/mcp/servers/${id}/tools/${encodeURIComponent(tool)}/call`,
    body: { arguments: values },
    timeoutMs: callTimeoutMs,
  });
  if (result.isError === true) process.exitCode = exitCodes.findings;
  await printResult(result, flags, async () => (await pages()).renderCallResult(result));
}

function parseArguments(json: string): object {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw wrongUsage(`the arguments are not JSON: ${(error as Error).message}`);
  }
  if (isRecord(value)) return value;
  throw wrongUsage('the arguments must be a JSON object');
}

import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { AgentItems, AgentList } from '../../../routes/agents.ts';
import type { Agent } from '../../agent/agent.ts';
import { ContextdError } from '../../errors.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { askDaemon, printResult } from './shared/ask-daemon.ts';
import { type CommonFlags, jsonOption, stateDirOption } from './shared/options.ts';

/** `contextd agents list|show|items|put|delete|export|import`: agents and what they have. */
export function addAgentsCommand(program: Command): void {
  const agents = program
    .command('agents')
    .summary('Show and change agents: their rules, references and tools.')
    .description('Shows and changes agents: their rules, references and tools. Needs a running daemon.')
    .helpCommand(false)
    .addHelpText('after', agentsHelp);
  const add = (name: string, description: string) =>
    agents.command(name).description(description).addOption(stateDirOption());
  add('list', 'Lists the agents.').addOption(jsonOption()).action(listAgents);
  add('show', 'Shows an agent. Secrets of its servers are masked.')
    .argument('<agent>', 'its id')
    .addOption(jsonOption())
    .action(showAgent);
  add('items', 'Lists the rules, references and tools that an agent has now.')
    .argument('<agent>', 'its id')
    .addOption(jsonOption())
    .action(listItems);
  add('put', 'Creates an agent, or replaces the one with this id.')
    .argument('<agent>', 'its id')
    .argument('<file>', 'YAML or JSON; "-" for standard input')
    .addOption(jsonOption())
    .action(putAgent);
  add('delete', 'Deletes an agent. Its sessions stay.')
    .argument('<agent>', 'its id')
    .addOption(jsonOption())
    .action(deleteAgent);
  add('export', 'Prints an agent as one document. Secrets of its servers are masked.')
    .argument('<agent>', 'its id')
    .addOption(new Option('--format <format>', 'Format of the document.').choices(['yaml', 'json']).default('yaml'))
    .action(exportAgent);
  add('import', 'Creates an agent from a document.')
    .argument('<file>', 'YAML or JSON; "-" for standard input')
    .option('--replace', 'Replace the agent with this id.')
    .addOption(jsonOption())
    .action(importAgent);
}

const agentsHelp = `
Marks:
  ● always: in every session    ◐ auto: when a file in play matches
  ◇ agent: when it is relevant  ○ manual: when somebody adds it

Examples:
  contextd agents import reviewer.yaml
  contextd agents items reviewer
  contextd agents export reviewer > reviewer.yaml

Exit codes:
  0 done   64 wrong usage or document   69 no daemon runs`;

async function listAgents(flags: CommonFlags): Promise<void> {
  const answer = await askDaemon<AgentList>(flags, { method: 'GET', path: '/v1/agents' });
  await printResult(answer, flags, async (sheet) => (await pages()).renderAgentList(answer.agents, sheet));
}

async function showAgent(id: string, flags: CommonFlags): Promise<void> {
  const agent = await askDaemon<Agent>(flags, { method: 'GET', path: pathOf(id) });
  await printResult(agent, flags, async (sheet) => (await pages()).renderAgent(agent, sheet));
}

async function listItems(id: string, flags: CommonFlags): Promise<void> {
  const path = `${pathOf(id)}/items`;
  const answer = await askDaemon<AgentItems>(flags, { method: 'GET', path });
  await printResult(answer, flags, async (sheet) => (await pages()).renderItems(answer, sheet));
}

async function putAgent(id: string, file: string, flags: CommonFlags): Promise<void> {
  const { parseDocument } = await import('../../agent/agent-document.ts');
  const parsed = readDocument(file).then((content) => parseDocument({ content }));
  const body = await parsed.catch(refuseDocument);
  if (typeof body !== 'object' || body === null) throw wrongUsage(`${visibleText(file)} does not hold an agent.`);
  const agent = await askDaemon<Agent>(flags, { method: 'PUT', path: pathOf(id), body: { ...body, id } });
  if (flags.json === true) return printJson(agent);
  console.log(`The agent ${agent.id} is as ${visibleText(file)} says.`);
}

async function deleteAgent(id: string, flags: CommonFlags): Promise<void> {
  await askDaemon(flags, { method: 'DELETE', path: pathOf(id) });
  if (flags.json === true) return printJson({ deleted: id });
  console.log(`The agent ${visibleText(id)} is gone.`);
}

async function exportAgent(id: string, flags: CommonFlags & { format: 'yaml' | 'json' }): Promise<void> {
  const { writeAgentDocument } = await import('../../agent/agent-document.ts');
  const agent = await askDaemon<Agent>(flags, { method: 'GET', path: `${pathOf(id)}/export?format=json` });
  process.stdout.write(await writeAgentDocument(agent, flags.format));
}

async function importAgent(file: string, flags: CommonFlags & { replace?: boolean }): Promise<void> {
  const body = { content: await readDocument(file), ...(flags.replace === true ? { replace: true } : {}) };
  const agent = await askDaemon<Agent>(flags, { method: 'POST', path: '/v1/agents/import', body }).catch(
    refuseDocument,
  );
  if (flags.json === true) return printJson(agent);
  console.log(`The agent ${agent.id} is there. Its items: contextd agents items ${agent.id}`);
}

const pages = () => import('../render/agents.ts');
const pathOf = (id: string) => `/v1/agents/${encodeURIComponent(id)}`;

/** Who gave a document does not know the field of the request that holds it. */
function refuseDocument(error: unknown): never {
  if (!(error instanceof ContextdError)) throw error;
  const errors = error.errors.map(({ pointer, message }) => ({
    pointer: pointer.replace(/^\/content$/u, ''),
    message,
  }));
  throw new ContextdError(error.code, error.message, errors);
}

async function readDocument(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw wrongUsage(`${visibleText(file)} cannot be read (${code}).`);
  }
}

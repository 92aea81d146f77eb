import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { SearchStatus } from '../../search/index-verbs.ts';
import { wrongSetup } from '../exit-codes.ts';
import { printJsonLine } from '../render/json.ts';
import { createProgressPrinter, type Progress } from '../render/progress.ts';
import { count } from '../render/words.ts';
import { runningDaemon } from './shared/ask-daemon.ts';
import { type CommonFlags, projectArgument, refuseBeside, stateDirOption } from './shared/options.ts';

type Flags = CommonFlags & { agent?: string; model?: string; modelOnly?: boolean };

/** `contextd warm`: prepares the model and the vectors, so that the first search need not wait. */
export function addWarmCommand(program: Command): void {
  program
    .command('warm')
    .summary('Get ready to search by meaning: download the model, index the context.')
    .description(
      'Downloads the embedding model if it is missing, and indexes the context of a directory or of an agent. Needs a running daemon.',
    )
    .addArgument(projectArgument())
    .option('--agent <id>', 'Index the items of this agent instead.')
    .option('--model <name>', 'Do this only if the daemon was started with this model.')
    .option('--model-only', 'Only get the model ready.')
    .option('--json', 'Print one line of JSON for each step, then the status.')
    .addOption(stateDirOption())
    .addHelpText('after', warmHelp)
    .action(warm);
}

const warmHelp = `
Only this command downloads: the model of the daemon ("contextd serve --model", 24 to
35 MB), once. It also verifies the model. A daemon with --offline or --model-dir never
downloads. A daemon with --embedder sends the text that it indexes to that server.
Ctrl-C ends the command; the daemon continues.

Examples:
  contextd warm
  contextd warm ~/code/shop
  contextd warm --model-only

Exit codes:
  0 ready   64 wrong usage or directory   69 no daemon runs   78 the model cannot be used`;

async function warm(directory: string, flags: Flags, { args }: Command): Promise<void> {
  if (flags.modelOnly === true)
    refuseBeside('--model-only', { 'A directory': args.length > 0, '--agent': flags.agent !== undefined });
  if (flags.agent !== undefined) refuseBeside('--agent', { 'A directory': args.length > 0 });
  const [client, { openEvents, readServerSentEvents }] = await Promise.all([
    runningDaemon(flags),
    import('../client/server-sent-events.ts'),
  ]);
  const stream = await openEvents(client, { types: ['index-progress'] });
  try {
    const { jobId } = await client.request<{ jobId: string }>({
      method: 'POST',
      path: '/v1/search/warm',
      body: targetOf(directory, flags),
    });
    const show = flags.json === true ? printJsonLine : createProgressPrinter(process.stdout);
    for await (const { event, data } of readServerSentEvents(stream)) {
      if (event !== 'index-progress' || data === undefined) continue;
      const progress = JSON.parse(data) as Progress;
      if (progress.jobId !== jobId) continue;
      show(progress);
      if (progress.state === 'failed') throw wrongSetup(progress.detail ?? 'it failed.');
      if (progress.state === 'finished') break;
    }
    const status = await client.request<SearchStatus>({ method: 'GET', path: '/v1/search/status' });
    if (flags.json === true) printJsonLine(status);
    else console.log(`${status.model} is ready; ${count(status.vectors)} chunks are in memory.`);
  } finally {
    stream.destroy();
  }
}

function targetOf(directory: string, { agent, model, modelOnly }: Flags): object {
  if (modelOnly === true) return { model };
  return { model, ...(agent === undefined ? { mountedDirectory: resolve(directory) } : { agentId: agent }) };
}

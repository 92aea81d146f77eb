/** The process of a hook: from standard input to standard output and the exit code. */
import { fixedLimits } from '../../settings.ts';
import { processSurroundings } from '../state/state-directory.ts';
import type { HookOutput } from './hook-tool.ts';
import { runHook } from './run-hook.ts';
import { hookTools } from './tools.ts';

const { inputBytes } = fixedLimits.hooks;

/** `id` is that of a tool. Ends the process. */
export async function callHook(id: string, stateDir?: string): Promise<void> {
  const tool = hookTools.find((each) => each.id === id) as (typeof hookTools)[number];
  let output: HookOutput;
  try {
    output = await runHook(tool, readInput, { stateDir, surroundings: processSurroundings() });
  } catch (error) {
    // Whatever the event is about, nobody has judged it.
    output = {
      line: `it is refused (${String((error as Error).message).split('\n', 1)[0]})`,
      exitCode: tool.exitCodes.stops,
    };
  }
  const { json, line, exitCode } = output;
  if (line !== undefined) process.stderr.write(`contextd: ${line}\n`);
  // A tool that has stopped listening needs no answer.
  process.stdout.on('error', () => process.exit(exitCode));
  // Nothing that is still under way may hold the tool.
  process.stdout.write(json === undefined ? '' : `${JSON.stringify(json)}\n`, () => process.exit(exitCode));
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > inputBytes) throw new Error('it is longer than 64 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The process of a hook: from standard input to standard output and the exit code. */
import { fixedLimits } from '../../settings.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { answerByDaemon } from './answer-by-daemon.ts';
import { createDeadline } from './deadline.ts';
import type { HookOutput, HookTool } from './hook-tool.ts';
import type { HookPlace } from './run-hook.ts';

const { answerMs, inputBytes } = fixedLimits.hooks;

/** `id`: of a tool. Ends the process within 20 seconds, because tools continue without a later answer. */
export async function callHook(id: string, stateDir?: string): Promise<void> {
  const deadline = createDeadline(answerMs);
  const input = deadline.inTime(readInput());
  const told = await input
    .then((text) => answerByDaemon({ tool: id, input: text, stateDir, surroundings: processSurroundings() }))
    .catch(() => undefined);
  if (told === undefined) end(await answerHere(id, () => input, { stateDir, deadline }));
  else end({ ...(Object.keys(told).length === 0 ? {} : { json: told }), exitCode: 0 });
}

/** Used only if the daemon does not answer; its code is loaded only then. */
async function answerHere(
  id: string,
  input: () => Promise<string>,
  place: Omit<HookPlace, 'surroundings'>,
): Promise<HookOutput> {
  const { hookToolOf } = await import('./tools.ts');
  const { hookExitCodes, runHook } = await import('./run-hook.ts');
  const tool = hookToolOf(id) as HookTool;
  try {
    return await runHook(tool, input, { ...place, surroundings: processSurroundings() });
  } catch (error) {
    // The event was not checked, so it is refused.
    const line = `it is refused (${String((error as Error).message).split('\n', 1)[0]})`;
    return { line, exitCode: hookExitCodes.stops };
  }
}

function end({ json, line, exitCode }: HookOutput): void {
  if (line !== undefined) process.stderr.write(`contextd: ${line}\n`);
  // The tool no longer reads the answer.
  process.stdout.on('error', () => process.exit(exitCode));
  // Exit without waiting for unfinished work, because the tool waits for the end of the process.
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

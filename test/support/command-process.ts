/**
 * Runs the command line of the installed program again and again in one process, as each command would run in its own. It
 * is a child of the tests, which ask it by messages.
 */
export type AskedCommand = { entry: string; args: readonly string[]; cwd: string; env: Record<string, string> };
export type CommandAnswer = { code: number; stdout: string; stderr: string };

/** What `process.exit` throws here. */
class Exit {
  readonly code: number;

  constructor(code: number) {
    this.code = code;
  }
}

let written: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
let runs = 0;
const mask = process.umask();
let finish: ((code: number) => void) | undefined;

process.exit = (code) => {
  throw new Exit(Number(code ?? process.exitCode ?? 0));
};
for (const name of ['stdout', 'stderr'] as const)
  process[name].write = (text: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
    written[name].push(Buffer.from(text as string));
    const called = typeof encoding === 'function' ? encoding : done;
    if (typeof called === 'function') process.nextTick(called as () => void);
    return true;
  };

const fail = (error: unknown): void => {
  if (!(error instanceof Exit)) console.error(error);
  finish?.(error instanceof Exit ? error.code : 1);
};
// Thrown by what an event called, not by what the command awaits.
process.on('uncaughtException', fail);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

process.on('message', async ({ entry, args, cwd, env }: AskedCommand) => {
  written = { stdout: [], stderr: [] };
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.umask(mask);
  process.argv = [process.argv[0] as string, entry, ...args];
  process.exitCode = undefined;
  const ended = new Promise<number>((resolve) => {
    finish = resolve;
  });
  // The parameter makes it another module; all that it imports is loaded once.
  runs += 1;
  const run = async (): Promise<void> => {
    process.chdir(cwd);
    await import(`${entry}?run=${runs}`);
  };
  run().then(() => finish?.(Number(process.exitCode ?? 0)), fail);
  const code = await ended;
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  const [stdout, stderr] = [written.stdout, written.stderr].map((parts) => Buffer.concat(parts).toString());
  process.send?.({ code, stdout, stderr } as CommandAnswer);
});

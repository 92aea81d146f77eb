/** A hook as `contextd hook` answers it without a daemon, in this process: starting one for each event takes far longer. */
import { tmpdir } from 'node:os';
import { createDeadline } from '../../src/bin/hooks/deadline.ts';
import type { HookTool } from '../../src/bin/hooks/hook-tool.ts';
import { runHook } from '../../src/bin/hooks/run-hook.ts';
import { hookTools } from '../../src/bin/hooks/tools.ts';
import type { Run } from './daemon.ts';

/** What the process would print, and its exit code. */
export async function runHookHere(id: string, input: string, home: string): Promise<Run> {
  const tool = hookTools.find((each) => each.id === id) as HookTool;
  const { json, line, exitCode } = await runHook(tool, async () => input, {
    stateDir: undefined,
    surroundings: { environment: {}, cwd: tmpdir(), home },
    deadline: createDeadline(20_000),
  });
  return {
    code: exitCode,
    stdout: json === undefined ? '' : `${JSON.stringify(json)}\n`,
    stderr: line === undefined ? '' : `contextd: ${line}\n`,
  };
}

/** A hook as `contextd hook` answers it, in this process: starting one for each event takes far longer. */
import { tmpdir } from 'node:os';
import { answerByDaemon } from '../../src/bin/hooks/answer-by-daemon.ts';
import { createDeadline } from '../../src/bin/hooks/deadline.ts';
import type { HookTool } from '../../src/bin/hooks/hook-tool.ts';
import { runHook } from '../../src/bin/hooks/run-hook.ts';
import { hookTools } from '../../src/bin/hooks/tools.ts';
import type { Run } from './daemon.ts';

/** The home, and the state directory of a daemon; without it the hook answers by itself. */
type Place = { home: string; stateDirectory?: string };

/** What the process would print, and its exit code. */
export async function runHookHere(id: string, input: string, { home, stateDirectory }: Place): Promise<Run> {
  const surroundings = { environment: {}, cwd: tmpdir(), home };
  if (stateDirectory !== undefined) {
    const told = await answerByDaemon({ tool: id, input, stateDir: stateDirectory, surroundings });
    if (told !== undefined) return runOf(0, Object.keys(told).length === 0 ? undefined : told);
  }
  const tool = hookTools.find((each) => each.id === id) as HookTool;
  const place = { stateDir: stateDirectory, surroundings, deadline: createDeadline(20_000) };
  const { json, line, exitCode } = await runHook(tool, async () => input, place);
  return runOf(exitCode, json, line);
}

function runOf(code: number, json: unknown, line?: string): Run {
  return {
    code,
    stdout: json === undefined ? '' : `${JSON.stringify(json)}\n`,
    stderr: line === undefined ? '' : `contextd: ${line}\n`,
  };
}

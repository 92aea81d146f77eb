/** Hooks over HTTP while the disk of a granted directory does not answer. */
import { expect, it, vi } from 'vitest';
import { createConfinedDisk } from '../../../src/bin/hooks/disk.ts';
import { createHookAnswers } from '../../../src/bin/hooks/serve-hooks.ts';
import { theUser } from '../../../src/ports/caller.ts';
import { fixedLimits } from '../../../src/settings.ts';
import { dieBelow } from '../../support/dead-mount.ts';
import { contextFile, createWorkspace, project } from '../../support/workspace.ts';

const { tickMs, lastTick } = fixedLimits.silentDisks;

/** Answers with two granted directories on a dead mount; `first` is the answer to the event that finds it dead. */
async function askBesideDeadMount(event: object) {
  const rule = contextFile({ trigger: 'always' }, 'Write short sentences.');
  const grantedRoots = ['/dead/one', '/dead/a/two', project];
  const { engine, files } = await createWorkspace({ '.context/rule.md': rule }, { grantedRoots });
  const answerHook = createHookAnswers({ engine, directory: '/nowhere' });
  const ask = async (): Promise<string> => {
    const by = { caller: theUser, signal: new AbortController().signal };
    const answer = answerHook({ tool: 'claude-code', event: { ...event }, outside: 'refuse' }, by);
    const told = answer.catch(({ code, message }) => ({ code, message }));
    // Less than the deadline of the answer, which is a timer too.
    await vi.advanceTimersByTimeAsync(lastTick * tickMs + 1_000);
    return JSON.stringify(await told);
  };
  const mount = dieBelow('/dead', files);
  vi.setTimerTickMode('manual');
  return { first: await ask(), ask, mount };
}

it('S-40 S-71 hooks do not wait for another granted directory whose disk does not answer, and keep one thread', async () => {
  const event = { hook_event_name: 'SessionStart', source: 'startup', cwd: project };
  const { first, ask, mount } = await askBesideDeadMount(event);
  expect(first).toContain('Write short sentences.');
  expect(await ask()).toContain('Write short sentences.');
  expect(mount.looks()).toBe(1);
});

it.each([
  ['a file there is refused', project, 'deny'],
  ['an event from there is not answered', '/dead/one', '"code":"unavailable"'],
])('S-40 S-71 %s while the disk does not answer, and keeps no other thread', async (_what, cwd, answered) => {
  const tool = { tool_name: 'Read', tool_input: { file_path: '/dead/one/cart.ts' } };
  const { first, ask, mount } = await askBesideDeadMount({ hook_event_name: 'PreToolUse', cwd, ...tool });
  for (const answer of [first, await ask()]) {
    expect(answer).toContain(answered);
    expect(answer).toMatch(/does not answer/u);
  }
  expect(mount.looks()).toBe(1);
});

it('S-40 S-71 what a disk does not tell is not taken for no folder and no link', async () => {
  const { files } = await createWorkspace({ 'src/a.ts': '' });
  const silent = { ...files, stat: async () => ({ ok: false, code: 'io_error' }) as const };
  const disk = createConfinedDisk(silent, [{ path: project, realPath: project }]);
  const unavailable = { code: 'unavailable' };
  await expect(disk.isFolder(`${project}/src`)).rejects.toMatchObject(unavailable);
  await expect(disk.isLink(`${project}/src`)).rejects.toMatchObject(unavailable);
});

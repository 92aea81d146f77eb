/** Hooks over HTTP while the disk of a granted directory does not answer. */
import { expect, it, vi } from 'vitest';
import { createHookAnswers } from '../../../src/bin/hooks/serve-hooks.ts';
import { theUser } from '../../../src/ports/caller.ts';
import { fixedLimits } from '../../../src/settings.ts';
import { dieBelow } from '../../support/dead-mount.ts';
import { contextFile, createWorkspace, project } from '../../support/workspace.ts';

it('S-40 S-71 hooks do not wait for another granted directory whose disk does not answer, and keep one thread', async () => {
  const rule = contextFile({ trigger: 'always' }, 'Write short sentences.');
  const { engine, files } = await createWorkspace({ '.context/rule.md': rule });
  const listRoots = async () =>
    ['/dead/one', '/dead/a/two', project].map((path) => ({ path, origin: 'stored' as const }));
  const answerHook = createHookAnswers({ engine: { ...engine, listRoots }, files, directory: '/nowhere' });
  const ask = async (): Promise<string> => {
    const event = { hook_event_name: 'SessionStart', source: 'startup', cwd: project };
    const by = { caller: theUser, signal: new AbortController().signal };
    return JSON.stringify(await answerHook({ tool: 'claude-code', event, outside: 'refuse' }, by));
  };
  const mount = dieBelow('/dead', files);
  // The deadline of the answer is a timer too.
  vi.setTimerTickMode('manual');
  const first = ask();
  await vi.waitFor(() => expect(mount.looks()).toBe(1));
  await vi.advanceTimersByTimeAsync(fixedLimits.roots.placeMs);
  expect(await first).toContain('Write short sentences.');
  expect(await ask()).toContain('Write short sentences.');
  expect(mount.looks()).toBe(1);
});

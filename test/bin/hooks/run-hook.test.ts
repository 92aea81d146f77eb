import { channel } from 'node:diagnostics_channel';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { runHookHere } from '../../support/hook-in-process.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

it('a hook that no daemon answers ends the threads that it has started', async () => {
  const home = temporaryDirectory();
  const started: Worker[] = [];
  const note = (message: unknown) => void started.push((message as { worker: Worker }).worker);
  channel('worker_threads').subscribe(note);
  onTestFinished(() => channel('worker_threads').unsubscribe(note));
  const project = join(home, 'project');
  mkdirSync(join(project, '.context'), { recursive: true });
  mkdirSync(join(project, '.git'));
  writeFileSync(join(project, '.context/style.md'), '---\ntrigger: always\n---\nWrite short sentences.\n');
  const event = { session_id: '1', transcript_path: '/t', cwd: project, hook_event_name: 'SessionStart' };
  const { stdout } = await runHookHere('claude-code', JSON.stringify(event), { home });
  expect(stdout).toContain('Write short sentences.');
  expect(started.length).toBeGreaterThan(0);
  // It has the number -1 when it has ended.
  await expect.poll(() => started.map(({ threadId }) => threadId)).toEqual(started.map(() => -1));
});

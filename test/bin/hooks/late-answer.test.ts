import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { answerEvent, questionIn } from '../../../src/bin/hooks/answer-event.ts';
import { claudeCode } from '../../../src/bin/hooks/claude-code.ts';
import { createDeadline } from '../../../src/bin/hooks/deadline.ts';
import { createOwnDisk } from '../../../src/bin/hooks/disk.ts';
import { createGivenContext } from '../../../src/bin/hooks/given-context.ts';
import type { HookQuestion } from '../../../src/bin/hooks/hook-tool.ts';
import { openAsker } from '../../../src/bin/in-process/ask-engine.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

it('AN-09 what comes too late for one event is given with the next', async () => {
  const home = temporaryDirectory();
  const project = join(home, 'project');
  for (const path of ['project/.context', 'project/.git', 'given']) mkdirSync(join(home, path), { recursive: true });
  writeFileSync(join(project, '.context/style.md'), '---\ntrigger: always\n---\nWrite short sentences.\n');
  const event = { session_id: '1', transcript_path: '/t', cwd: project, hook_event_name: 'SessionStart' };
  const question = questionIn(claudeCode, event, undefined) as HookQuestion;
  const surroundings = { environment: {}, cwd: home, home };
  const asker = await openAsker(project, { stateDir: join(home, 'state'), surroundings });
  onTestFinished(() => asker.dispose());
  const answer = (gone: AbortController, afterwards: () => void) =>
    answerEvent(claudeCode, question, {
      cwd: home,
      disk: createOwnDisk(home),
      openAsker: async () => ({ ask: (asked) => asker.ask(asked).finally(afterwards), dispose: async () => {} }),
      openGiven: (conversation) => createGivenContext(join(home, 'given'), conversation),
      deadline: createDeadline(20_000, gone.signal),
    });
  const gone = new AbortController();
  const late = await answer(gone, () => gone.abort(new Error('it took too long')));
  expect(late).toMatchObject({ answer: {}, problem: { message: 'it took too long' } });
  const next = await answer(new AbortController(), () => {});
  expect(next.answer.context).toContain('Write short sentences.');
});

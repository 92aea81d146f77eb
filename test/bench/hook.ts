/** What a hook costs a tool that waits for it: a whole process beside a running daemon, above one that does nothing. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '../support/build-program.ts';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { runNode, startContextd } from './processes.ts';

const rounds = 15;
const allowedMs = 60;

export async function measureHook(directory: string): Promise<Figure[]> {
  const project = join(directory, 'project');
  for (const folder of ['.git', '.context', 'src']) mkdirSync(join(project, folder), { recursive: true });
  writeFileSync(join(project, '.ai-context-policy.yaml'), 'ai_context_policy: allow\nexclude: ["secrets/**"]\n');
  for (let at = 0; at < 20; at += 1)
    writeFileSync(join(project, `.context/rule-${at}.md`), `---\ntrigger: auto\nglobs: src/**\n---\nRule ${at}.\n`);
  writeFileSync(join(project, 'src/cart.ts'), 'export {};\n');
  await using _daemon = await startContextd(directory, project);
  const args = [await buildProgram(), 'hook', 'claude-code'];
  const place = { cwd: project, env: { HOME: directory, CONTEXTD_STATE_DIR: join(directory, 'state') } };
  const hook = (event: object): Promise<number> =>
    runNode(args, { ...place, input: JSON.stringify({ session_id: 's', cwd: project, ...event }) });
  const read = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: 'src/cart.ts' } };
  const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'How are discounts rounded in @src/cart.ts?' };
  const figures: Figure[] = [];
  for (const [name, event] of [
    ['a file', read],
    ['a prompt', prompt],
  ] as const) {
    // What is compiled once is kept.
    for (let at = 0; at < 3; at += 1) await hook(event);
    const above = await inTurns(
      rounds,
      async () => {
        const [withHook, bare] = [await hook(event), await runNode(['-e', '0'], place)];
        return withHook - bare;
      },
      () => allowedMs,
    );
    const note = `the baseline is what is allowed above "node -e 0"`;
    figures.push(
      figureOf({ name: `hook for ${name}, above a bare process`, unit: 'ms', note, rounds: above, atMost: 1 }),
    );
  }
  return figures;
}

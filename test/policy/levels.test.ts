/** Every way to place allow, block and nothing on four levels, with and without exceptions, against a naive oracle (AP-01, AP-03, S-63). */
import { describe, expect, it } from 'vitest';
import { sized } from '../support/test-size.ts';
import { createWorkspace, project } from '../support/workspace.ts';

/** Each is checked; one of so many resolves, too. */
const resolvedOf = sized(3, 1);
const levels = ['', 'a/', 'a/b/', 'a/b/c/'];
/** What a level says: nothing, or a policy with or without an exception for the files called `odd.md`. */
const sayings = [undefined, 'allow', 'block', 'allow but', 'block but'] as const;
type Saying = (typeof sayings)[number];

/** Written without any of the code it judges. */
function oracle(choice: readonly Saying[], level: number, file: { isOdd: boolean; byDefault: boolean }): boolean {
  for (let at = level; at >= 0; at -= 1) {
    const saying = choice[at];
    if (saying === undefined) continue;
    const isAllowing = saying.startsWith('allow');
    return saying.endsWith('but') && file.isOdd ? !isAllowing : isAllowing;
  }
  return file.byDefault;
}

function textOf(saying: Exclude<Saying, undefined>): string {
  const [kind, but] = saying.split(' ');
  return `ai_context_policy: ${kind}\n${but ? 'exclude: ["**/odd.md"]\n' : ''}`;
}

const choices: Saying[][] = sayings.flatMap((one) =>
  sayings.flatMap((two) => sayings.flatMap((three) => sayings.map((four) => [one, two, three, four]))),
);

describe.each(['allow', 'block'] as const)('by default %s', (defaultPolicy) => {
  it(`AP-01 AP-03 S-63 all ${choices.length} combinations on four levels`, async () => {
    expect(choices).toHaveLength(625);
    const tree: Record<string, string> = {};
    for (const [number, choice] of choices.entries())
      for (const [index, level] of levels.entries()) {
        const saying = choice[index];
        const directory = `${number}/${level}`;
        tree[`${directory}.context/even.md`] = 'Even.';
        tree[`${directory}.context/odd.md`] = 'Odd.';
        if (saying !== undefined) tree[`${directory}.ai-context-policy.${index % 2 ? 'yml' : 'yaml'}`] = textOf(saying);
      }
    const { engine, resolve } = await createWorkspace(tree, { settings: { defaultPolicy } });
    const paths = levels.flatMap((level) => [`${level}.context/even.md`, `${level}.context/odd.md`]);
    for (const [number, choice] of choices.entries()) {
      const mountedDirectory = `${project}/${number}`;
      const wanted = paths.filter((path, index) =>
        oracle(choice, Math.floor(index / 2), { isOdd: path.endsWith('odd.md'), byDefault: defaultPolicy === 'allow' }),
      );
      const { decisions } = await engine.policy.check({ mountedDirectory, paths });
      const allowed = decisions
        .filter((each) => each.allowed)
        .map(({ path }) => path.slice(mountedDirectory.length + 1));
      if (allowed.join() !== wanted.join()) expect(allowed, choice.join(', ')).toEqual(wanted);
      if (number % resolvedOf !== 0) continue;
      const { files } = await resolve({ mountedDirectory, workingDirectory: 'a/b/c' });
      const found = files.map(({ relativePath }) => relativePath).sort();
      if (found.join() !== wanted.sort().join()) expect(found, choice.join(', ')).toEqual(wanted);
    }
  });
});

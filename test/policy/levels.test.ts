/** Every way to place allow, block and nothing on four levels, with and without exceptions, against a naive oracle (AP-01, AP-03, S-63). */
import { describe, expect, it } from 'vitest';
import { createWorkspace, project } from '../support/workspace.ts';

const levels = ['', 'a/', 'a/b/', 'a/b/c/'];
/** What a level says: nothing, or a policy with or without an exception for the files called `odd.md`. */
const sayings = [undefined, 'allow', 'block', 'allow but', 'block but'] as const;
type Saying = (typeof sayings)[number];

/** Written without any of the code it judges. */
function oracle(choice: readonly Saying[], level: number, isOdd: boolean, byDefault: boolean): boolean {
  for (let at = level; at >= 0; at -= 1) {
    const saying = choice[at];
    if (saying === undefined) continue;
    const isAllowing = saying.startsWith('allow');
    return saying.endsWith('but') && isOdd ? !isAllowing : isAllowing;
  }
  return byDefault;
}

function textOf(saying: Exclude<Saying, undefined>): string {
  const [kind, but] = saying.split(' ');
  return `ai_context_policy: ${kind}\n${but ? 'exclude: ["**/odd.md"]\n' : ''}`;
}

const choices: Saying[][] = sayings.flatMap((one) =>
  sayings.flatMap((two) => sayings.flatMap((three) => sayings.map((four) => [one, two, three, four]))),
);

describe.each([{ defaultPolicy: 'allow' as const }, { defaultPolicy: 'block' as const }])(
  'by default $defaultPolicy',
  ({ defaultPolicy }) => {
    it(`AP-01 AP-03 S-63 all ${choices.length} combinations on four levels`, async () => {
      expect(choices).toHaveLength(625);
      for (const choice of choices) {
        const tree: Record<string, string> = {};
        for (const [index, level] of levels.entries()) {
          const saying = choice[index];
          tree[`${level}.context/even.md`] = 'Even.';
          tree[`${level}.context/odd.md`] = 'Odd.';
          if (saying !== undefined) tree[`${level}.ai-context-policy.${index % 2 ? 'yml' : 'yaml'}`] = textOf(saying);
        }
        const { engine, resolve } = await createWorkspace(tree, { settings: { defaultPolicy } });
        const paths = levels.flatMap((level) => [`${level}.context/even.md`, `${level}.context/odd.md`]);
        const wanted = paths.filter((path, index) =>
          oracle(choice, Math.floor(index / 2), path.endsWith('odd.md'), defaultPolicy === 'allow'),
        );
        const { decisions } = await engine.policy.check({ mountedDirectory: project, paths });
        const allowed = decisions.filter((each) => each.allowed).map(({ path }) => path.slice(project.length + 1));
        expect(allowed, choice.join(', ')).toEqual(wanted);
        const { files } = await resolve({ workingDirectory: 'a/b/c' });
        expect(files.map(({ relativePath }) => relativePath).sort(), choice.join(', ')).toEqual(wanted.sort());
      }
    });
  },
);

/** Conversions of many rules, or of much text. */
import { expect, it } from 'vitest';
import { createUniqueNames } from '../../src/context/convert/file-names.ts';
import { planConversion } from '../../src/context/convert/plan.ts';
import type { SourceRule } from '../../src/context/convert/rules-here.ts';
import { targetOf } from '../../src/context/convert/targets.ts';
import { defaultProperties } from '../../src/context/front-matter-properties.ts';
import { createPause, inTurns } from '../../src/pace/turns.ts';
import { fixedLimits } from '../../src/settings.ts';
import { expectQuick, longestTurnMs } from '../support/expect-quick.ts';
import { createWorkspace, project } from '../support/workspace.ts';

const many = 9_900;
const convertIn = async (files: Record<string, string>, { to, answerBytes }: { to: string; answerBytes: number }) => {
  const { engine } = await createWorkspace(files, { limits: { answerBytes } });
  return engine.convert({ mountedDirectory: project, to });
};

it('S-45 names of which only the end differs, beyond what is kept of a name, get their numbers quickly', () => {
  const stem = 'x'.repeat(180);
  const names = expectQuick(() => {
    const unique = createUniqueNames();
    return Array.from({ length: many }, () => unique(stem, undefined));
  });
  expect(new Set(names).size).toBe(many);
  expect([names[0], names[1], names[2], names.at(-1)]).toEqual([
    stem,
    `${stem}-context`,
    `${stem}-context-2`,
    `${stem}-context-${many - 1}`,
  ]);
});

it.each(['agents-md', 'cursor'])('S-45 a plan for %s gives way to others between its rules', async (to) => {
  const rules = Array.from({ length: 3_000 }, (_, at): SourceRule => {
    const body = `Rule ${at}.\n${'abc def\n'.repeat(750)}`;
    const rule = { ...defaultProperties(), trigger: 'always' as const, type: 'rule' as const };
    return { path: `${project}/.context/r${at}.md`, directory: '', rule, body, sha256: '' };
  });
  const { frontMatterBytes, answerBytes } = fixedLimits.request;
  const place = { mountedDirectory: project, contextPath: `${project}/.context`, frontMatterBytes, answerBytes };
  const plan = () => inTurns(planConversion({ rules, left: [] }, targetOf(to, '.context'), place), createPause());
  expect(await longestTurnMs(plan, 3)).toBeLessThan(100);
});

it('S-45 a plan leaves the rules that its answer has no room for, and says so', async () => {
  const files = { '.context/a.md': 'First.\n', '.context/b.md': 'Second.\n'.repeat(100), '.context/c.md': 'Third.\n' };
  const always = Object.entries(files).map(([path, body]) => [path, `---\ntrigger: always\n---\n${body}`]);
  for (const [to, paths] of [
    ['cursor', ['.cursor/rules/a.mdc', '.cursor/rules/c.mdc']],
    ['agents-md', ['AGENTS.md']],
  ] as const) {
    const plan = await convertIn(Object.fromEntries(always), { to, answerBytes: 400 });
    expect(plan.files.map(({ path }) => path)).toEqual(paths);
    expect(plan.files.flatMap(({ from }) => from)).toEqual(['.context/a.md', '.context/c.md']);
    const reason = { code: 'limit_reached', detail: 'more than 400 bytes of converted text' };
    expect(plan.left).toEqual([{ path: '.context/b.md', reason }]);
    expect(plan.warnings.at(-1)?.message).toBe(
      'A plan has at most 400 bytes of text; 1 more rules are left. Convert in parts: name fewer formats in `from`, or a directory below.',
    );
  }
});

it('S-45 what a rule loses counts as text of the answer', async () => {
  const keys = Array.from({ length: 50 }, (_, at) => `k${at}: 1\n`).join('');
  const plan = await convertIn({ '.context/a.md': `---\n${keys}---\nText.\n` }, { to: 'cursor', answerBytes: 2_000 });
  expect(plan).toMatchObject({ files: [], lost: [], left: [{ path: '.context/a.md' }] });
});

import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createNodeFiles } from '../../src/adapters/files/node-files.ts';
import { longestTurnMs, startProcessorClock } from '../support/expect-quick.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';
import { createWorkspace, project } from '../support/workspace.ts';

const numbered = (count: number, contentOf: (index: number) => string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`.cursor/rules/r${index}.mdc`, contentOf(index)]));

const alike = numbered(
  1_100,
  (index) => `---\nalwaysApply: true\n---\n${'x '.repeat(20_000)}${String(index).padStart(4)}.`,
);

/** With a real clock and real files, as turns end by the clock and while files are read. */
async function realEngine(tree: Record<string, string>) {
  const mountedDirectory = temporaryDirectory();
  writeTree(mountedDirectory, tree);
  const ports = { clock: createSystemClock(), files: createNodeFiles() };
  const { engine } = await createWorkspace({}, { ports, grantedRoots: [mountedDirectory] });
  return { engine, mountedDirectory };
}

/** In short turns, and not in very many of them. */
async function expectCheap(work: () => Promise<unknown>): Promise<void> {
  const spentMs = startProcessorClock();
  expect(await longestTurnMs(work)).toBeLessThan(500);
  expect(spentMs()).toBeLessThan(8_000);
}

async function expectCheaplyResolved(tree: Record<string, string>): Promise<void> {
  const { engine, mountedDirectory } = await realEngine(tree);
  await expectCheap(() => engine.resolve({ mountedDirectory, content: false }));
}

describe('comparing the texts of many rules', () => {
  it('S-45 takes no long turn for texts of one length that differ at their ends', async () => {
    await expectCheaplyResolved(alike);
  });

  it('S-45 takes no long turn in a check of them', async () => {
    const { engine, mountedDirectory } = await realEngine(alike);
    await expectCheap(() => engine.validate({ mountedDirectory }));
  });

  it('S-45 takes no long turn for one text with many descriptions', async () => {
    await expectCheaplyResolved(numbered(6_000, (index) => `---\ndescription: rule ${index}\n---\nthe same`));
  });
});

describe('which of the rules with one text is used', () => {
  /** By the path of a rule that is left out, the path of the one that is used instead. */
  const replaced = async (tree: Record<string, string>): Promise<Record<string, string>> => {
    const { resolve } = await createWorkspace(tree);
    const found = (await resolve()).excluded.flatMap(({ path, reason }) => {
      const standIn = / (\S{1,200}), which is used instead$/u.exec(reason.detail ?? '')?.[1];
      return standIn === undefined ? [] : [[path, standIn].map((each) => each.replace(`${project}/`, ''))];
    });
    return Object.fromEntries(found);
  };

  it('FM-06 compares two of our own only with those of other tools', async () => {
    const found = await replaced({
      '.context/a.md': '---\ntrigger: auto\nglobs: ["*.ts"]\n---\nthe same',
      '.context/b.md': '---\ntrigger: auto\nglobs: ["*.ts"]\n---\nthe same',
      '.context/c.md': '---\ntrigger: auto\nglobs: ["*.js"]\n---\nthe same',
      '.context/d.md': '---\ntrigger: auto\nglobs: ["*.js"]\n---\nthe same',
      '.cursor/rules/e.mdc': '---\nglobs: "*.ts"\n---\nthe same',
    });
    expect(found).toEqual({ '.context/a.md': '.cursor/rules/e.mdc', '.context/b.md': '.cursor/rules/e.mdc' });
  });

  it('FM-06 uses one that always applies instead of all others', async () => {
    const found = await replaced({
      '.context/a.md': '---\ntrigger: always\n---\nthe same',
      '.context/b.md': '---\ntrigger: manual\n---\nthe same',
      '.cursor/rules/c.mdc': '---\nglobs: "*.ts"\n---\nthe same',
      'AGENTS.md': 'the same',
      'CLAUDE.md': '@AGENTS.md',
    });
    expect(found).toEqual({
      '.context/a.md': 'AGENTS.md',
      '.context/b.md': 'AGENTS.md',
      '.cursor/rules/c.mdc': 'AGENTS.md',
      'CLAUDE.md': 'AGENTS.md',
    });
  });

  it('FM-06 uses a long text beside one that is its hash', async () => {
    const long = 'word '.repeat(400).trim();
    const tree = { '.context/long.md': long, '.cursorrules': hash('sha256', long) };
    expect(await replaced(tree)).toEqual({});
  });
});

/** Commands that answer without a daemon as with one, about paths of the project that they name (SY-04). */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/bin/program.ts';
import { ownProcess, runContextd, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const home = temporaryDirectory();
const project = join(home, 'shop');
const elsewhere = join(home, 'elsewhere');
const write = (path: string, text: string) => writeTree(project, { [path]: text });
let daemon: TestDaemon;

beforeAll(async () => {
  mkdirSync(elsewhere);
  write('.context/rounding.md', '---\ndescription: How prices are rounded\ntrigger: agent\n---\nRound half to even.\n');
  write('.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude: ["secret/**"]\n');
  write('src/cart.ts', "import { price } from './price.ts';\nimport { margin } from '../secret/margin.ts';\n");
  write('src/price.ts', 'export const price = 1;\n');
  write('secret/margin.ts', 'export const margin = 41;\n');
  write('docs/money.md', 'Money is kept in cents.\n');
  daemon = await startDaemon({ grantRoots: [project] });
});
afterAll(() => daemon.stop());

/** Asked from elsewhere: paths are those of the project. */
const commands: Record<string, string[]> = {
  explain: ['explain', '.context/rounding.md', project, '--json'],
  'policy check': ['policy', 'check', 'src/cart.ts', 'secret/margin.ts', '-d', project, '--json'],
  retrieve: ['retrieve', 'src/cart.ts', '-d', project, '--tab', 'src/cart.ts', '--json'],
  search: ['search', 'how are prices rounded', project, '--json'],
};

/** What stands before the directory. */
const wordsBefore: Record<string, string[]> = {
  explain: ['.context/rounding.md'],
  retrieve: ['src/cart.ts'],
  search: ['how are prices rounded'],
  'hook install': ['cursor'],
};
const wordsBehind: Record<string, string[]> = { convert: ['--to', 'cursor'] };

/** They open a browser, go on until they are stopped, or change the project. */
const notAsked = ['open', 'watch', 'policy write', 'policy remove'];

/** Commands whose directory is an argument; `asks`: whether they ask a daemon. */
type Named = { name: string[]; asks: boolean };
function commandsWithDirectory(command: Command, above: string[] = []): Named[] {
  return command.commands.flatMap((each) => {
    const name = [...above, each.name()];
    const takesOne = each.registeredArguments.some((argument) => argument.name() === 'dir' && !argument.required);
    const isAsked = takesOne && !notAsked.includes(name.join(' '));
    const asks = each.options.some(({ long }) => long === '--state-dir');
    return [...(isAsked ? [{ name, asks }] : []), ...commandsWithDirectory(each, name)];
  });
}

describe('commands', () => {
  it('SY-04 take their directory by -d as they take it by itself', async () => {
    const names = commandsWithDirectory(await createProgram());
    expect(names).toContainEqual({ name: ['search'], asks: true });
    for (const { name, asks } of names) {
      const words = name.join(' ');
      const run = (...directory: string[]) => {
        const args = [...name, ...(wordsBefore[words] ?? []), ...directory, ...(wordsBehind[words] ?? [])];
        if (asks) return daemon.cli(args, { cwd: elsewhere, ...ownProcess });
        return runContextd(args, { cwd: elsewhere, env: { HOME: home }, ...ownProcess });
      };
      const byOption = await run('-d', project);
      // Neither is a mistake in the words of the command.
      expect(byOption.code, words).not.toBe(64);
      expect(byOption, words).toEqual(await run(project));
    }
  });

  it('SY-04 answer the same without a daemon, with what was added by hand', async () => {
    await using daemon = await startDaemon({ grantRoots: [project] });
    const added = await daemon.cli(['supplementary', 'add', 'docs/money.md', '-d', project], { cwd: elsewhere });
    expect([added.code, added.stdout]).toEqual([0, 'file    docs/money.md\n']);
    const ask = async (): Promise<Record<string, unknown>> => {
      const answers: Record<string, unknown> = {};
      for (const [name, args] of Object.entries(commands)) {
        const { code, stdout, stderr } = await daemon.cli(args, { cwd: elsewhere });
        expect([code, stderr], name).toEqual([name === 'policy check' ? 1 : 0, '']);
        answers[name] = JSON.parse(stdout);
        // Why meanings are not compared differs: one of the two has no model, the other has not got it yet.
        delete (answers[name] as { semantic?: { detail?: string } }).semantic?.detail;
      }
      return answers;
    };
    const before = await ask();
    expect(before).toMatchObject({
      explain: { candidates: [{ path: join(project, '.context/rounding.md') }] },
      'policy check': { decisions: [{ allowed: true }, { path: join(project, 'secret/margin.ts'), allowed: false }] },
      retrieve: {
        items: [
          { origin: 'supplementary', relativePath: 'docs/money.md' },
          { origin: 'import', relativePath: 'src/price.ts' },
        ],
        omitted: [{ path: join(project, 'secret/margin.ts'), reason: { code: 'blocked_by_policy' } }],
      },
      search: { results: [{ path: join(project, '.context/rounding.md') }] },
    });
    await daemon.cli(['stop']);
    expect(await ask()).toEqual(before);
  });

  it('SY-04 say that an agent needs a daemon', async () => {
    const args = ['search', 'prices', '--agent', 'reviewer', '--state-dir', join(home, 'no-state')];
    const { code, stderr } = await runContextd(args, { cwd: elsewhere, env: { HOME: home } });
    expect([code, stderr]).toEqual([69, expect.stringContaining('Start one with: contextd start')]);
  });
});

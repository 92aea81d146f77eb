/** The first minute in a project that was never seen: `contextd` alone, and `contextd init`. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryPath, runContextd } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const home = temporaryDirectory();
const shop = join(home, 'shop');
const empty = join(home, 'empty');
// A free port where that of the user is taken.
const env = { HOME: home };
const run = (args: string[], cwd = shop) => runContextd(args, { cwd, env });
/** `script` gives it a terminal, in which a person types. */
const hasTerminal = spawnSync('script', ['--version']).status === 0;

beforeAll(() => {
  mkdirSync(join(shop, 'src'), { recursive: true });
  mkdirSync(join(shop, '.cursor/rules'), { recursive: true });
  mkdirSync(empty);
  mkdirSync(join(shop, '.ci'));
  for (const name of ['AGENTS.md', 'CLAUDE.md']) writeFileSync(join(shop, name), 'Count in cents.\n');
  // What tools keep in folders of their own is no rule of a directory.
  for (const directory of ['web', 'api', '.github']) {
    mkdirSync(join(shop, directory));
    writeFileSync(join(shop, directory, 'AGENTS.md'), `Of ${directory}.\n`);
  }
  for (const name of ['a', 'b'])
    writeFileSync(join(shop, `.cursor/rules/${name}.mdc`), '---\nglobs: src/**\nalwaysApply: false\n---\nBe brief.\n');
  writeFileSync(join(shop, '.ai-context-policy.yaml'), 'ai_context_policy: allow\n');
  for (const path of ['src/cart.ts', '.a.ts', '.ci/a.ts', 'x.config.ts'])
    writeFileSync(join(shop, path), 'export {};\n');
});
afterAll(() => run(['stop']));

const findings = `${shop}
Found AGENTS.md, CLAUDE.md, 2 files of Cursor, 2 rule files in directories below and 1 policy.
For src/cart.ts 2 apply, `;
const steps = `Next steps
  contextd resolve --file src/cart.ts   what a model should see, and why
  contextd check                        mistakes in these files, and how to fix them
  contextd open                         the same in your browser
`;

describe('the first minute', () => {
  it('init shows what a project has, and what of it applies to one of its files', async () => {
    const { code, stdout } = await run(['init']);
    expect(code).toBe(0);
    expect(stdout).toContain(findings);
    expect(stdout).toContain('AGENTS.md, .cursor/rules/a.mdc');
    expect(stdout.endsWith(steps)).toBe(true);
    expect(existsSync(join(shop, '.context'))).toBe(false);
    const fromElsewhere = await run(['init', 'shop'], home);
    for (const step of ['resolve shop --file src/cart.ts  ', 'check shop  ', 'open shop  '])
      expect(fromElsewhere.stdout).toContain(`\n  contextd ${step}`);
    expect(fromElsewhere.stdout).toContain('"contextd init shop --write" makes');
    const json = JSON.parse((await run(['init', '--json'])).stdout) as object;
    expect(json).toMatchObject({ ownFiles: 0, policies: 1, example: { relativePath: 'src/cart.ts' } });
    const nothing = (await run(['init', empty])).stdout;
    expect(nothing).toContain('There are no context files, rule files of other tools');
    expect(nothing.split(`init ${empty} --write`)).toHaveLength(2);
  });

  it('takes paths as a shell completes them, where nothing is at them in the project', async () => {
    const { stdout } = await run(['resolve', 'shop', '--file', 'shop/src/cart.ts', '--json'], home);
    expect(JSON.parse(stdout)).toMatchObject({ workingDirectories: [join(shop, 'src')] });
    const explained = await run(['explain', 'shop/CLAUDE.md', 'shop', '--json'], home);
    expect(JSON.parse(explained.stdout)).toMatchObject({ candidates: [{ path: join(shop, 'CLAUDE.md') }] });
    const checked = await run(['policy', 'check', 'shop/AGENTS.md', '-d', 'shop', '--json'], home);
    expect(JSON.parse(checked.stdout)).toMatchObject({ decisions: [{ path: join(shop, 'AGENTS.md') }] });
    const retrieved = await run(['retrieve', 'shop/src/cart.ts', 'shop', '--json'], home);
    expect(retrieved.stdout).not.toContain('not_found');
  });

  it('init --write makes an example that is read, and changes nothing that is there', async () => {
    const empty = mkdtempSync(join(home, 'empty-'));
    const example = join(empty, '.context/example.md');
    expect((await run(['init', '--write'], empty)).stdout).toContain('is an example: change it as you like');
    const { stdout } = await run(['resolve', '--mention', 'example', '--json'], empty);
    expect(JSON.parse(stdout)).toMatchObject({ files: [{ name: 'example', state: 'active' }], warnings: [] });
    expect((await run(['check'], empty)).code).toBe(0);
    writeFileSync(example, 'Mine.\n');
    expect((await run(['init', '--write'], empty)).stdout).toContain('is there already; nothing was written');
    expect((await run(['init'], empty)).stdout).not.toContain('--write');
    expect(JSON.parse((await run(['init', '--write', '--json'], empty)).stdout)).not.toHaveProperty('written');
    expect(readFileSync(example, 'utf8')).toBe('Mine.\n');
    const fresh = mkdtempSync(join(home, 'fresh-'));
    const json = JSON.parse((await run(['init', '--write', '--json'], fresh)).stdout) as object;
    expect(json).toMatchObject({ written: join(fresh, '.context/example.md') });
    expect(await run(['init', '--write', join(home, 'nowhere')])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('cannot be made (ENOENT)'),
    });
  });

  it('S-37 init --write follows no link of a project', async () => {
    const cloned = mkdtempSync(join(home, 'cloned-'));
    const outside = mkdtempSync(join(home, 'outside-'));
    symlinkSync(outside, join(cloned, 'tools'));
    const inTools = { cwd: cloned, env: { ...env, CLIENT_CONTEXT_PATH: 'tools/new/context' } };
    expect(await runContextd(['init', '--write'], inTools)).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('tools is a link; nothing was written'),
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  it('search says where there is nothing to search, and what searches the files', async () => {
    const hint = "To search the files of the project: contextd retrieve --query 'where is the cart?'";
    const bare = mkdtempSync(join(home, 'bare-'));
    const nothing = await run(['search', 'where is the cart?'], bare);
    expect(nothing.stdout).toBe('There are no rules, references or tools to search.\n');
    expect(nothing.stderr).toContain(`${hint}\n`);
    const named = await run(['search', 'where is the cart?', bare]);
    expect(named.stderr).toContain(`${hint} -d ${bare}\n`);
    expect((await run(['search', 'where is the cart?', '--json'], bare)).stderr).toBe('');
  });

  it('takes an example from a directory below where only files there have rules', async () => {
    const tools = join(home, 'tools');
    for (const each of ['a', 'b', 'chat']) mkdirSync(join(tools, each), { recursive: true });
    for (const each of ['a/a.py', 'b/b.py', 'chat/agent.py']) writeFileSync(join(tools, each), 'pass\n');
    writeFileSync(join(tools, 'chat/CLAUDE.md'), 'Be kind.\n');
    const { stdout } = await run(['init', tools]);
    expect(stdout).toContain('For chat/agent.py 1 applies');
    expect(stdout).toContain(`contextd resolve ${tools} --file chat/agent.py`);
    expect((await run(['formats', tools])).stdout).toBe(
      'There are no rule files of other tools here. Those of directories below count for files there (--file).\n',
    );
  });

  it('does not count the texts of another repository inside, which do not apply, nor those of packages', async () => {
    const top = join(home, 'top');
    for (const each of ['src', 'vendor/lib/docs']) mkdirSync(join(top, each), { recursive: true });
    writeFileSync(join(top, 'vendor/lib/.git'), 'gitdir: ../../.git/modules/lib\n');
    for (const each of ['vendor/a.org/b', 'own/vendor']) mkdirSync(join(top, each), { recursive: true });
    writeFileSync(join(top, 'vendor/modules.txt'), '# a.org/b v1.0.0\n');
    for (const each of [
      'vendor/lib/AGENTS.md',
      'vendor/lib/docs/CLAUDE.md',
      'vendor/a.org/b/AGENTS.md',
      'own/vendor/AGENTS.md',
      'src/AGENTS.md',
    ])
      writeFileSync(join(top, each), `Text of ${each}.\n`);
    writeFileSync(join(top, 'src/a.py'), 'pass\n');
    writeFileSync(join(top, 'vendor/lib/b.go'), 'package b\n');
    const { stdout } = await run(['init', top]);
    // A folder of this name that has no copied packages is the project's own.
    expect(stdout).toContain('Found 2 rule files in directories below.');
    expect(stdout).toContain('For src/a.py 1 applies');
  });

  it('contextd alone starts, tells what it found, and grants nothing where nobody is asked', async () => {
    await run(['stop']);
    const { code, stdout } = await run([]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^contextd runs at http:\/\/127\.0\.0\.1:\d+\n/u);
    expect(stdout).toContain(findings);
    expect(stdout).toContain('"contextd roots grant ." lets the daemon read this directory');
    expect(stdout.endsWith(steps)).toBe(true);
    expect((await run(['roots', 'list'])).stdout).not.toContain(shop);
    expect(await run([], home)).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining('Usage:') });
  });

  it('tells who stands below the top of a repository that rules above do not count', async () => {
    const repository = join(home, 'my repository');
    mkdirSync(join(repository, '.git'), { recursive: true });
    mkdirSync(join(repository, 'app/models'), { recursive: true });
    writeFileSync(join(repository, 'AGENTS.md'), 'Count in cents.\n');
    const below = join(repository, 'app/models');
    const told = (...words: string[]) => `${below} is a part of the repository ${repository}. ${words.join(' ')}`;
    const how = `contextd resolve '${repository}' --working-directory app/models`;
    const { stdout, stderr } = await run(['resolve'], below);
    expect(stdout).toContain('No context files apply');
    expect(stderr).toContain(told('Rules above it are not used here. To use them too:', how));
    for (const args of [['formats'], ['explain'], ['init'], []])
      expect((await run(args, below)).stderr).toContain(told('Rules above it'));
    const search = `search cents '${repository}' --working-directory app/models`;
    expect((await run(['search', 'cents'], below)).stderr).toContain(
      told('Rules above it are not searched. To search them too:', `contextd ${search}`),
    );
    for (const [file, retrieve] of [
      ['a.rb', `retrieve app/models/a.rb '${repository}'`],
      [join(repository, 'b.rb'), `retrieve b.rb '${repository}'`],
    ] as const)
      expect((await run(['retrieve', file], below)).stderr).toContain(
        `${told('Files above it are not used. To use them too:', `contextd ${retrieve}`)}\n`,
      );
    expect((await run(['retrieve'], below)).stderr).not.toContain('is a part of');
    // A file of another repository: the search alone would answer from the wrong one.
    expect((await run(['retrieve', join(repository, 'c.rb'), shop], below)).stderr).toContain(
      `is no file of ${shop}, so its imports are not followed. In its repository: contextd retrieve c.rb '${repository}'\n`,
    );
    expect((await run(['retrieve', 'a.rb'], repository)).stderr).not.toContain('is no file of');
    symlinkSync(repository, join(home, 'linked'));
    expect((await run(['retrieve', join(home, 'linked/a.rb')], repository)).stderr).not.toContain('is no file of');
    expect((await run(['retrieve', join(repository, '-a.rb'), shop], below)).stderr).toContain('retrieve ./-a.rb ');
    const found = await run(['search', 'cents', repository, '--working-directory', 'app/models'], below);
    expect(found.stdout).toContain('Count in cents.');
    expect((await run(['check'], below)).stderr).toBe(`${told('Only this part was checked.')}\n`);
    const installed = await run(['hook', 'install', 'cursor'], below);
    expect(installed.stderr).toBe(
      `${told('Cursor may not find these settings where it is started elsewhere in it.')} For all of it: contextd hook install cursor '${repository}'\n`,
    );
    expect((await run(['hook', 'install', 'cursor', repository], below)).stderr).toBe('');
    for (const args of [
      ['resolve', '--json'],
      ['resolve', repository],
    ])
      expect((await run(args, below)).stderr).not.toContain('is a part of');
  });

  it('tells who asks about a file of a repository below that its rules do not count', async () => {
    const repository = join(home, 'projects/shop one');
    mkdirSync(join(repository, '.git'), { recursive: true });
    mkdirSync(join(repository, 'src'));
    writeFileSync(join(repository, 'AGENTS.md'), 'Count in cents.\n');
    const above = join(home, 'projects');
    const inside = ['--file', 'shop one/src/a.ts', '--file', 'shop one/b.ts'];
    const { stdout, stderr } = await run(['resolve', ...inside, '--file', 'c.ts'], above);
    expect(stdout).toContain('No context files apply');
    // A daemon may add that it may not read the directory.
    expect(stderr.split('\n').filter((line) => line.includes('of its own'))).toEqual([
      `${repository} is a repository of its own. Rule files of other tools in it are not used here. To use them: contextd resolve '${repository}' --file src/a.ts`,
    ]);
    for (const [args, directory] of [
      [['resolve', '--file', 'src/a.ts'], repository],
      [['resolve', '--json', ...inside], above],
    ] as const)
      expect((await run([...args], directory)).stderr).not.toContain('of its own');
  });

  it.skipIf(!hasTerminal)('contextd alone asks a person before it may read a directory', async () => {
    const command = `${process.execPath} ${entryPath}`;
    const answer = async (typed: string) => {
      const running = promisify(execFile)('script', ['-qec', command, '/dev/null'], {
        cwd: shop,
        env: { PATH: process.env.PATH, ...env, TERM: 'dumb' },
      });
      running.child.stdin?.end(typed);
      return (await running).stdout.replaceAll('\r', '');
    };
    await run(['start']);
    const refused = await answer('n\n');
    expect(refused).toContain('runs already at');
    expect(refused).toContain('May contextd read ~/shop, until you revoke this? [Y/n]');
    expect(refused).toContain('"contextd roots grant ."');
    const granted = await answer('y\n');
    expect(granted).not.toContain('roots grant');
    expect(granted).toContain('For src/cart.ts 2 apply');
    expect((await run(['roots', 'list'])).stdout).toContain('shop');
    expect(await answer('')).not.toContain('May it read');
    expect((await run(['roots', 'revoke', shop])).code).toBe(0);
  });
});

/** The packages that `npm run package` makes, installed by npm from an empty cache, where nothing of the clone is. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { makePackages, ownPlatform, runtimeName } from '../../packaging/make-packages.ts';
import { answersOf, writeAskedWorkspace } from '../support/answers.ts';
import { sourceEntry, startDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { isTorture } from '../support/test-size.ts';

const root = join(import.meta.dirname, '../..');
const base = temporaryDirectory();
const made = join(base, 'made');
const modules = join(base, 'prefix/node_modules');
const installed = join(modules, 'contextd');
const entry = join(modules, '.bin/contextd');
const mebibyte = 1024 * 1024;
const only = ownPlatform === undefined ? [] : [ownPlatform];
const runtimes = only.map(runtimeName);

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
const sizeOf = (directory: string) => filesIn(directory).reduce((sum, path) => sum + statSync(path).size, 0);

const asked = { workspace: join(base, 'workspace'), model: join(base, 'model') };
beforeAll(async () => {
  writeAskedWorkspace(asked.workspace, asked.model);
  await makePackages(made, { only });
  // To pack and unpack the runtime takes longer than all else: for a release.
  const packed = ['contextd', ...(isTorture ? runtimes : [])];
  const archives = packed.map((name) => {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', base, join(made, name)], { cwd: base });
    return join(base, `${name}-${packageJson.version}.tgz`);
  });
  mkdirSync(join(base, 'prefix'));
  const places = ['--cache', join(base, 'cache'), '--prefix', join(base, 'prefix')];
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', ...places, ...archives], {
    cwd: base,
    stdio: 'pipe',
  });
  for (const name of isTorture ? [] : runtimes) cpSync(join(made, name), join(modules, name), { recursive: true });
}, 120_000);

it('PK-01 the package depends on nothing, runs nothing when it is installed, and is as small as promised', () => {
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['contextd', ...runtimes].sort());
  for (const name of ['contextd', ...runtimes]) {
    const manifest = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
    expect(Object.keys(manifest)).not.toContain('scripts');
    expect(Object.keys(manifest)).not.toContain('dependencies');
    expect(Object.keys(manifest)).not.toContain('optionalDependencies');
    expect(manifest).toMatchObject({ version: packageJson.version, publishConfig: { provenance: true } });
  }
  expect(sizeOf(installed)).toBeLessThanOrEqual(30 * mebibyte);
  expect(sizeOf(modules)).toBeLessThanOrEqual(100 * mebibyte);
});

it('PK-01 each page that README.md names is in the package', () => {
  const links = readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/\]\((?!https?:)([^)#]{1,200})/gu);
  const pages = [...new Set(Array.from(links, ([, page]) => page as string))];
  expect(pages).toContain('docs/rules.md');
  expect(pages.filter((page) => !existsSync(join(installed, page)))).toEqual([]);
});

it('PK-01 in a project, the lock file that the installation leaves is enough for "npm ci"', () => {
  const project = join(base, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  const archive = join(base, `contextd-${packageJson.version}.tgz`);
  const options = ['--offline', '--no-audit', '--no-fund', '--cache', join(base, 'cache')];
  const npm = (...args: string[]) => execFileSync('npm', [...args, ...options], { cwd: project, stdio: 'pipe' });
  npm('install', '--save-dev', archive);
  npm('ci');
  const program = join(project, 'node_modules/.bin/contextd');
  expect(`${execFileSync(program, ['version'])}`).toContain(packageJson.version);
});

it('PK-01 a program that was copied without its package.json says so, and ends', () => {
  const copy = join(base, 'copy');
  cpSync(join(installed, 'dist'), copy, { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [join(copy, 'contextd.js'), 'version'], { timeout: 30_000 });
  expect([status, `${stderr}`]).toEqual([
    78,
    `contextd: There is no package.json above ${copy}: the program is incomplete. Install it again.\n`,
  ]);
});

it('PK-01 what is installed answers as the clone does', async () => {
  const [ofPackage, ofClone] = await Promise.all([
    answersOf([entry], asked),
    answersOf([process.execPath, sourceEntry], asked),
  ]);
  expect(ofPackage).toEqual(ofClone);
  expect(ofPackage).toMatchObject({
    found: expect.arrayContaining([['errors', expect.any(String)]]),
    foundBy: 'ready',
    retrieved: ['b.ts', 'shop/cart.py', 'price/price.go'].map((relativePath) => ({
      items: expect.arrayContaining([expect.objectContaining({ origin: 'import', relativePath })]),
    })),
    mcp: { tools: expect.arrayContaining(['resolve_context']) },
    editor: { capabilities: expect.anything() },
  });
});

it('PK-01 without the runtime of the model, search by meaning says what is missing', async () => {
  const alone = join(base, 'alone');
  execFileSync('cp', ['-al', installed, alone]);
  await using daemon = await startDaemon({
    entry: join(alone, 'dist/contextd.js'),
    grantRoots: [asked.workspace],
    args: ['--model-dir', asked.model],
  });
  const body = { mountedDirectory: asked.workspace, query: 'bug', mode: 'semantic' };
  const detail = async () =>
    ((await daemon.request('/v1/search', { body })).body as { semantic: { detail?: string } }).semantic.detail;
  // A busy machine says for a while that the model is loading.
  await expect.poll(detail).toContain(`The runtime of the model is not installed: ${runtimes[0]}`);
});

it('PK-04 two builds of one source are the same, byte for byte', () => {
  const program = dirname(process.env.CONTEXTD_TESTED_PROGRAM ?? '');
  const names = readdirSync(program).sort();
  expect(names.length).toBeGreaterThan(100);
  for (const name of names)
    expect(readFileSync(join(installed, 'dist', name)).equals(readFileSync(join(program, name))), name).toBe(true);
  expect(readdirSync(join(installed, 'dist')).sort()).toEqual([...names, 'console'].sort());
});

it('PK-04 the package says what is in it: to programs, and the texts of all licenses to people', () => {
  for (const name of ['contextd', ...runtimes]) {
    const bom = JSON.parse(readFileSync(join(modules, name, 'sbom.cdx.json'), 'utf8'));
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name, version: packageJson.version } },
    });
    const texts = readFileSync(join(modules, name, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const { name: part, version, licenses, hashes } of bom.components) {
      expect(texts).toContain(`${part} ${version}\n`);
      expect([part, licenses, hashes]).toEqual([part, expect.anything(), expect.anything()]);
    }
    expect(bom.components.length).toBeGreaterThan(1);
    for (const text of texts.split(`\n${'-'.repeat(80)}\n\n`))
      expect(text).toMatch(/permission|redistribut|licensed under/iu);
    expect(texts).toContain('Copyright (c) Microsoft Corporation');
    // Whose grammar is in the package of somebody else.
    if (name === 'contextd') expect(texts).toContain('Copyright (c) 2021 alex-pinkus');
  }
});

it('AP-08 the package holds the schemas, also where users have named them', () => {
  const committed = join(root, 'openapi/schemas');
  for (const place of ['openapi/schemas', 'schemas'])
    for (const name of readdirSync(committed))
      expect(readFileSync(join(installed, place, name), 'utf8')).toBe(readFileSync(join(committed, name), 'utf8'));
});

const hasDebian = spawnSync('dpkg-deb', ['--version']).status === 0;
it.runIf(hasDebian)('AN-08 the package for Debian holds the clients and the pages', () => {
  const executable = join(base, 'contextd-linux-x64');
  writeFileSync(executable, '#!/bin/sh\n', { mode: 0o755 });
  const run = (program: string, args: string[]) => execFileSync(program, args, { encoding: 'utf8' });
  const making = [join(root, 'packaging/make-debian.sh'), executable, base];
  // Outside a clone, nothing says which files belong into it.
  const env = { PATH: process.env.PATH, GIT_DIR: join(base, 'none'), SOURCE_DATE_EPOCH: '0' };
  expect(spawnSync('sh', making, { env }).status).not.toBe(0);
  const debian = run('sh', making).trim();
  const unpacked = join(base, 'debian');
  run('dpkg-deb', ['--extract', debian, unpacked]);
  const clients = join(unpacked, 'usr/share/contextd/clients');
  const shown = run('diff', ['-r', clients, join(root, 'clients')]);
  expect(shown).toBe('');
  expect(statSync(join(clients, 'nvim/lua/contextd.lua')).mode & 0o777).toBe(0o644);
  const pages = join(unpacked, 'usr/share/doc/contextd');
  expect(run('diff', ['-r', join(pages, 'docs'), join(root, 'docs')])).toBe('');
  expect(existsSync(join(pages, 'README.md'))).toBe(true);
});

it('AN-08 the package holds the clients', () => {
  const committed = `${execFileSync('git', ['ls-files', '-z', '--', 'clients'], { cwd: root })}`
    .split('\0')
    .filter(Boolean);
  expect(committed.length).toBeGreaterThan(4);
  for (const path of committed)
    expect(readFileSync(join(installed, path), 'utf8')).toBe(readFileSync(join(root, path), 'utf8'));
});

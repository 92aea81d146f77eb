/** What `npm pack` makes of a fresh clone, installed where nothing else of the clone is. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import packageLock from '../../package-lock.json' with { type: 'json' };
import { runContextd, startDaemon, temporaryDirectory } from '../support/daemon.ts';

const root = join(import.meta.dirname, '../..');
const base = temporaryDirectory();
const workspace = join(base, 'workspace');
const installed = join(base, 'prefix/node_modules/contextd');
const entry = join(installed, packageJson.bin.contextd);

/** Another name for each file, or a copy where the file system differs; what is for other platforms is not there. */
function linkTree(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name !== 'node_modules') linkTree(source, target);
    if (!entry.isFile()) continue;
    try {
      linkSync(source, target);
    } catch {
      copyFileSync(source, target);
    }
  }
}

beforeAll(() => {
  const clone = join(base, 'clone');
  const files = execFileSync('git', ['ls-files', '-z', '--', '.', ':!test', ':!fixtures', ':!docs'], { cwd: root });
  for (const path of `${files}`.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    copyFileSync(join(root, path), join(clone, path));
  }
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  execFileSync('npm', ['pack', '--pack-destination', base], { cwd: clone, stdio: 'pipe' });
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(base, `contextd-${packageJson.version}.tgz`), '--strip-components=1'], {
    cwd: installed,
  });
  // What npm would download: those that are needed to run, and nothing that only a clone has.
  for (const [path, { dev }] of Object.entries(packageLock.packages as Record<string, { dev?: boolean }>))
    if (path !== '' && dev !== true) linkTree(join(root, path), join(base, 'prefix', path));
  mkdirSync(join(workspace, '.context'), { recursive: true });
  writeFileSync(join(workspace, '.context/style.md'), '---\ntrigger: always\n---\nUse tabs.\n');
  writeFileSync(join(workspace, '.ai-context-policy.yaml'), 'ai_context_policy: allow\n');
  writeFileSync(join(workspace, 'a.ts'), "import { b } from './b.ts';\n");
  writeFileSync(join(workspace, 'b.ts'), 'export function b(): number { return 1; }\n');
}, 120_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

it('the package holds the command, which resolves without a daemon', async () => {
  const { code, stdout, stderr } = await runContextd(['resolve', workspace, '--json'], { entry });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ files: [{ name: 'style', state: 'active' }] });
  expect(readFileSync(entry, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/u);
});

it('AP-08 the package holds the schemas, also where users have named them', () => {
  const committed = join(root, 'openapi/schemas');
  for (const place of ['openapi/schemas', 'schemas'])
    for (const name of readdirSync(committed))
      expect(readFileSync(join(installed, place, name), 'utf8')).toBe(readFileSync(join(committed, name), 'utf8'));
});

it('AN-08 the package holds the clients', () => {
  const committed = `${execFileSync('git', ['ls-files', '-z', '--', 'clients'], { cwd: root })}`
    .split('\0')
    .filter(Boolean);
  expect(committed.length).toBeGreaterThan(4);
  for (const path of committed)
    expect(readFileSync(join(installed, path), 'utf8')).toBe(readFileSync(join(root, path), 'utf8'));
});

it('the package holds the daemon with its workers and its console', async () => {
  await using daemon = await startDaemon({ grantRoots: [workspace], entry });
  const resolved = await daemon.request('/v1/context/resolve', {
    body: { mountedDirectory: workspace, budget: { maxTokens: 100 } },
  });
  expect(resolved).toMatchObject({ status: 200, body: { files: [{ name: 'style' }] } });
  const retrieved = await daemon.request('/v1/retrieve', {
    body: { mountedDirectory: workspace, activeDocument: { path: 'a.ts' } },
  });
  expect(retrieved).toMatchObject({ status: 200, body: { items: [{ origin: 'import', relativePath: 'b.ts' }] } });
  const page = await daemon.request('/');
  expect(page.status).toBe(200);
  const [, script = ''] = /src="([^"]+\.js)"/u.exec(page.text) ?? [];
  expect((await daemon.request(script)).status).toBe(200);
  expect((await daemon.request('/openapi.json')).status).toBe(200);
});

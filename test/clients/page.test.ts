/** What docs/write-a-client.md says of the clients, and its lines that ask by hand, run as they are written there. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { clientsDirectory, createPlace, isInstalled } from './client-program.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/write-a-client.md'), 'utf8');
const place = createPlace('.local/state/contextd');
afterAll(() => place.remove());

it.runIf(isInstalled('curl', '--version'))('AN-08 the page asks in a shell with the token that it finds', () => {
  const [, script = ''] = /^```sh\n([\s\S]*?)^```$/mu.exec(page) ?? [];
  const lines = script
    .replaceAll('/home/ada/shop', place.project.replaceAll("'", "'\\''"))
    .replace('--no-buffer', '--no-buffer --max-time 1');
  const { stdout } = spawnSync('sh', ['-c', lines], { env: place.env, encoding: 'utf8' });
  expect(stdout).toContain('Prices are in cents.');
  expect(stdout).toMatch(/id: \S+-\d+\n/u);
});

it('AN-08 the page names clients that are there, and a client is short', () => {
  const named = [...page.matchAll(/`clients\/([\w./]+)`/gu)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((path) => !existsSync(join(clientsDirectory, path)))).toEqual([]);
  const files = readdirSync(clientsDirectory, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((path) => /\.\w+$/u.test(path) && path !== 'typescript/types.ts');
  expect(sources.length).toBeGreaterThan(4);
  const lines = (path: string) => readFileSync(join(clientsDirectory, path), 'utf8').trimEnd().split('\n').length;
  expect(sources.filter((path) => lines(path) > 160)).toEqual([]);
});

/** Rules of an own kind, named by `includeFiles` with a trigger, on a real disk and by a real daemon (CC-12, CC-24). */
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { runContextd, type TestDaemon } from '../support/daemon.ts';
import { shareDaemon } from '../support/shared-daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const daemonFor = shareDaemon();

let project: string;
beforeEach(() => {
  project = temporaryDirectory();
});

const write = (path: string, content: string | Uint8Array) => writeTree(project, { [path]: content });
const configure = (value: object) => write('.context/context-config.json', JSON.stringify(value));

async function resolve(daemon: TestDaemon, files: string[] = []): Promise<ResolveResult> {
  const { status, body } = await daemon.request('/v1/context/resolve', { body: { mountedDirectory: project, files } });
  expect(status).toBe(200);
  return body as ResolveResult;
}
const shown = ({ files }: ResolveResult) =>
  files.map(({ relativePath, trigger, state }) => `${relativePath} ${trigger} ${state}`);

describe('files that includeFiles names', () => {
  it('CC-12 CC-24 apply as their entry says, without an extension and without a change in them', async () => {
    write('.myairules', 'Use tabs.');
    write('CONVENTIONS', '# Names\n\nNo abbreviations.');
    write('docs/ts', 'No any.');
    configure({
      clientContext: {
        includeFiles: [
          { pattern: '.myairules', trigger: 'always' },
          { pattern: 'docs/ts', trigger: 'auto', globs: ['*.ts'] },
          'CONVENTIONS',
        ],
      },
    });
    const daemon = await daemonFor(project);
    const result = await resolve(daemon, ['src/a.ts']);
    expect(result.warnings).toEqual([]);
    expect(shown(result).sort()).toEqual([
      '.myairules always active',
      'CONVENTIONS manual available',
      'docs/ts auto active',
    ]);
    expect(result.files.find(({ relativePath }) => relativePath === '.myairules')?.content).toBe('Use tabs.');
    expect(shown(await resolve(daemon, ['src/a.py']))).toContain('docs/ts auto available');

    // What is changed is what the next answer says.
    configure({ clientContext: { includeFiles: [{ pattern: '.myairules', trigger: 'manual' }] } });
    expect(shown(await resolve(daemon))).toEqual(['.myairules manual available']);
    write('.myairules', '---\ntrigger: always\n---\nUse spaces.');
    expect(shown(await resolve(daemon))).toEqual(['.myairules always active']);
  });

  it('CC-09 CC-24 what an entry lacks, and what is no text, is said with its place', async () => {
    write('.myairules', new Uint8Array([0, 1, 2, 255]));
    write('rules', 'Rules.');
    write(
      '.context/context-config.json',
      `{ "clientContext": { "includeFiles": [
  { "pattern": ".myairules", "trigger": "always" },
  { "pattern": "rules", "trigger": "auto" },
  { "trigger": "always" },
  { "pattern": "rules", "trigger": "sometimes" }
] } }`,
    );
    const daemon = await daemonFor(project);
    const { files, excluded, warnings } = await resolve(daemon);
    expect(files.map(({ relativePath, state }) => `${relativePath} ${state}`)).toEqual(['rules available']);
    expect(excluded).toContainEqual(
      expect.objectContaining({
        path: join(project, '.myairules'),
        reason: expect.objectContaining({ code: 'binary' }),
      }),
    );
    expect(warnings.map(({ code, line }) => `${code} ${line}`)).toEqual([
      'invalid_config_value 3',
      'invalid_config_value 4',
      'invalid_config_value 5',
    ]);
    const { stdout } = await runContextd(['check', project, '--json']);
    const found = (JSON.parse(stdout) as { diagnostics: { code: string; line: number }[] }).diagnostics;
    expect(found.map(({ code, line }) => `${code} ${line}`)).toEqual(
      expect.arrayContaining(['invalid_config_value 3', 'invalid_config_value 4', 'invalid_config_value 5']),
    );
  });
});

/** Files that a repository makes to hold the daemon: it answers others while it reads them (S-52, S-58). */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, sendRequest, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { tellMeasured } from '../support/measured.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const workspace = temporaryDirectory();
const innocent = temporaryDirectory();
const write = (path: string, text: string, directory = workspace) => writeTree(directory, { [path]: text });
const settingsLength = 256 * 1024;
const sourceLength = 1024 * 1024;
const fill = (length: number, unit: string, [before, after] = ['', '']): string =>
  before + unit.repeat(Math.floor((length - before.length - after.length) / unit.length)) + after;

/** A file that freezes the daemon does so for many seconds; machines with other tests beside are late by themselves. */
const maxHeldMs = 3_000;

const deep = Array.from({ length: 12 }, (_, level) => 'd/'.repeat(level + 1));
const beside = Array.from({ length: 21 }, (_, index) => `s${index}/`);
const documents: Record<string, string> = {
  'a.ts': "import { x } from 'b';\n",
  'a.py': 'import b.c\n',
  'a.go': 'package a\nimport "ex.com/m/b"\nvar x = b.Y\n',
  'a.rs': 'use crate::b::C;\nmod b;\n',
  'A.java': 'package a;\nimport static b.Base.make;\nclass A extends Other {}\n',
  'a.cpp': '#include "b.h"\nint x = b();\n',
  'A.cs': 'using static c.B;\nnamespace a;\nclass A : B { void M() { C(); d.E(); } }\n',
  'a.rb': "require 'b'\nB.x\n",
};

beforeAll(async () => {
  for (const directory of ['', ...deep.slice(0, 4)]) write(`${directory}.gitignore`, fill(65_000, ' ', ['a', 'x']));
  for (const directory of deep.slice(0, 6))
    write(`${directory}.ai-context-policy.yaml`, fill(settingsLength, '\\x', ['a: "', '"']));
  for (const directory of deep.slice(6, 9))
    write(`${directory}.context/config.yaml`, fill(settingsLength, '\\x', ['a: "', '"']));
  for (const directory of deep.slice(9)) write(`${directory}.context/config.yaml`, fill(settingsLength, '- "\\x"\n'));
  // As much as is read of YAML: 41 more of the two.
  for (const [index, directory] of beside.entries()) {
    write(`${directory}.context/config.yaml`, fill(settingsLength, '- {a: b}\n'));
    if (index > 0) write(`${directory}.ai-context-policy.yaml`, fill(settingsLength, '- [{}, {}]\n'));
  }
  for (const name of ['a', 'b', 'c'])
    write(`.context/${name}.md`, `---\n${fill(16_000, '\\x', ['a: "', '"'])}\n---\nx`);
  write('package.json', JSON.stringify({ workspaces: [`${'/'.repeat(200_000)}a`] }));
  write('pnpm-workspace.yaml', fill(64_000, '{? ', ['', fill(21_000, '}')]));
  write(
    'p/pnpm-workspace.yaml',
    `a: {? ${'{? '.repeat(12)}b${'}'.repeat(12)} : 1}\n${fill(settingsLength, '{a: b}: c\n')}`,
  );
  write('p/package.json', JSON.stringify({ name: 'p', workspaces: ['*'] }));
  write('lerna.json', fill(settingsLength, '['));
  write('tsconfig.json', fill(settingsLength, '['));
  write('go.mod', fill(settingsLength, '/', ['module ex.com/m\n', '\r']));
  write('go.work', fill(settingsLength, ' ', ['use (', 'x']));
  write('Cargo.toml', fill(settingsLength, '_', ['[package]\n', '!']));
  write('pyproject.toml', fill(settingsLength, ' ', ['packages', 'x']));
  write('setup.cfg', fill(settingsLength, ' ', ['where', '!']));
  write('CMakeLists.txt', fill(settingsLength, '$<', ['include_directories(', ')']));
  write('compile_commands.json', fill(settingsLength, '['));
  write('x.gemspec', fill(settingsLength, '.require_paths = ['));
  write('pom.xml', fill(settingsLength, '<module>'));
  write('settings.gradle', fill(settingsLength, "include 'a',"));
  write('b/Base.java', fill(sourceLength, 'a', ['package b; class Base extends ', ' { }']));
  write('b/Other.java', fill(sourceLength, 'class a '));
  write('A.csproj', fill(settingsLength, '<ProjectReference Include="'));
  write('Directory.Build.props', fill(settingsLength, '<Using '));
  write('_Imports.razor', fill(sourceLength, ' ', ['@using', 'x']));
  write('c/B.cs', fill(sourceLength, 'a', ['namespace c; class B { static void ', ' (this']));
  write('c/Other.cs', fill(sourceLength, 'class a '));
  write('c/GlobalUsings.cs', fill(sourceLength, 'global using a;\n'));
  write('b.rs', fill(sourceLength, '#[path="a"] '));
  write('b.h', fill(sourceLength, ' ', ['#include', 'x']));
  write('b.rb', fill(sourceLength, 'B '));
  write('b/b.go', fill(sourceLength, 'a,', ['package b\nvar ', '']));
  for (const [path, text] of Object.entries(documents)) {
    for (const directory of [workspace, innocent]) {
      write(path, text, directory);
      write(`p/${path}`, text, directory);
    }
  }
});

/** The longest that others wait for `/health` until the work is done, in milliseconds. */
async function waitWhile(daemon: TestDaemon, work: () => Promise<Answer>): Promise<{ ms: number; answer: Answer }> {
  let ms = 0;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      const before = performance.now();
      await sendRequest(`${daemon.url}/health`);
      ms = Math.max(ms, performance.now() - before);
      await delay(2);
    }
  })();
  const answer = await work().finally(() => {
    isDone = true;
  });
  await watching;
  return { ms, answer };
}

const asked: [what: string, path: string, body: object][] = [
  [
    'resolving',
    '/v1/context/resolve',
    { files: [`${deep.at(-1)}a.ts`, 'a.ts', ...beside.map((each) => `${each}a.ts`)] },
  ],
  ['listing files', '/v1/workspace/files/search', { query: 'a', limit: 10 }],
  ['checking', '/v1/config/validate', {}],
  ['searching', '/v1/search', { query: 'base' }],
  ...Object.keys(documents).flatMap((path) =>
    [path, `p/${path}`].map((document): (typeof asked)[number] => [
      `what belongs to ${document}`,
      '/v1/retrieve',
      { activeDocument: { path: document }, query: 'base' },
    ]),
  ),
];

describe('files of a repository', () => {
  it('S-52 S-58 86 that were made for it keep nobody from an answer', async (context) => {
    await using daemon = await startDaemon({ grantRoots: [workspace, innocent] });
    // What is loaded at first need is not the fault of a file.
    for (const [, path, body] of asked) await daemon.request(path, { body: { mountedDirectory: innocent, ...body } });
    const waits: { what: string; ms: number; status: number; text: string }[] = [];
    for (const [what, path, body] of asked) {
      const request = () =>
        until(async () => {
          const answer = await daemon.request(path, { body: { mountedDirectory: workspace, ...body } });
          return answer.status === 503 ? undefined : answer;
        });
      const { ms, answer } = await waitWhile(daemon, request);
      waits.push({ what, ms: Math.round(ms), status: answer.status, text: answer.text.slice(0, 200) });
    }
    waits.sort((a, b) => b.ms - a.ms);
    tellMeasured(context, `/health waited: ${waits.map(({ what, ms }) => `${what} ${ms} ms`).join(', ')}`);
    expect(waits.filter(({ ms, status }) => ms > maxHeldMs || status !== 200)).toEqual([]);
  }, 300_000);
});

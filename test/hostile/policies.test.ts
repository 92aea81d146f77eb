/** Whatever lies where a policy should: nothing hangs, and nothing below is let through (AP-04, S-39 … S-41, S-49, S-52, S-58, S-63). */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createNodeFiles } from '../../src/adapters/files/node-files.ts';
import { createEngine, type Engine } from '../../src/engine.ts';
import { defaultEngineSettings } from '../../src/settings.ts';
import { startProcessorClock } from '../support/expect-quick.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';
import { plainTokenCounter, silentLogger } from '../support/workspace.ts';

let base: string;
let engine: Engine;

async function openEngine(followSymlinks: boolean): Promise<Engine> {
  return createEngine({
    ports: {
      files: createNodeFiles({ homeDirectory: join(base, 'home') }),
      clock: createSystemClock(),
      store: createMemoryStore(),
      logger: silentLogger,
      tokenCounter: plainTokenCounter,
    },
    settings: { ...defaultEngineSettings, followSymlinks },
    grantedRoots: [join(base, 'ws')],
  });
}

beforeEach(async () => {
  base = temporaryDirectory();
  write('ws/.context/a.md', 'A.');
  engine = await openEngine(false);
});
afterEach(() => engine.dispose());

const write = (path: string, text: string | Uint8Array) => writeTree(base, { [path]: text });

const policy = 'ws/.ai-context-policy.yaml';
/** Of the processor. What hangs for ever ends with the time of the test. */
const boundMs = 5_000;

async function expectBlocked(): Promise<void> {
  const spentMs = startProcessorClock();
  const { files, excluded, warnings } = await engine.resolve({ mountedDirectory: join(base, 'ws') });
  expect(files).toEqual([]);
  expect(excluded.find(({ path }) => path.endsWith('a.md'))?.reason.code).toBe('blocked_by_policy');
  expect(warnings.map(({ path }) => path)).toContain(join(base, policy));
  expect(spentMs()).toBeLessThan(boundMs);
}

const hostile: Record<string, () => void> = {
  'a pipe that nobody writes to': () => void execFileSync('mkfifo', [join(base, policy)]),
  'a directory': () => void mkdirSync(join(base, policy)),
  'a link to a policy that allows': () => {
    write('ws/allow.yaml', 'ai_context_policy: allow\n');
    symlinkSync('allow.yaml', join(base, policy));
  },
  'a link to one outside': () => {
    write('out/allow.yaml', 'ai_context_policy: allow\n');
    symlinkSync(join(base, 'out/allow.yaml'), join(base, policy));
  },
  'a link to itself': () => symlinkSync('.ai-context-policy.yaml', join(base, policy)),
  'a link to nothing': () => symlinkSync('nothing', join(base, policy)),
  'a link to a device': () => symlinkSync('/dev/zero', join(base, policy)),
  'ten gigabytes of nothing': () => {
    write(policy, 'ai_context_policy: allow\n');
    truncateSync(join(base, policy), 10 * 1024 ** 3);
  },
  '100,000 patterns': () => write(policy, `ai_context_policy: allow\nexclude:\n${'- a\n'.repeat(100_000)}`),
  'as many patterns as fit': () => write(policy, `ai_context_policy: allow\nexclude:\n${'- a\n'.repeat(50_000)}`),
  'a billion laughs': () => {
    const lines = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n},`.repeat(9)}]`);
    write(policy, `l0: &l0 [x]\n${lines.join('\n')}\nai_context_policy: allow\n`);
  },
  'brackets without end': () => write(policy, `ai_context_policy: allow\nexclude: ${'['.repeat(200_000)}`),
  'indentation without end': () =>
    write(policy, Array.from({ length: 500 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')),
  'a line without end': () => write(policy, `ai_context_policy: allow # ${'x'.repeat(262_000)}\nexclude: [a`),
  'a merge key': () => write(policy, '<<: {ai_context_policy: allow}\nai_context_policy: block\n'),
  'a tag': () => write(policy, 'ai_context_policy: !!js/function "function () { process.exit() }"\n'),
  'a prototype': () => write(policy, '__proto__: {ai_context_policy: allow}\n'),
  'UTF-16': () => write(policy, Buffer.from('\uFEFFai_context_policy: allow\n', 'utf16le')),
};

it.each(Object.keys(hostile))('AP-04 S-63 %s blocks, in time', async (name) => {
  hostile[name]?.();
  await expectBlocked();
});

it.each(Object.keys(hostile).filter((name) => name.startsWith('a link')))(
  'AP-04 S-39 %s blocks also where links are followed',
  async (name) => {
    await engine.dispose();
    engine = await openEngine(true);
    hostile[name]?.();
    await expectBlocked();
  },
);

it('S-52 64 of the worst patterns on the longest paths cost little, and in doubt block', async () => {
  const worst = '{**/,*/}{**/,*/}{**/,*/}'.padEnd(500, '*a');
  write(policy, `ai_context_policy: allow\nexclude:\n${`  - "${worst}x"\n`.repeat(64)}`);
  const deep = `${'a'.repeat(200)}/`.repeat(15);
  for (let n = 0; n < 200; n += 1) write(`ws/.context/${deep}${'a'.repeat(100)}${n}.md`, 'A.');
  const spentMs = startProcessorClock();
  const { files, excluded } = await engine.resolve({ mountedDirectory: join(base, 'ws') });
  expect(spentMs()).toBeLessThan(2 * boundMs);
  expect(files.length + excluded.length).toBeGreaterThanOrEqual(200);
});

it('S-58 many policies that take long to read cost no more than a few', async () => {
  const text = `ai_context_policy: allow\nexclude: [${'a, '.repeat(63)}a]\nx:\n${'  - [a, b]\n'.repeat(1_300)}`;
  let place = 'ws';
  for (let n = 0; n < 30; n += 1) {
    place = `${place}/d${n}`;
    write(`${place}/.ai-context-policy.yaml`, `${text}# ${n}\n`);
    write(`${place}/.ai-context-policy.yml`, `${text}# ${n}.\n`);
    write(`${place}/.context/a.md`, 'A.');
  }
  const spentMs = startProcessorClock();
  await engine.resolve({ mountedDirectory: join(base, 'ws'), workingDirectory: place.slice(3) });
  expect(spentMs()).toBeLessThan(2 * boundMs);
});

it('S-63 policies by the thousand are listed and checked in time', async () => {
  for (let n = 0; n < 3_000; n += 1)
    write(`ws/m/${n}/.ai-context-policy.yaml`, n % 2 ? '{' : 'ai_context_policy: allow\n');
  const spentMs = startProcessorClock();
  const { policies, warnings } = await engine.policy.list(join(base, 'ws'));
  const paths = Array.from({ length: 3_000 }, (_, n) => `m/${n}/x.ts`);
  const { decisions } = await engine.policy.check({ mountedDirectory: join(base, 'ws'), paths });
  expect(spentMs()).toBeLessThan(3 * boundMs);
  expect(policies).toHaveLength(2_000);
  expect(warnings.map(({ code }) => code)).toContain('limit_policies');
  // What there was no time for is blocked, never let through.
  for (const [index, { allowed }] of decisions.entries()) if (index % 2) expect(allowed).toBe(false);
});

/**
 * CC-36 under fire: whatever happens on a real disk, a long-living engine answers at once like one that has never seen
 * anything. One has a clock that runs an hour ahead, so that it takes every signature for settled and lives on its caches.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createKernelLeases } from '../../src/adapters/files/kernel-leases.ts';
import { createNodeFiles } from '../../src/adapters/files/node-files.ts';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import { createEngine, type Engine } from '../../src/engine.ts';
import { ContextdError } from '../../src/errors.ts';
import { freezeWhole } from '../../src/pace/frozen.ts';
import type { Clock, Files, Leases } from '../../src/ports/ports.ts';
import { defaultEngineSettings } from '../../src/settings.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { sized } from '../support/test-size.ts';
import { plainTokenCounter, silentLogger } from '../support/workspace.ts';

const base = temporaryDirectory();

const owners = ['', 'src/', 'src/app/', 'docs/', '../home/'];
const names = ['a.md', 'b.mdc', 'c.txt', 'sub/a.md', 'sub/deep/d.md', '.env', 'config.json', 'config.yaml'];
const files = [
  ...owners.flatMap((owner) => names.map((name) => `${owner}.context/${name}`)),
  ...['src/.context/context-config.json', 'docs/guide.md', 'docs/more/x.md', 'src/app/notes.md'],
  ...['CLAUDE.md', 'src/app/CLAUDE.md'],
];
const policies = ['', 'src/', 'src/app/', 'src/app/.context/', 'docs/', '.context/sub/'].flatMap((directory) => [
  `${directory}.ai-context-policy.yaml`,
  `${directory}.ai-context-policy.yml`,
]);
const folders = [...owners.map((owner) => `${owner}.context`), '.context/sub', 'src', 'src/app', 'docs', 'docs/more'];

/** Two of each size, so that a rewrite can keep it. */
const contents = [
  'One rule.\n',
  'Two rule.\n',
  '---\nalwaysApply: true\n---\nBody A\n',
  '---\nalwaysApply: true\n---\nBody B\n',
  '---\nglobs: "src/**"\n---\nBody C\n',
  '---\nglobs: "docs/*"\n---\nBody C\n',
  '---\ntrigger: manual\n---\n\u202e!\n',
  '---\npriority: [\n---\n',
  '',
  'See @docs/guide.md @docs/more/x.md\n',
  'See @../app/notes.md @../../docs/x\n',
  '{"includeFiles":["docs/**"]}',
  '{"excludeFiles":["**/a.*"]}',
  '{"clientContext":{"ignoreGlobalContext":true}}',
  '{"clientContext":{"ignoreAncestorContext":true}}',
  '{"clientContext":',
  'clientContext:\n  includeFiles:\n    - "src/app/*.md"\n',
  'clientContext:\n  excludeFiles:\n    - "**/sub/**"\n\n',
];

/** Two of one size. */
const policyTexts = [
  'ai_context_policy: allow\n',
  'ai_context_policy: block\n',
  'ai_context_policy: allow\nexclude: ["**/a.*"]\n',
  'ai_context_policy: block\nexclude: ["**/a.*"]\n',
  'exclude: ["**/*.mdc"]\n',
  '{',
];

const policy = fc.constantFrom(...policies);
const file = fc.constantFrom(...files);
const folder = fc.constantFrom(...folders);
const content = fc.constantFrom(...contents);
const operation = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('write'), path: policy, content: fc.constantFrom(...policyTexts) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'rewrite'), path: policy }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('rename', 'link'), path: policy, to: policy }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write'), path: file, content }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('rewrite'), path: file }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replace'), path: file, content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove'), path: file }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), path: folder }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename'), path: file, to: file }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rename'), path: folder, to: folder }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('folder'), path: folder }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('chmod'), path: file, mode: fc.constantFrom(0o600, 0o644, 0) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('link'), path: file, to: file }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('link'), path: folder, to: folder }) },
);
type Operation = { kind: string; path: string; to?: string; content?: string; mode?: number };

/** What cannot be done, such as a rename of what is not there, is left undone. */
function perform(project: string, { kind, path: relative, to: other, content: text = '', mode = 0 }: Operation): void {
  const path = join(project, relative);
  const to = join(project, other ?? relative);
  // Nothing here may reach, through a link, what lies outside.
  const makeParent = (of: string): void => void mkdirSync(dirname(of), { recursive: true });
  try {
    if (kind === 'folder') mkdirSync(path, { recursive: true });
    else if (kind === 'write') {
      makeParent(path);
      writeFileSync(path, text);
    } else if (kind === 'replace') {
      makeParent(path);
      writeFileSync(`${path}.tmp`, text);
      renameSync(`${path}.tmp`, path);
    } else if (kind === 'rewrite') {
      const { atime, mtime, size } = statSync(path);
      const same = [...contents, ...policyTexts].filter((each) => each.length === size);
      const now = readFileSync(path, 'utf8');
      writeFileSync(path, same.find((each) => each !== now) ?? '#'.repeat(size));
      utimesSync(path, atime, mtime);
    } else if (kind === 'remove') rmSync(path, { recursive: true });
    else if (kind === 'rename') {
      makeParent(to);
      renameSync(path, to);
    } else if (kind === 'chmod') chmodSync(path, mode);
    else {
      makeParent(path);
      rmSync(path, { recursive: true, force: true });
      symlinkSync(to, path);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

const systemClock = createSystemClock();
const hourAhead: Clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 };

/** `leases`: takes leases, and counts in it how often one was valid. */
type EngineChoices = { clock: Clock; followSymlinks: boolean; leases?: { held: number } };

function newEngine(project: string, { clock, followSymlinks, leases }: EngineChoices): Promise<Engine> {
  const files = createNodeFiles();
  return createEngine({
    ports: {
      files,
      leases: leases && countedLeases(files, leases),
      clock,
      store: createMemoryStore(),
      logger: silentLogger,
      tokenCounter: plainTokenCounter,
    },
    settings: { ...defaultEngineSettings, followSymlinks, globalContextPath: join(project, '../home') },
    grantedRoots: [project],
  });
}

function countedLeases(files: Files, counted: { held: number }): Leases | undefined {
  const leases = createKernelLeases(files);
  return (
    leases && {
      ...leases,
      async hold(looks) {
        const isValid = await leases.hold(looks);
        if (isValid) counted.held += 1;
        return isValid;
      },
    }
  );
}

const fields: Omit<ResolveRequest, 'mountedDirectory'>[] = [
  { files: ['src/app/x.ts', 'docs/guide.md'] },
  { workingDirectory: 'src/app', mentions: ['a', 'c'] },
  {},
];

async function answer(engine: Engine, request: ResolveRequest): Promise<string> {
  try {
    return JSON.stringify(await engine.resolve(request));
  } catch (error) {
    if (error instanceof ContextdError) return error.code;
    throw error;
  }
}

/** Waits until the clock of the file system has moved on: within one tick two writes can look the same. */
function nextTick(probe: string): void {
  writeFileSync(probe, '');
  const { ctimeMs } = lstatSync(probe);
  while (lstatSync(probe).ctimeMs === ctimeMs) writeFileSync(probe, 'x');
}

const runsOfChanges = sized(5, 200, 2);

it(
  'CC-36 answers after every change like an engine that has never seen anything',
  async () => {
    let runs = 0;
    let changed = 0;
    const leases = { held: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 50, maxLength: 50, size: 'max' }),
        fc.boolean(),
        async (operations, followSymlinks) => {
          runs += 1;
          const project = join(base, String(runs), 'project');
          const probe = join(base, String(runs), 'probe');
          mkdirSync(join(project, 'src/app'), { recursive: true });
          mkdirSync(join(project, '../home'), { recursive: true });
          perform(project, { kind: 'write', path: '.context/a.md', content: 'One rule.\n' });
          const honest = await newEngine(project, { clock: systemClock, followSymlinks });
          const trusting = await newEngine(project, { clock: hourAhead, followSymlinks });
          const leasing = await newEngine(project, { clock: hourAhead, followSymlinks, leases });
          let before = '';
          // Of a request that cannot change, more is remembered.
          const requests = fields.map((each) => freezeWhole({ mountedDirectory: project, ...each }));
          for (const [index, each] of operations.entries()) {
            nextTick(probe);
            perform(project, each);
            const request = requests[Math.floor(index / 17) % requests.length] as ResolveRequest;
            const atOnce = await answer(leasing, request);
            const fresh = await newEngine(project, { clock: systemClock, followSymlinks });
            const expected = await answer(fresh, request);
            expect(atOnce, JSON.stringify(each)).toBe(expected);
            expect(await answer(trusting, request), JSON.stringify(each)).toBe(expected);
            // The third takes a lease for the next change to end.
            for (let again = 0; again < 4; again += 1) expect(await answer(leasing, request)).toBe(expected);
            if (index % 5 === 0) expect(await answer(honest, request), JSON.stringify(each)).toBe(expected);
            if (expected !== before) changed += 1;
            before = expected;
            await fresh.dispose();
          }
          await leasing.dispose();
          rmSync(join(base, String(runs)), { recursive: true, force: true });
        },
      ),
      { numRuns: runsOfChanges, seed: 1 },
    );
    // The changes do change answers.
    expect(changed).toBeGreaterThan(runs * 10);
    if (process.platform === 'linux') expect(leases.held).toBeGreaterThan(runs * 10);
  },
  60_000 + runsOfChanges * 3_000,
);

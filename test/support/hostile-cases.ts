/**
 * Runs tables of hostile workspaces against one spawned daemon per test file: every case states the whole outcome, is
 * answered in time and never with a 5xx, and leaves a daemon that still answers, with its descriptors and memory.
 */
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { relative } from 'node:path/posix';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type DaemonOptions, startDaemon, type TestDaemon, until } from './daemon.ts';
import {
  always,
  createHostileBase,
  createHostileTree,
  type HostileTree,
  removeHostileBases,
  removeHostileDirectory,
} from './hostile-workspaces.ts';
import { isTorture } from './test-size.ts';

/** Must never show in an answer or in the log; the environment of the daemon and files outside the workspace hold it. */
export const canary = 'canary-5f1c7';

/** `npm run torture` runs nothing beside it, so that times can be held there, and only of the first answer. */
const promisedMs = 2_000;
/** On a slow or shared machine, where a time can only show what has no bound. */
const hungMs = 10_000;
const maxDescriptorsMore = 5;
/** The daemon runs with a small heap, so that what it holds shows, and what it merely has not yet thrown away does not. */
const heap = '--max-old-space-size=512';
/** Of a flood 10,000 files are read, and kept with what they say. */
const maxMemoryMore = 550 * 1024 * 1024;

/**
 * Paths are relative to `.context` of the workspace (`../x.md` lies beside it); in the global scope they begin with `~/`.
 * What is not named must not be there.
 */
type HostileOutcome = {
  status?: number;
  /** The code of a refusal. */
  code?: string;
  files?: Record<string, 'active' | 'available'>;
  /** Codes of `excluded` by path. */
  excluded?: Record<string, string>;
  /** Codes, in any order; `code path` where the place matters. */
  warnings?: string[];
  /** Bodies of active files. */
  bodies?: Record<string, string>;
};

export type HostileCase = HostileOutcome & {
  /** Begins with the id of the row. */
  name: string;
  /** The tree is fresh, but for an innocent active `.context/good.md`, which must always be delivered unless `alone`. */
  build?: (tree: HostileTree) => void | Promise<void>;
  request?: object | ((tree: HostileTree) => object);
  /** There is no `good.md`, or it must not be delivered. */
  alone?: boolean;
  /** There are too many files to name; `also` counts them. */
  counts?: boolean;
  /** The outcome depends on the machine; `also` says what does not. */
  anything?: boolean;
  /** In `npm run torture`, where limits add up that each take a part of the two seconds, and where more was promised. */
  withinMs?: number;
  also?: (answer: ResolveAnswer, tree: HostileTree, attack: Attack) => void | Promise<void>;
};

type AnsweredFile = {
  path: string;
  state: 'active' | 'available';
  content?: string;
  truncated: boolean;
  name: string;
  bytes: number;
  properties: Record<string, unknown>;
  priority: number;
  trigger: string;
  globs: string[];
};

/** The parts of an answer that cases look at. */
export type ResolveAnswer = {
  status: number;
  code?: string;
  files: AnsweredFile[];
  excluded: { path: string; reason: { code: string; detail?: string } }[];
  warnings: { code: string; message: string; path?: string; line?: number; pointer?: string }[];
  config: { clientContext: Record<string, unknown>; mcpServers: Record<string, unknown> };
  text: string;
};

/** A running daemon with a granted directory in which hostile workspaces are made. */
type Attack = {
  daemon: TestDaemon;
  /** The granted directory. */
  base: string;
  /** A directory that is not granted; `secret.md` in it holds the canary. */
  outside: string;
  tree(name?: string): HostileTree;
  /** Resolves in time, and not with a 5xx. Without `mountedDirectory` that of the tree. */
  resolve(tree: HostileTree, request?: object, withinMs?: number): Promise<ResolveAnswer>;
  send(path: string, body: unknown, options?: { label?: string; withinMs?: number | undefined }): Promise<Answer>;
};

type Figures = { descriptors: number; memory: number };

/** Starts a daemon for this file and checks, when its tests are done, that it is as it was. */
export function attackDaemon(options: DaemonOptions & { grantElse?: string[] } = {}): Attack {
  const attack = {} as Attack;
  const slow: { name: string; ms: number }[] = [];
  let before: Figures;
  let trees = 0;

  beforeAll(async () => {
    const top = createHostileBase();
    const base = `${top}/granted`;
    const outside = `${top}/outside`;
    createHostileTree(outside).write('secret.md', always(canary));
    createHostileTree(`${base}/innocent`).write('.context/good.md', always('good'));
    const grants = (options.grantElse ?? []).map((path) => `${top}/${path}`);
    for (const path of grants) mkdirSync(path, { recursive: true });
    if (options.userId !== undefined) chmodSync(top, 0o755);
    const daemon = await startDaemon({
      ...options,
      nodeOptions: [heap],
      grantRoots: [base, ...grants],
      env: { ...options.env, CANARY: canary, HOSTILE_MARK: `${top}/mark` },
    });
    Object.assign(attack, { base, outside, daemon });
    await resolveInnocent(attack, 20);
    slow.length = 0;
    before = await settledFigures(daemon);
  });

  afterAll(async () => {
    try {
      await expectUnharmed(attack, before, slow);
    } finally {
      await attack.daemon?.stop();
      await removeHostileBases();
    }
  });

  attack.tree = (name) => {
    trees += 1;
    return createHostileTree(`${attack.base}/${name ?? trees}`);
  };
  attack.send = async (path, body, options = {}) => {
    const { label = expect.getState().currentTestName ?? path, withinMs = promisedMs } = options;
    for (let attempt = 1; ; attempt += 1) {
      const start = performance.now();
      const answer = await attack.daemon.request(path, { body });
      const ms = performance.now() - start;
      slow.push({ name: label, ms });
      // The machine may be shared, so that the daemon sheds what comes: once says nothing.
      if (answer.status === 503 && attempt === 1) {
        await delay(1_000);
        continue;
      }
      expect(answer.status, answer.text).toBeLessThan(500);
      expect(answer.text).not.toContain(canary);
      expect(ms, 'too slow').toBeLessThanOrEqual(isTorture ? withinMs : hungMs);
      return answer;
    }
  };
  attack.resolve = async (tree, request = {}, withinMs = undefined) => {
    const body = { mountedDirectory: tree.root, ...request };
    const answer = await attack.send('/v1/context/resolve', body, { withinMs });
    return { ...(answer.body as ResolveAnswer), status: answer.status, text: answer.text };
  };
  return attack;
}

/** A group of cases, each a test; afterwards the daemon must serve an innocent workspace. */
export function attackWith(group: string, attack: Attack, cases: readonly HostileCase[]): void {
  describe(group, () => {
    // As a pair: a `$name` is cut in the title.
    const named = cases.map((each) => [each.name, each] as const);
    it.each(named)('%s', async (_name, each) => {
      const tree = attack.tree();
      try {
        if (!each.alone) tree.write('.context/good.md', always('good'));
        await each.build?.(tree);
        const request = typeof each.request === 'function' ? each.request(tree) : each.request;
        const answer = await attack.resolve(tree, request, each.withinMs);
        if (each.anything) expect(answer.status).toBe(200);
        else expectOutcome(answer, tree, { ...each, home: attack.daemon.home });
        await each.also?.(answer, tree, attack);
      } finally {
        removeHostileDirectory(tree.root);
      }
    });
    afterAll(() => resolveInnocent(attack, 20));
  });
}

/** The whole outcome, compared with what the case states. */
export function expectOutcome(
  answer: ResolveAnswer,
  tree: HostileTree,
  expected: HostileOutcome & { alone?: boolean; counts?: boolean; home?: string },
): void {
  if (expected.status !== undefined && expected.status !== 200) {
    expect({ status: answer.status, code: answer.code }).toEqual({ status: expected.status, code: expected.code });
    return;
  }
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  const home = expected.home ?? '/nowhere';
  const shown = (path: string) =>
    path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : relative(tree.path('.context'), path) || '.';
  // That much text costs much is no finding here.
  const warnings = answer.warnings.flatMap(({ code, path }) => {
    const located = `${code} ${path === undefined ? '' : shown(path)}`;
    return expected.warnings?.includes(located) ? located : code === 'many_tokens' ? [] : code;
  });
  if (expected.counts) {
    // A busy machine may need all of the time that globs have; tests of that limit say so.
    const told = warnings.filter((each) => each !== 'limit_match_time' || expected.warnings?.includes(each));
    expect(told.toSorted()).toEqual(expected.warnings?.toSorted());
    return;
  }
  expect({
    files: Object.fromEntries(answer.files.map(({ path, state }) => [shown(path), state])),
    excluded: Object.fromEntries(answer.excluded.map(({ path, reason }) => [shown(path), reason.code])),
    warnings: warnings.toSorted(),
  }).toEqual({
    files: { ...(expected.alone ? {} : { 'good.md': 'active' }), ...expected.files },
    excluded: expected.excluded ?? {},
    warnings: (expected.warnings ?? []).toSorted(),
  });
  for (const [path, body] of Object.entries(expected.bodies ?? {})) {
    expect(answer.files.find((file) => shown(file.path) === path)?.content, path).toBe(body);
  }
}

/** So many parallel requests for a workspace without tricks: had threads been lost, some would wait for ever. */
export async function resolveInnocent(attack: Attack, times: number): Promise<void> {
  const health = await attack.daemon.request('/health');
  expect(health).toMatchObject({ status: 200, body: { status: 'ok' } });
  const body = { mountedDirectory: `${attack.base}/innocent` };
  const label = `${times} at once for an innocent workspace`;
  const answers = await Promise.all(
    Array.from({ length: times }, () => attack.send('/v1/context/resolve', body, { label })),
  );
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 200, body: { files: [{ content: 'good' }], warnings: [] } });
  }
}

function figuresOf({ process: { child } }: TestDaemon): Figures {
  if (process.platform !== 'linux') return { descriptors: 0, memory: 0 };
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return {
    descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
    memory: Number(/VmRSS:\s*(\d+) kB/u.exec(status)?.[1]) * 1024,
  };
}

/** Once the connections of the last answers are closed, which the daemon notices a little later than the client. */
async function settledFigures(daemon: TestDaemon): Promise<Figures> {
  const sockets = (): number => {
    const { pid } = daemon.process.child;
    if (process.platform !== 'linux') return 0;
    const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return 'gone';
      }
    });
    return targets.filter((target) => target.startsWith('socket:')).length;
  };
  // Those that listen, at the port and in the state directory, and the pipes of standard output and error, which Node makes
  // of sockets.
  await until(() => sockets() <= 5, 10_000);
  return figuresOf(daemon);
}

async function expectUnharmed(attack: Attack, before: Figures, slow: { name: string; ms: number }[]): Promise<void> {
  const { daemon } = attack;
  await resolveInnocent(attack, 20);
  const after = await settledFigures(daemon);
  expect(Math.abs(after.descriptors - before.descriptors)).toBeLessThanOrEqual(maxDescriptorsMore);
  expect(after.memory - before.memory).toBeLessThan(maxMemoryMore);
  expect(existsSync(`${attack.base}/../mark`), 'something was run').toBe(false);
  // One JSON object a line, whatever the names in the workspaces were.
  const { stderr } = daemon.process.output;
  expect(stderr).not.toContain(canary);
  for (const line of stderr.trimEnd().split('\n')) {
    expect(JSON.parse(line)).toMatchObject({
      level: expect.any(Number),
      msg: expect.stringMatching(/^(ready|request|slow request)$/),
    });
  }
  const report = process.env.CONTEXTD_HOSTILE_FIGURES;
  if (report === undefined) return;
  const slowest = slow.toSorted((a, b) => b.ms - a.ms).slice(0, 8);
  appendFileSync(report, `${JSON.stringify({ requests: slow.length, before, after, slowest })}\n`);
}

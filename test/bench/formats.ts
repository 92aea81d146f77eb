/** What it costs to look for rule files of other tools (FM-10), beside the same requests that look for none. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { composeEngine } from '../../src/bin/in-process/compose-engine.ts';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import { defaultEngineSettings } from '../../src/settings.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { silentLogger } from '../support/workspace.ts';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { settleMs } from './throughput.ts';
import { writeChain } from './workspaces.ts';

const rounds = 21;
const requestsPerRound = 50;

const packages = 50;

export async function measureFormats(directory: string): Promise<Figure[]> {
  const chain = writeChain(join(directory, 'without'));
  const monorepo = writeMonorepo(join(directory, 'monorepo'), fiveTools);
  const ofOurs = writeMonorepo(join(directory, 'of-ours'), ours);
  await delay(settleMs);
  const compose = (ignoreFiles: 'all' | 'none' = 'all') =>
    composeEngine({
      settings: { ...defaultEngineSettings, ignoreFiles, globalContextPath: directory },
      store: createMemoryStore(),
      logger: silentLogger,
      grantedRoots: [directory],
    });
  const engine = await compose();
  const unaware = await compose('none');
  const perRequest = async (
    request: ResolveRequest,
    times = requestsPerRound,
    { resolve } = engine,
  ): Promise<number> => {
    const begun = performance.now();
    for (let n = 0; n < times; n += 1) await resolve(request);
    return (performance.now() - begun) / times;
  };
  const first = async (request: ResolveRequest): Promise<number> => {
    await using fresh = { engine: await compose(), [Symbol.asyncDispose]: () => fresh.engine.dispose() };
    const begun = performance.now();
    await fresh.engine.resolve(request);
    return performance.now() - begun;
  };
  const two = { ...monorepo, files: filesIn(7, 8) };
  try {
    return [
      await warm('six directories with context of ours and no file of other tools', chain, { atMost: 1.1 }),
      await warm('two packages of a monorepo with 400 rule files of five tools', two, {}),
      await withoutIgnoreFiles('six directories with context of ours', chain),
      await compare('warm', (request) => perRequest(request, 5), rounds),
      await compare('the first one', first, 7),
    ];
  } finally {
    await unaware.dispose();
    await engine.dispose();
  }

  async function warm(what: string, request: ResolveRequest, bound: { atMost?: number }): Promise<Figure> {
    const all = { ...request, content: false };
    const none = { ...all, formats: 'none' as const };
    await perRequest(all);
    await perRequest(none);
    const pairs = await inTurns(
      rounds,
      () => perRequest(all),
      () => perRequest(none),
    );
    return figureOf({ name: `resolve, warm: ${what}, against formats: none`, unit: 'ms', rounds: pairs, ...bound });
  }

  async function withoutIgnoreFiles(what: string, asked: ResolveRequest): Promise<Figure> {
    const request = { ...asked, content: false };
    const sides = [engine, unaware].map((side) => () => perRequest(request, requestsPerRound, side));
    const [aware, without] = sides as [() => Promise<number>, () => Promise<number>];
    await aware();
    await without();
    const pairs = await inTurns(rounds, aware, without);
    return figureOf({ name: `resolve, warm: ${what}, against ignore files: none`, unit: 'ms', rounds: pairs });
  }

  /** All files of the monorepo apply. Beside them as many of ours, with the same texts. */
  async function compare(
    how: string,
    measure: (request: ResolveRequest) => Promise<number>,
    times: number,
  ): Promise<Figure> {
    const sides = [monorepo, ofOurs].map((request) => ({ ...request, content: false }));
    const [tools, context] = sides as [ResolveRequest, ResolveRequest];
    for (const side of sides) {
      const { files } = await engine.resolve(side);
      const active = files.filter(({ state }) => state === 'active').length;
      if (active !== packages * 8) throw new Error(`${active} of ${packages * 8} files apply`);
    }
    const pairs = await inTurns(
      times,
      () => measure(tools),
      () => measure(context),
    );
    return figureOf({
      name: `resolve, ${how}: all 400 rule files of five tools, against 400 context files of ours`,
      unit: 'ms',
      rounds: pairs,
    });
  }
}

type Write = (path: string, text: string) => void;

/** Eight rule files of a package. */
function fiveTools(write: Write): void {
  write('AGENTS.md', 'Agents.');
  write('CLAUDE.md', 'Claude.');
  write('GEMINI.md', 'Gemini.');
  for (const kind of ['ts', 'css', 'md']) write(`.cursor/rules/${kind}.mdc`, `---\nglobs: **/*.${kind}\n---\n${kind}.`);
  for (const kind of ['a', 'b']) write(`.roo/rules/${kind}.md`, `Roo ${kind}.`);
}

/** As many of ours. */
function ours(write: Write): void {
  for (const kind of ['ts', 'css', 'md'])
    write(`.context/${kind}.md`, `---\ntrigger: auto\nglobs: "**/*.${kind}"\n---\n${kind}.`);
  for (const kind of ['a', 'b', 'c', 'd', 'e']) write(`.context/${kind}.md`, `---\ntrigger: always\n---\n${kind}.`);
}

function writeMonorepo(mountedDirectory: string, writePackage: (write: Write) => void): ResolveRequest {
  for (let n = 0; n < packages; n += 1)
    writePackage((path, text) => {
      const at = join(mountedDirectory, `packages/p${n}`, path);
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, `${text}\nOf package ${n}.\n`);
    });
  return { mountedDirectory, files: filesIn(...Array(packages).keys()) };
}

/** A file of each kind in each of these packages. */
function filesIn(...numbers: number[]): string[] {
  return numbers.flatMap((n) => ['src/a.ts', 'src/b.css', 'src/c.md'].map((path) => `packages/p${n}/${path}`));
}

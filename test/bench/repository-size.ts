/** A resolve costs the directories on the chain, whatever the size of the repository, and reads nothing twice. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createNodeFiles } from '../../src/adapters/files/node-files.ts';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import { createEngine, type Engine, type EngineStatistics } from '../../src/engine.ts';
import { defaultEngineSettings } from '../../src/settings.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { settleMs } from './throughput.ts';
import { writeChain, writeRepositoryFiles } from './workspaces.ts';

const coldRounds = 21;
const warmRounds = 15;
const resolvesPerRound = 50;

type Repository = { engine(): Promise<Engine>; request: ResolveRequest };

export async function measureRepositorySize(directory: string): Promise<Figure[]> {
  const [large, small] = [100_000, 100].map((files): Repository => {
    const mountedDirectory = join(directory, `repository-${files}`);
    const request = writeChain(mountedDirectory);
    writeRepositoryFiles(mountedDirectory, files);
    return { request, engine: () => createBareEngine(mountedDirectory, directory) };
  }) as [Repository, Repository];
  await delay(settleMs);

  const cold = async ({ engine, request }: Repository): Promise<number> => {
    const fresh = await engine();
    const begun = performance.now();
    await fresh.resolve(request);
    const elapsed = performance.now() - begun;
    await fresh.dispose();
    return elapsed;
  };
  for (const repository of [large, small, large, small]) await cold(repository);
  const coldPairs = await inTurns(
    coldRounds,
    () => cold(large),
    () => cold(small),
  );

  const engines = new Map([
    [large, await large.engine()],
    [small, await small.engine()],
  ]);
  const warm = async (repository: Repository): Promise<number> => {
    const engine = engines.get(repository) as Engine;
    const begun = performance.now();
    for (let n = 0; n < resolvesPerRound; n += 1) await engine.resolve(repository.request);
    return (performance.now() - begun) / resolvesPerRound;
  };
  for (const repository of [large, small]) await warm(repository);
  const engine = engines.get(large) as Engine;
  const before = sum(engine.statistics());
  for (let n = 0; n < 100; n += 1) await engine.resolve(large.request);
  const again = sum(engine.statistics()) - before;
  const warmPairs = await inTurns(
    warmRounds,
    () => warm(large),
    () => warm(small),
  );

  const versus = 'in 100,000 files, against 100';
  return [
    figureOf({ name: `first resolve ${versus}`, unit: 'ms', rounds: coldPairs, atMost: 1.2 }),
    figureOf({ name: `warm resolve ${versus}`, unit: 'ms', rounds: warmPairs, atMost: 1.2 }),
    figureOf({
      name: 'reads and parses of 100 warm resolves, against the first',
      unit: 'files',
      rounds: [[again, before]],
      atMost: 0,
    }),
  ];
}

function sum({ filesRead, directoriesListed, filesParsed }: EngineStatistics): number {
  return filesRead + directoriesListed + filesParsed;
}

/** An engine on the real disk. Tokens are guessed: counting them in a worker would hide what the disk costs. */
export function createBareEngine(grantedRoot: string, homeDirectory: string): Promise<Engine> {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const tokenCounter = {
    count: async (texts: readonly string[]) => texts.map((text) => Math.ceil(text.length / 4)),
    dispose() {},
  };
  return createEngine({
    ports: {
      files: createNodeFiles({ homeDirectory }),
      clock: createSystemClock(),
      store: createMemoryStore(),
      logger: quiet,
      tokenCounter,
    },
    settings: defaultEngineSettings,
    grantedRoots: [grantedRoot],
  });
}

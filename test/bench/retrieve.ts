/** What retrieving costs for a long file with many imports, beside a bare script that reads and parses the same files. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createNodeFiles } from '../../src/adapters/files/node-files.ts';
import { createProcessSourceParser } from '../../src/adapters/source/process-source-parser.ts';
import { createWorkerTokenCounter } from '../../src/adapters/workers/worker-token-counter.ts';
import { createTokenCounts } from '../../src/budget/token-counts.ts';
import { createEngine, type Engine } from '../../src/engine.ts';
import type { TokenCounter } from '../../src/ports/ports.ts';
import { assembleItems } from '../../src/retrieval/assemble.ts';
import { defaultEngineSettings } from '../../src/settings.ts';
import { keepAliveClient } from '../support/keep-alive-client.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { startContextd } from './processes.ts';

const importedFiles = 30;
const importedLines = 200;
const activeLines = 1_000;
const rounds = 15;
const warmRuns = 20;

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const freeTokenCounter: TokenCounter = { count: async (texts) => texts.map(() => 1), dispose() {} };

export async function measureRetrieve(directory: string): Promise<Figure[]> {
  const paths = writeWorkspace(directory);
  const sourceParser = createProcessSourceParser();
  const tokenCounter = createWorkerTokenCounter();
  const newEngine = (counter: TokenCounter): Promise<Engine> =>
    createEngine({
      ports: {
        files: createNodeFiles({ homeDirectory: directory }),
        clock: createSystemClock(),
        logger: quiet,
        // The parser goes on; an engine that is done would end it.
        store: createMemoryStore(),
        tokenCounter: counter,
        sourceParser: { ...sourceParser, dispose() {} },
      },
      settings: defaultEngineSettings,
      grantedRoots: [directory],
    });
  const request = { mountedDirectory: directory, activeDocument: { path: 'src/active.ts' } };
  const first = async (): Promise<number> => {
    const engine = await newEngine(freeTokenCounter);
    return timeOf(async () => {
      const { items } = await engine.retrieve(request);
      if (items.length !== importedFiles) throw new Error(`${items.length} items`);
    });
  };
  const bare = (): Promise<number> =>
    timeOf(() => {
      for (const path of paths) {
        const { program } = parseSync(path, readFileSync(path, 'utf8'));
        new Visitor({ CallExpression() {} }).visit(program);
      }
    });
  const [counting, free] = [await newEngine(tokenCounter), await newEngine(freeTokenCounter)];
  const { items } = await counting.retrieve(request);
  const tokenCounts = createTokenCounts(tokenCounter);
  const count = (): Promise<number> =>
    timeOf(async () => {
      for (let run = 0; run < warmRuns; run += 1)
        await assembleItems({ fetched: items, ranked: items }, { encoding: 'o200k_base' }, tokenCounts);
    });
  const warm = (engine: Engine): Promise<number> =>
    timeOf(async () => {
      for (let run = 0; run < warmRuns; run += 1) await engine.retrieve(request);
    });
  // Everything is loaded and compiled before anything is measured.
  for (let run = 0; run < 5; run += 1) {
    await first();
    await bare();
    await warm(counting);
    await warm(free);
    await count();
  }
  const cold = await inTurns(rounds, first, bare);
  const counted = await inTurns(rounds, count, () => warm(counting));
  const again = await inTurns(rounds, async () => (await warm(free)) / warmRuns, first);
  sourceParser.dispose();
  tokenCounter.dispose();
  const what = `retrieve of ${activeLines} lines with ${importedFiles} imports`;
  return [
    figureOf({ name: `first ${what}, against reading and parsing the files`, unit: 'ms', rounds: cold, atMost: 2 }),
    figureOf({ name: `warm ${what}, against the first`, unit: 'ms', rounds: again }),
    await measureTogether(directory),
    figureOf({
      name: `counting tokens in ${warmRuns} warm ones, against all of them`,
      unit: 'ms',
      rounds: counted,
      atMost: 0.1,
    }),
  ];
}

/** One request for all context beside two, for what applies and for what is imported, each over HTTP. */
async function measureTogether(mountedDirectory: string): Promise<Figure> {
  const home = join(mountedDirectory, 'home');
  mkdirSync(home);
  await using contextd = await startContextd(home, mountedDirectory);
  using client = keepAliveClient(contextd, 1);
  const path = 'src/active.ts';
  const whole = (): Promise<unknown> => client.send('POST', '/v1/context', { mountedDirectory, documents: [{ path }] });
  const parts = async (): Promise<void> => {
    await client.send('POST', '/v1/context/resolve', { mountedDirectory, files: [path] });
    await client.send('POST', '/v1/retrieve', { mountedDirectory, activeDocument: { path } });
  };
  const times = (ask: () => Promise<unknown>) => (): Promise<number> =>
    timeOf(async () => {
      for (let run = 0; run < warmRuns; run += 1) await ask();
    });
  for (let run = 0; run < 10; run += 1) {
    await times(whole)();
    await times(parts)();
  }
  return figureOf({
    name: `${warmRuns} warm requests for all context, against resolve and retrieve`,
    unit: 'ms',
    rounds: await inTurns(rounds, times(whole), times(parts)),
    atMost: 1,
  });
}

async function timeOf(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function writeWorkspace(directory: string): string[] {
  mkdirSync(join(directory, 'src'));
  const names = Array.from({ length: importedFiles }, (_, at) => `module${at}`);
  for (const name of names) write(directory, name, functionsOf(name, importedLines));
  const imports = names.map((name) => `import { ${name}1, ${name}2 } from './${name}.ts';\n`).join('');
  writeFileSync(join(directory, 'AGENTS.md'), 'Write short functions. '.repeat(40));
  write(directory, 'active', `${imports}${functionsOf('active', activeLines - importedFiles)}`);
  return ['active', ...names].map((name) => join(directory, 'src', `${name}.ts`));
}

function write(directory: string, name: string, text: string): void {
  writeFileSync(join(directory, 'src', `${name}.ts`), text);
}

/** Functions of ten lines each, such as people write. */
function functionsOf(name: string, lines: number): string {
  return Array.from(
    { length: Math.floor(lines / 10) },
    (_, at) => `/** Adds up what is above a limit, number ${at}. */
export function ${name}${at}(values: readonly number[], limit = ${at}): { total: number; count: number } {
  let total = 0;
  const large = values.filter((value) => value > limit && Number.isFinite(value));
  for (const value of large) {
    total += Math.round(value * 100) / 100;
  }
  return { total, count: large.length };
}

`,
  ).join('');
}

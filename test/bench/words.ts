/** A search by words through a repository, beside a bare loop that reads the same files and looks for the same words. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { createBareEngine } from './repository-size.ts';
import { settleMs } from './throughput.ts';

const count = 10_000;
const filesOfDirectory = 20;
const rounds = 7;
const query = 'where is the session token of a login renewed';
const words = /session|token|login|renewed/giu;
const names = 'order invoice session token parcel login price stock cart refund region branch'.split(' ');

export async function measureWords(directory: string): Promise<Figure[]> {
  writeSources(directory);
  // What was just written is read again each time.
  await delay(settleMs);
  const search = { mountedDirectory: directory, query, automatic: { imports: 'off', search: true } } as const;
  const timed = async (work: () => unknown): Promise<number> => {
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  };
  const newEngine = () => createBareEngine(directory, directory);
  const first = async (): Promise<number> => {
    const engine = await newEngine();
    const elapsed = await timed(() => engine.retrieve(search));
    await engine.dispose();
    return elapsed;
  };
  const bare = () =>
    timed(() => {
      let found = 0;
      for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        for (const _ of readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(words)) found += 1;
      }
      if (found === 0) throw new Error('nothing was found');
    });
  for (let round = 0; round < 2; round += 1) {
    await first();
    await bare();
  }
  const cold = await inTurns(rounds, first, bare);
  const engine = await newEngine();
  await engine.retrieve(search);
  const warm = await inTurns(rounds, () => timed(() => engine.retrieve(search)), bare);
  await engine.dispose();
  const what = `search by words in ${count} files, against reading them all in one loop`;
  return [
    figureOf({ name: `first ${what}`, unit: 'ms', rounds: cold }),
    figureOf({ name: `warm ${what}`, unit: 'ms', rounds: warm }),
  ];
}

function writeSources(directory: string): void {
  for (let file = 0; file < count; file += 1) {
    const folder = join(directory, `src/module-${Math.floor(file / filesOfDirectory)}`);
    if (file % filesOfDirectory === 0) mkdirSync(folder, { recursive: true });
    const lines = Array.from({ length: 40 }, (_, line) => {
      const [one, other] = [names[(file + line) % names.length], names[(file * 7 + line * 3) % names.length]];
      return `export const ${one}${file}Of${line} = (given: string) => ${other}Of(given, ${file * line});`;
    });
    writeFileSync(join(folder, `${names[file % names.length]}-${file}.ts`), `${lines.join('\n')}\n`);
  }
}

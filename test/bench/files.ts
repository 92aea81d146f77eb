/** Finding a file among 100,000 by letters of its path, with a look at every directory, beside the bare library. */
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { go, prepare } from 'fuzzysort';
import { type Figure, figureOf, inTurns, median } from './figures.ts';
import { createBareEngine } from './repository-size.ts';
import { settleMs } from './throughput.ts';
import { writeRepositoryFiles } from './workspaces.ts';

const count = 100_000;
const limit = 100;
const rounds = 5;
const queries = ['file-500', 'module-7/file', 'srcfile77', 'storage file 99', 'packages/server', 'user', 'f9', 'e'];

export async function measureFiles(directory: string): Promise<Figure[]> {
  writeRepositoryFiles(directory, count);
  await delay(settleMs);
  const engine = await createBareEngine(directory, directory);
  const search = (query: string) =>
    engine.supplementary.searchFiles({ mountedDirectory: directory, query, limit }).then(({ files }) => files);
  const timed = async (work: () => unknown): Promise<number> => {
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  };

  const first = await timed(() => search('file-500'));
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const prepared = paths.map((path) => prepare(path));
  const bare = (query: string) => go(query, prepared, { limit, threshold: 0.2 });
  for (const query of queries) {
    await search(query);
    bare(query);
  }

  const loop = monitorEventLoopDelay({ resolution: 1 });
  const pairs: [number, number][] = [];
  for (const query of queries) {
    pairs.push(
      ...(await inTurns(
        rounds,
        () => timed(() => search(query)),
        () => timed(() => bare(query)),
      )),
    );
  }
  loop.enable();
  for (const query of queries) await search(query);
  // The histogram counts a turn when it has ended.
  await delay(5);
  loop.disable();
  await engine.dispose();

  const ours = pairs.map(([each]) => each).sort((a, b) => a - b);
  const theirs = pairs.map(([, each]) => each).sort((a, b) => a - b);
  const p95 = (sorted: readonly number[]) => sorted[Math.ceil(sorted.length * 0.95) - 1] as number;
  const note = `${count} files, each search looks at all ${count / 100} directories first`;
  const bounded = (name: string, [value, baseline]: [number, number], atMost: number): Figure => ({
    name,
    unit: 'ms',
    ours: value,
    baseline,
    ratio: value / baseline,
    rounds: [[value, baseline]],
    note,
    target: `≤ ${atMost} ms`,
    met: value <= atMost,
  });
  return [
    figureOf({ name: 'warm file search, against bare fuzzysort', unit: 'ms', rounds: pairs, note }),
    bounded('… median', [median(ours), median(theirs)], 50),
    bounded('… p95', [p95(ours), p95(theirs)], 50),
    bounded('… longest turn of the event loop', [loop.max / 1e6, Math.max(...theirs)], 50),
    bounded('… the first search, without an index', [first, Math.max(...theirs)], 5_000),
  ];
}

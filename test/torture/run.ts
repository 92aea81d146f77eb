/**
 * `npm run torture`: the tests of faults, kills, damage, floods and life at the size of a release, one after the other; hours.
 * `npm run torture -- faults ends --size 0.1` runs only these, so much of the way from the size of a commit. The results of
 * each run are kept as JSON in `bench-results/`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measuredCommit, measuringMachine } from '../soak/about-run.ts';
import { scriptArguments } from '../soak/script-arguments.ts';
import { countTests, isPassed, readTests, type Test } from './report.ts';

/** `figure` is what the tests hold: figures of docs/threats.md, or rows of its tables. */
type Piece = { figure: string; files: string[] };

const pieces: Record<string, Piece> = {
  guard: { figure: 'figure 1', files: ['routes/guard-pairwise'] },
  requests: { figure: 'figure 2', files: ['routes/fuzz'] },
  kills: {
    figure: 'figure 3, S-68, S-69',
    files: ['hostile/database-kills', 'e2e/session-crash', 'e2e/session-durability'],
  },
  faults: {
    figure: 'figure 4, S-71',
    files: ['hostile/faults', 'hostile/database-faults', 'hostile/failing-disk', 'e2e/disk-full'],
  },
  corruptions: { figure: 'figure 4, S-72', files: ['hostile/database'] },
  reads: { figure: 'figure 5, S-39', files: ['adapters/node-files-hostile'] },
  globs: { figure: 'figure 7, S-52', files: ['globs-picomatch'] },
  trees: { figure: 'figure 6, S-45', files: ['hostile/trees'] },
  contents: { figure: 'S-61, S-62', files: ['context/config-hostile', 'validation/property'] },
  readers: { figure: 'S-52, S-58', files: ['hostile/readers-fuzz', 'regular-expressions', 'e2e/held-files'] },
  drips: { figure: 'S-75', files: ['e2e/slow-clients'] },
  streams: { figure: 'S-77', files: ['e2e/events'] },
  load: { figure: 'figure 8', files: ['e2e/held-load'] },
  servers: { figure: 'figure 9, S-18, S-32', files: ['mcp/trust', 'e2e/mcp-orphans', 'hostile/mcp-floods'] },
  starts: { figure: 'S-73, S-74', files: ['e2e/one-daemon', 'bin/client'] },
  processes: { figure: 'S-79', files: ['e2e/parser-kills', 'adapters/transformers-embedder', 'e2e/search-by-meaning'] },
  ends: { figure: 'S-80, S-81', files: ['e2e/stop-under-load', 'e2e/life'] },
  logs: { figure: 'S-84', files: ['e2e/log'] },
  clock: { figure: 'S-82', files: ['hostile/clock-steps', 'e2e/clock-steps'] },
  changes: { figure: 'CC-36, S-16', files: ['spec/never-stale', 'spec/lasting', 'agent/sessions'] },
};

type Result = { piece: string; figure: string; result: 'pass' | 'FAIL'; durationMs: number; tests: Test[] };

const root = join(import.meta.dirname, '../..');
const usage = `npm run torture -- [piece …] [--size 1]

--size: above 0, at most 1: how much of the way from the size of a commit to that of a release.

${Object.entries(pieces)
  .map(([name, { figure }]) => `  ${name.padEnd(12)}${figure}`)
  .join('\n')}`;
const { values, positionals } = scriptArguments(usage, {
  allowPositionals: true,
  options: { size: { type: 'string', default: '1' } },
});
const strangers = positionals.filter((name) => !(name in pieces));
if (strangers.length > 0) {
  console.error(`There is no ${strangers.join(', ')}. There are ${Object.keys(pieces).join(', ')}.`);
  process.exit(64);
}

const size = Number(values.size);
if (!(size > 0 && size <= 1)) {
  console.error('--size takes a number above 0, at most 1.');
  process.exit(64);
}

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort());

async function run(piece: string, { figure, files }: Piece): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'contextd-'));
  const output = join(directory, 'report.json');
  const names = files.map((file) => `test/${file}.test.ts`);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--no-file-parallelism', '--reporter=json', `--outputFile=${output}`, ...names];
  const startedMs = performance.now();
  try {
    const env = { ...process.env, CONTEXTD_LONG: String(size) };
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
    ending.signal.addEventListener('abort', () => child.kill());
    const [code] = (await once(child, 'exit').catch(() => [null])) as [number | null];
    const tests = readTests(output, { root, files: names });
    const durationMs = Math.round(performance.now() - startedMs);
    return { piece, figure, result: isPassed(code, tests) ? 'pass' : 'FAIL', durationMs, tests };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const time = new Date().toISOString();
const command = ['npm run torture --', ...process.argv.slice(2)].join(' ');
const about = { time, machine: measuringMachine(), commit: measuredCommit(), command, size };
const results: Result[] = [];
const folder = join(root, 'bench-results');
mkdirSync(folder, { recursive: true });
for (const [name, piece] of Object.entries(pieces)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.error(`${name} (${piece.figure}) …`);
  const result = await run(name, piece);
  if (ending.signal.aborted) process.exit(1);
  results.push(result);
  const { passed, skipped } = countTests(result.tests);
  const counts = `${passed} of ${result.tests.length} tests${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  console.log(`${result.result}  ${name.padEnd(12)} ${counts}, ${(result.durationMs / 1000).toFixed(1)} s`);
  for (const { result: outcome, title, measured } of result.tests) {
    if (measured !== undefined) console.log(`      ${measured}`);
    if (outcome === 'failed') console.log(`      failed: ${title}`);
  }
  // What is done is kept when the rest is broken off.
  writeFileSync(join(folder, `torture-${time}.json`), `${JSON.stringify({ ...about, results }, null, 2)}\n`);
}
if (results.some(({ result }) => result === 'FAIL')) process.exitCode = 1;

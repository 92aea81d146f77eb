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
import { type Piece, pieces } from './pieces.ts';
import { countTests, isPassed, readTests, type Test } from './report.ts';

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
    if (code !== 0) console.error(`vitest ended with ${code}`);
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

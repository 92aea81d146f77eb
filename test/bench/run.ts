/**
 * `npm run bench`: figures side by side with a baseline of the same run, because absolute times say little on a shared
 * machine. `npm run bench -- startup globs` measures only these. `--strict` makes a missed target exit code 1; `--readme`
 * puts the figures into docs/measured.md.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measuredCommit, measuringMachine } from '../soak/about-run.ts';
import { type Figure, tableOf } from './figures.ts';
import { updateReadme } from './readme.ts';
import { suites } from './suites.ts';

const args = process.argv.slice(2);
const wanted = args.filter((arg) => arg !== '--strict' && arg !== '--readme');
const strangers = wanted.filter((name) => !(name in suites));
if (strangers.length > 0) {
  console.error(`No such suite: ${strangers.join(', ')}. There are ${Object.keys(suites).join(', ')}.`);
  process.exit(64);
}

async function measureApart(name: string, directory: string): Promise<Figure[]> {
  const child = fork(join(import.meta.dirname, 'suites.ts'), [name, directory]);
  let figures: Figure[] | undefined;
  child.on('message', (sent) => {
    figures = sent as Figure[];
  });
  await once(child, 'exit');
  if (figures === undefined) throw new Error(`${name} ended without figures`);
  return figures;
}

const commit = measuredCommit();
const figures: Figure[] = [];
for (const name of Object.keys(suites)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`measuring ${name} …`);
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'contextd-')));
  try {
    figures.push(...(await measureApart(name, directory)));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

console.log(tableOf(figures));
const time = new Date().toISOString();
const about = { time, commit, machine: measuringMachine() };
const projectDirectory = join(import.meta.dirname, '../..');
const results = join(projectDirectory, 'bench-results');
const command = ['npm run bench', ...(wanted.length > 0 ? ['--', ...wanted] : [])].join(' ');
mkdirSync(results, { recursive: true });
writeFileSync(join(results, `${time}.json`), `${JSON.stringify({ ...about, command, figures }, null, 2)}\n`);
if (args.includes('--readme')) updateReadme(projectDirectory);
if (args.includes('--strict') && figures.some(({ met }) => met === false)) process.exitCode = 1;

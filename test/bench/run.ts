/**
 * `npm run bench`: figures side by side with a baseline of the same run, because absolute times say little on a shared
 * machine. `npm run bench -- startup globs` measures only these. `--strict` makes a missed target exit code 1; `--readme`
 * puts the figures into docs/measured.md.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measuredCommit, measuringMachine } from '../soak/about-run.ts';
import { measureEvents } from './events.ts';
import { type Figure, tableOf } from './figures.ts';
import { measureFiles } from './files.ts';
import { measureFleet } from './fleet.ts';
import { measureFormats } from './formats.ts';
import { measureGlobs } from './globs.ts';
import { measureHook } from './hook.ts';
import { measureLanguageServer } from './language-server.ts';
import { measureMcp } from './mcp.ts';
import { measurePolicy } from './policy.ts';
import { updateReadme } from './readme.ts';
import { measureRepositorySize } from './repository-size.ts';
import { measureRetrieve } from './retrieve.ts';
import { measureSearch } from './search.ts';
import { measureSessions } from './sessions.ts';
import { measureStartup } from './startup.ts';
import { measureThroughput } from './throughput.ts';
import { measureTrust } from './trust.ts';
import { measureWords } from './words.ts';

const suites: Record<string, (directory: string) => Figure[] | Promise<Figure[]>> = {
  startup: measureStartup,
  throughput: measureThroughput,
  repository: measureRepositorySize,
  formats: measureFormats,
  globs: measureGlobs,
  policy: measurePolicy,
  trust: measureTrust,
  events: measureEvents,
  sessions: measureSessions,
  fleet: measureFleet,
  files: measureFiles,
  words: measureWords,
  search: measureSearch,
  retrieve: measureRetrieve,
  mcp: measureMcp,
  hook: measureHook,
  lsp: measureLanguageServer,
};

const args = process.argv.slice(2);
const wanted = args.filter((arg) => arg !== '--strict' && arg !== '--readme');
const strangers = wanted.filter((name) => !(name in suites));
if (strangers.length > 0) {
  console.error(`No such suite: ${strangers.join(', ')}. There are ${Object.keys(suites).join(', ')}.`);
  process.exit(64);
}

const commit = measuredCommit();
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`measuring ${name} …`);
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'contextd-')));
  try {
    figures.push(...(await measure(directory)));
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

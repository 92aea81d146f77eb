/**
 * `node test/bench/readme.ts`: puts the figures of the newest full run of `npm run bench`, of `npm run soak` and of
 * `npm run torture` into the README, between the comments that name them. What was not run yet is left as it is.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from '../soak/checks.ts';
import { countTests } from '../torture/report.ts';
import { type Figure, short } from './figures.ts';

type About = {
  time: string;
  /** Absent where there was no git. */
  commit?: string;
  command: string;
  machine: { node: string; processors: number; model?: string; loadAverage: number[] };
};
export type BenchReport = About & { figures: Figure[] };
export type SoakReport = About & { checks: Check[] };
export type TortureReport = About & {
  size: number;
  results: {
    piece: string;
    figure: string;
    result: string;
    durationMs: number;
    tests: { title: string; result: string }[];
  }[];
};

/** Of a test whose title says how often it did something. */
const repetition =
  /\d (?:changes|connections|entries|faults|generated|kills|looks|more|mutated|objects|pairs|random|started|texts|times)\b/u;

/** Every figure of a run in Markdown, and how many of its targets were met. */
export function figuresInMarkdown({ figures, ...about }: BenchReport): string {
  const withTarget = figures.filter(({ met }) => met !== undefined);
  const met = withTarget.filter((figure) => figure.met);
  const rows = figures.map((figure) => [
    figure.name.trim(),
    `${short(figure.ours)} ${figure.unit}`,
    `${short(figure.baseline)} ${figure.unit}`,
    short(figure.ratio),
    figure.target ?? '',
    figure.met === undefined ? '' : figure.met ? 'pass' : '**MISS**',
  ]);
  return [
    `${met.length} of ${withTarget.length} targets met, ${placeOf(about)}.`,
    '',
    tableOf(['Figure', 'Ours', 'Baseline', 'Ratio', 'Target', ''], rows),
  ].join('\n');
}

/**
 * What was promised beside what was seen: the soak, and of each piece of the torture the newest of the largest runs, with
 * every later failure that no later run as large has answered. Each machine has its own table.
 */
export function proofInMarkdown(soak: SoakReport | undefined, tortures: readonly TortureReport[]): string {
  const rows = [...(soak === undefined ? [] : soakRows(soak)), ...tortureRows(tortures)];
  if (rows.length === 0) return 'Not run yet.';
  const header = ['What', 'Promised or tried', 'Measured', '', 'Date', 'Commit', 'Command'];
  return [...Map.groupBy(rows, ({ about }) => machineOf(about))]
    .map(([machine, own]) => {
      const cells = own.map(({ about, command, told }) => [...told, dayOf(about), commitOf(about), `\`${command}\``]);
      return [`On ${machine}.`, '', tableOf(header, cells)].join('\n');
    })
    .join('\n\n');
}

type Row = { about: About; command: string; told: string[] };

function soakRows(soak: SoakReport): Row[] {
  return soak.checks.map(({ promise, measured, result }) => ({
    about: soak,
    command: soak.command,
    told: ['soak', promise, measured, result === 'pass' ? result : `**${result}**`],
  }));
}

function tortureRows(reports: readonly TortureReport[]): Row[] {
  const runs = reports.flatMap((report) => report.results.map((result) => ({ report, result })));
  return [...Map.groupBy(runs, ({ result }) => result.piece).values()].flatMap((all) =>
    all
      .filter(({ report: { size, time } }) => !all.some(({ report }) => report.time > time && report.size >= size))
      .sort((a, b) => b.report.size - a.report.size)
      .filter(({ result }, at) => at === 0 || result.result !== 'pass')
      .map(({ report, result }) => tortureRow(report, result)),
  );
}

function tortureRow(report: TortureReport, run: TortureReport['results'][number]): Row {
  const { piece, figure, result, tests, durationMs } = run;
  const { passed, skipped } = countTests(tests);
  const omitted = skipped === 0 ? '' : `, ${skipped} skipped`;
  // Titles say how much was tried.
  const tried = tests.map(({ title }) => title.replace(/^(?:.*? )??(?:[A-Z]{1,2}-\d+ )+/u, ''));
  const repeated = tried.filter((title) => repetition.test(title)).slice(0, 3);
  return {
    about: report,
    command: `npm run torture -- ${piece}${report.size === 1 ? '' : ` --size ${report.size}`}`,
    told: [
      `${piece}: ${figure}`,
      (repeated.length === 0 ? tried.slice(0, 1) : repeated).join('; '),
      `${passed} of ${tests.length} tests${omitted} in ${short(durationMs / 1000)} s`,
      result === 'pass' ? `pass${omitted}` : '**FAIL**',
    ],
  };
}

function dayOf({ time }: About): string {
  return time.slice(0, 10);
}

function commitOf({ commit = 'unknown' }: About): string {
  return commit;
}

function placeOf(about: About): string {
  const load = about.machine.loadAverage[0]?.toFixed(1);
  return `${dayOf(about)}, commit ${commitOf(about)}, on ${machineOf(about)}, load ${load} at the end, by \`${about.command}\``;
}

function machineOf({ machine: { node, processors, model } }: About): string {
  return `${processors} processors (${model ?? 'unknown'}), Node.js ${node}`;
}

function tableOf(header: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), `|${' --- |'.repeat(header.length)}`, ...rows.map(line)].join('\n');
}

/** Replaces what lies between `<!-- name -->` and `<!-- /name -->`. Throws where they are missing. */
export function replaceBetween(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`There is no ${start} … ${end} in the README.`);
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`;
}

/** Rewrites the tables of the README from what lies in `bench-results/`. */
export function updateReadme(projectDirectory: string): void {
  const results = join(projectDirectory, 'bench-results');
  const read = <Report>(name: string) => JSON.parse(readFileSync(join(results, name), 'utf8')) as Report;
  const names = existsSync(results) ? readdirSync(results).sort() : [];
  const bench = names
    .filter((name) => /^\d{4}-.*\.json$/u.test(name))
    .map((name) => read<BenchReport>(name))
    .findLast(({ command }) => command === 'npm run bench');
  const soak = names.includes('soak.json') ? read<SoakReport>('soak.json') : undefined;
  const tortures = names.filter((name) => name.startsWith('torture-')).map((name) => read<TortureReport>(name));
  const path = join(projectDirectory, 'README.md');
  let text = readFileSync(path, 'utf8');
  if (bench !== undefined) text = replaceBetween(text, 'figures', figuresInMarkdown(bench));
  if (soak !== undefined || tortures.length > 0) text = replaceBetween(text, 'proof', proofInMarkdown(soak, tortures));
  writeFileSync(path, text);
}

if (import.meta.main) updateReadme(join(import.meta.dirname, '../..'));

/**
 * `node test/bench/readme.ts`: puts the figures of the newest full run of `npm run bench`, of `npm run soak` and of
 * `npm run torture` into docs/measured.md, between the comments that name them. What was not run here is left as it is.
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
    tests: { title: string; result: string; measured?: string }[];
  }[];
};

/** Of a test whose title says how often it did something, to how many, or after each of what. */
const repetition = new RegExp(
  [
    String.raw`\d (?:acknowledged|changes|connections|entries|faults|generated|kills|listeners|looks|more|mutated|objects|pairs|random|started|texts|times)\b`,
    String.raw`\d that never read\b`,
    String.raw`^holds \d`,
    String.raw`\beach (?:byte|step)\b`,
    String.raw`\bafter (?:any|each|every)\b`,
  ].join('|'),
  'u',
);

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
 * every later failure that no later run as large has answered. Each machine has its own table. `before` is what docs/measured.md
 * says of runs whose results do not lie here; of these only the day is known, and what lies here of the same day counts as later.
 */
export function proofInMarkdown(soak: SoakReport | undefined, tortures: readonly TortureReport[], before = ''): string {
  const runs = [
    ...(soak === undefined ? [] : [soakRun(soak)]),
    ...earlierRuns(before),
    ...tortures.flatMap(tortureRuns),
  ];
  if (runs.length === 0) return 'Not run yet.';
  const header = ['What', 'Promised or tried', 'Measured', '', 'Date', 'Commit', 'Command'];
  return [...Map.groupBy(newestOfLargest(runs), ({ machine }) => machine)]
    .map(([machine, own]) =>
      [
        `On ${machine}.`,
        '',
        tableOf(
          header,
          own.flatMap(({ rows }) => rows),
        ),
      ].join('\n'),
    )
    .join('\n\n');
}

/** `time` and `size` say which of the runs of a piece stays; `rows` are the cells of its table. */
type Run = { piece: string; machine: string; time: string; size: number; isPass: boolean; rows: string[][] };

function newestOfLargest(runs: readonly Run[]): Run[] {
  return [...Map.groupBy(runs, ({ piece }) => piece).values()].flatMap((all) =>
    all
      .filter(({ size, time }) => !all.some((other) => other.time > time && other.size >= size))
      .sort((a, b) => b.size - a.size)
      .filter(({ isPass }, at) => at === 0 || !isPass),
  );
}

function soakRun(soak: SoakReport): Run {
  const rows = soak.checks.map(({ promise, measured, result }) => [
    ...['soak', promise, measured, result === 'pass' ? result : `**${result}**`],
    ...[dayOf(soak), commitOf(soak), `\`${soak.command}\``],
  ]);
  const isPass = soak.checks.every(({ result }) => result === 'pass');
  return { piece: 'soak', machine: machineOf(soak), time: soak.time, size: 1, isPass, rows };
}

function tortureRuns(report: TortureReport): Run[] {
  const { size, time, results } = report;
  return results.map((run) => {
    const { piece, figure, result, tests, durationMs } = run;
    const { passed, skipped } = countTests(tests);
    const omitted = skipped === 0 ? '' : `, ${skipped} skipped`;
    // Titles say how much was tried.
    const tried = tests.map(({ title }) => title.replace(/^(?:.*? )??(?:[A-Z]{1,2}-\d+ )+/u, ''));
    const repeated = tried.filter((title) => repetition.test(title)).slice(0, 4);
    const measured = tests.flatMap((test) => test.measured ?? []);
    const row = [
      ...[`${piece}: ${figure}`, (repeated.length === 0 ? tried.slice(0, 1) : repeated).join('; ')],
      [`${passed} of ${tests.length} tests${omitted} in ${short(durationMs / 1000)} s`, ...measured].join('; '),
      ...[result === 'pass' ? `pass${omitted}` : '**FAIL**', dayOf(report), commitOf(report)],
      `\`npm run torture -- ${piece}${size === 1 ? '' : ` --size ${size}`}\``,
    ];
    return { piece, machine: machineOf(report), time, size, isPass: result === 'pass', rows: [row] };
  });
}

/** The runs of a chapter that was written before. */
function earlierRuns(text: string): Run[] {
  const runs: Run[] = [];
  let machine = '';
  for (const line of text.split('\n')) {
    machine = /^On (.*)\.$/u.exec(line)?.[1] ?? machine;
    const cells = line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.replaceAll('\\|', '|'));
    const [what = '', , , result = '', time = '', , command = ''] = cells;
    if (!line.startsWith('| ') || !/^\d{4}-/u.test(time)) continue;
    const piece = what.replace(/:.*/u, '');
    const isPass = result.startsWith('pass');
    const last = runs.at(-1);
    if (piece === 'soak' && last?.piece === 'soak' && last.time === time && last.machine === machine) {
      last.rows.push(cells);
      last.isPass &&= isPass;
    } else {
      const size = Number(/ --size ([\d.]+)/u.exec(command)?.[1] ?? 1);
      runs.push({ piece, machine, time, size, isPass, rows: [cells] });
    }
  }
  return runs;
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
export function replaceBetween(text: string, name: string, replace: (before: string) => string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(start) + start.length, text.indexOf(end)];
  if (from < start.length || to < from) throw new Error(`There is no ${start} … ${end} in docs/measured.md.`);
  return `${text.slice(0, from)}\n\n${replace(text.slice(from, to))}\n\n${text.slice(to)}`;
}

/** Rewrites the tables of docs/measured.md from what lies in `bench-results/`. */
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
  const path = join(projectDirectory, 'docs/measured.md');
  let text = readFileSync(path, 'utf8');
  if (bench !== undefined) text = replaceBetween(text, 'figures', () => figuresInMarkdown(bench));
  text = replaceBetween(text, 'proof', (before) => proofInMarkdown(soak, tortures, before));
  writeFileSync(path, text);
}

if (import.meta.main) updateReadme(join(import.meta.dirname, '../..'));

/** What docs/measured.md says was measured is what was measured. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { figureOf } from './bench/figures.ts';
import { figuresInMarkdown, proofInMarkdown, replaceBetween, type TortureReport } from './bench/readme.ts';

const about = {
  time: '2026-01-05T08:30:00.000Z',
  commit: 'abc1234',
  command: 'npm run bench',
  machine: { node: 'v24.0.0', processors: 2, model: 'Fast', loadAverage: [0.25] },
};

describe('the chapter about what was measured', () => {
  it('is in docs/measured.md', () => {
    const readme = readFileSync(new URL('../docs/measured.md', import.meta.url), 'utf8');
    for (const name of ['figures', 'proof'])
      expect(replaceBetween(readme, name, () => 'new')).toContain(`-->\n\nnew\n\n<!--`);
    expect(() => replaceBetween(readme, 'other', () => '')).toThrow('<!-- other -->');
    // Run where no results lie, it changes nothing.
    expect(replaceBetween(readme, 'proof', (before) => proofInMarkdown(undefined, [], before))).toBe(
      readme.replace(/(?<=<!-- proof -->)\s+|\s+(?=<!-- \/proof -->)/gu, '\n\n'),
    );
  });

  it('shows what was missed, and what has no target', () => {
    const rounds: [number, number][] = [[3, 2]];
    const text = figuresInMarkdown({
      ...about,
      figures: [
        figureOf({ name: 'kept', unit: 'ms', rounds, atMost: 2 }),
        figureOf({ name: 'missed', unit: 'ms', rounds, atMost: 1.2 }),
        figureOf({ name: '  told', unit: 'a|b', rounds }),
      ],
    });
    expect(text.split('\n')).toEqual([
      '1 of 2 targets met, 2026-01-05, commit abc1234, on 2 processors (Fast), Node.js v24.0.0, load 0.3 at the end, by `npm run bench`.',
      '',
      '| Figure | Ours | Baseline | Ratio | Target |  |',
      '| --- | --- | --- | --- | --- | --- |',
      '| kept | 3 ms | 2 ms | 1.5 | ≤ 2 | pass |',
      '| missed | 3 ms | 2 ms | 1.5 | ≤ 1.2 | **MISS** |',
      '| told | 3 a\\|b | 2 a\\|b | 1.5 |  |  |',
    ]);
  });

  type Told = { size: number; result: string; machine?: typeof about.machine; skipped?: boolean };
  const torture = (day: number, { size, result, machine = about.machine, skipped = false }: Told): TortureReport => ({
    ...about,
    time: `2026-01-0${day}T08:30:00.000Z`,
    machine,
    size,
    results: [
      {
        piece: 'kills',
        figure: 'S-68',
        result,
        durationMs: 61_000,
        tests: [
          { title: 'a thing S-68 SE-03 loses nothing in 100 kills', result: 'passed' },
          ...(skipped ? [{ title: 'S-69 another', result: 'pending' }] : []),
        ],
      },
    ],
  });
  const rowsOf = (...reports: TortureReport[]) => proofInMarkdown(undefined, reports).split('\n').slice(4);

  it('shows the largest run of each piece, and of equal ones the newest, good or not', () => {
    const runs = [[1, 1, 'pass'] as const, [3, 0.1, 'pass'] as const, [2, 1, 'FAIL'] as const];
    expect(rowsOf(...runs.map(([day, size, result]) => torture(day, { size, result })))).toEqual([
      '| kills: S-68 | loses nothing in 100 kills | 1 of 1 tests in 61 s | **FAIL** | 2026-01-02 | abc1234 | `npm run torture -- kills` |',
    ]);
  });

  it('names of each piece what was repeated, and the first test where no title says it', () => {
    const [result] = torture(1, { size: 1, result: 'pass' }).results as [TortureReport['results'][number]];
    const named = (...titles: string[]) => {
      const tests = titles.map((title) => ({ title, result: 'passed' }));
      const [row = ''] = rowsOf({ ...torture(1, { size: 1, result: 'pass' }), results: [{ ...result, tests }] });
      return row.split(' | ')[1];
    };
    const header = 'never stops the daemon, serves no damaged row, and is kept: bits of each byte of its header';
    const injuries = ['closed', 'leftOpen'].map((how) => `… and 800 random injuries of one that was ${how}`);
    const streams = [
      'reach 1,000 listeners, and the next one is told to come back',
      'end for 200 that never read, and cost the daemon little until then',
      'give back what they held after 10000 connections',
    ];
    const changes = [
      'answers after every change like an engine that has never seen anything',
      'answers after any sequence of changes like a new engine',
      'gives ids of 128 random bits, which tell nothing',
    ];
    const step = 'what was read and answered is kept over each step, and a change is seen after it';
    const held = ['5000 resolves a second', '1000 readers of events'].map((load) => `holds ${load}, for 600 s`);
    for (const titles of [[header, ...injuries], streams, changes, [step], held])
      expect(named('S-05 another', ...titles.map((title) => `events S-77 ${title}`))).toBe(titles.join('; '));
    expect(named('S-05 another', 'S-06 one more')).toBe('another');
  });

  it('shows what the tests of a piece have measured', () => {
    const report = torture(1, { size: 1, result: 'pass' });
    const [result] = report.results as [TortureReport['results'][number]];
    const tests = ['5 ms', undefined, '7 ms'].map((measured) => ({
      title: 'a',
      result: 'passed',
      ...(measured && { measured }),
    }));
    const [row = ''] = rowsOf({ ...report, results: [{ ...result, tests }] });
    expect(row.split(' | ')[2]).toBe('3 of 3 tests in 61 s; 5 ms; 7 ms');
  });

  it('shows a later failure of a smaller run, until one as large passes', () => {
    const large = torture(1, { size: 1, result: 'pass' });
    const failed = torture(2, { size: 0.1, result: 'FAIL' });
    const outcomes = (...reports: TortureReport[]) =>
      rowsOf(...reports).map((row) => row.split(' | ').slice(3, 5).join(' '));
    const both = ['pass 2026-01-01', '**FAIL** 2026-01-02'];
    expect(outcomes(large, failed)).toEqual(both);
    expect(outcomes(failed, torture(3, { size: 0.05, result: 'pass' }), large)).toEqual(both);
    expect(outcomes(large, failed, torture(3, { size: 0.1, result: 'pass' }))).toEqual(['pass 2026-01-01']);
    expect(outcomes(failed, torture(3, { size: 1, result: 'pass' }))).toEqual(['pass 2026-01-03']);
  });

  it('keeps what docs/measured.md says of runs whose results do not lie here, until there are as large and newer ones', () => {
    const other = torture(4, { size: 1, result: 'pass' });
    const [result] = other.results as [TortureReport['results'][number]];
    const withOther = { ...other, results: [{ ...result, piece: 'a|b' }] };
    const soak = { ...about, checks: [1, 2].map((n) => ({ promise: `${n}`, measured: '', result: 'MISS' as const })) };
    const large = torture(2, { size: 1, result: 'pass' });
    const before = proofInMarkdown(soak, [large, withOther]);
    expect(proofInMarkdown(undefined, [], before)).toBe(before);
    expect(proofInMarkdown(undefined, [torture(3, { size: 0.1, result: 'pass' })], before)).toBe(before);
    const newer = torture(3, { size: 1, result: 'FAIL' });
    expect(proofInMarkdown(undefined, [newer], before)).toBe(proofInMarkdown(soak, [newer, withOther]));
    // On the same day what lies here is newer than what was written.
    const again = torture(2, { size: 1, result: 'FAIL' });
    expect(proofInMarkdown(undefined, [again], before)).toBe(proofInMarkdown(soak, [again, withOther]));
    const checks = soak.checks.map((check) => ({ ...check, result: 'pass' as const }));
    const better = { ...about, time: '2026-01-06T08:30:00.000Z', checks };
    expect(proofInMarkdown(better, [], before)).toBe(proofInMarkdown(better, [large, withOther]));
  });

  it('says what was skipped, what was missed, and on which machine', () => {
    const machine = { ...about.machine, model: 'Slow' };
    const check = { promise: 'stays', measured: '9 MB' };
    const checks = (['pass', 'MISS', 'not measured'] as const).map((result) => ({ ...check, result }));
    const soak = { ...about, command: 'npm run soak', checks };
    const text = proofInMarkdown(soak, [torture(1, { size: 1, result: 'pass', skipped: true, machine })]);
    const header = ['| What | Promised or tried | Measured |  | Date | Commit | Command |', `|${' --- |'.repeat(7)}`];
    expect(text.split('\n')).toEqual([
      ...['On 2 processors (Fast), Node.js v24.0.0.', '', ...header],
      '| soak | stays | 9 MB | pass | 2026-01-05 | abc1234 | `npm run soak` |',
      '| soak | stays | 9 MB | **MISS** | 2026-01-05 | abc1234 | `npm run soak` |',
      '| soak | stays | 9 MB | **not measured** | 2026-01-05 | abc1234 | `npm run soak` |',
      ...['', 'On 2 processors (Slow), Node.js v24.0.0.', '', ...header],
      '| kills: S-68 | loses nothing in 100 kills | 1 of 2 tests, 1 skipped in 61 s | pass, 1 skipped | 2026-01-01 | abc1234 | `npm run torture -- kills` |',
    ]);
  });
});

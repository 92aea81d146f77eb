/** What the README says was measured is what was measured. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { figureOf } from './bench/figures.ts';
import { figuresInMarkdown, proofInMarkdown, replaceBetween, type TortureReport } from './bench/readme.ts';

const about = {
  time: '2026-01-05T08:30:00.000Z',
  command: 'npm run bench',
  machine: { node: 'v24.0.0', processors: 2, model: 'Fast', loadAverage: [0.25] },
};

describe('the chapter about what was measured', () => {
  it('is in the README', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    for (const name of ['figures', 'proof'])
      expect(replaceBetween(readme, name, 'new')).toContain(`-->\n\nnew\n\n<!--`);
    expect(() => replaceBetween(readme, 'other', '')).toThrow('<!-- other -->');
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
      '1 of 2 targets met, 2026-01-05, on 2 processors (Fast), Node.js v24.0.0, load 0.3 at the end, by `npm run bench`.',
      '',
      '| Figure | Ours | Baseline | Ratio | Target |  |',
      '| --- | --- | --- | --- | --- | --- |',
      '| kept | 3 ms | 2 ms | 1.5 | ≤ 2 | pass |',
      '| missed | 3 ms | 2 ms | 1.5 | ≤ 1.2 | **MISS** |',
      '| told | 3 a\\|b | 2 a\\|b | 1.5 |  |  |',
    ]);
  });

  it('shows the largest run of each piece, and of equal ones the newest, good or not', () => {
    const run = (day: number, size: number, result: string): TortureReport => ({
      ...{ ...about, time: `2026-01-0${day}T08:30:00.000Z`, size },
      results: [
        {
          ...{ piece: 'kills', figure: 'S-68', result, durationMs: 61_000 },
          tests: [{ title: 'a thing S-68 SE-03 loses nothing in 100 kills', result: 'passed' }],
        },
      ],
    });
    const text = proofInMarkdown(undefined, [run(1, 1, 'pass'), run(3, 0.1, 'pass'), run(2, 1, 'FAIL')]);
    expect(text.split('\n').slice(4)).toEqual([
      '| kills: S-68 | loses nothing in 100 kills | 1 of 1 tests in 61 s | **FAIL** | 2026-01-02 | `npm run torture -- kills` |',
    ]);
  });
});

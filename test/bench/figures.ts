/** What the bench measures, and how it is shown. */

/** `rounds` are pairs measured one right after the other; `unit` is that of both. */
export type Figure = {
  name: string;
  unit: string;
  ours: number;
  baseline: number;
  ratio: number;
  /** In words; absent where a figure is only for information. */
  target?: string;
  met?: boolean;
  rounds: (readonly [ours: number, baseline: number])[];
  note?: string;
};

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Measures both sides `rounds` times, taking turns in going first, so that what slows the machine slows both. */
export async function inTurns(
  rounds: number,
  ours: () => number | Promise<number>,
  baseline: () => number | Promise<number>,
): Promise<[number, number][]> {
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) pairs.push([await ours(), await baseline()]);
    else {
      const second = await baseline();
      pairs.push([await ours(), second]);
    }
  }
  return pairs;
}

/** The ratio is the median of the pairs' ratios: of a pair, both sides have seen the same machine. */
export function figureOf(
  what: Pick<Figure, 'name' | 'unit' | 'note' | 'rounds'> & { atMost?: number; atLeast?: number },
): Figure {
  const { atMost, atLeast, ...shown } = what;
  const ratio = median(what.rounds.map(([ours, baseline]) => ours / baseline));
  const bound = atMost ?? atLeast;
  return {
    ...shown,
    ours: median(what.rounds.map(([ours]) => ours)),
    baseline: median(what.rounds.map(([, baseline]) => baseline)),
    ratio,
    ...(bound !== undefined && {
      target: `${atMost === undefined ? '≥' : '≤'} ${bound}`,
      met: atMost === undefined ? ratio >= bound : ratio <= bound,
    }),
  };
}

/** One line for each figure, columns aligned. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, unit, ours, baseline, ratio, target, met }) => [
    name,
    `${short(ours)} ${unit}`,
    `${short(baseline)} ${unit}`,
    short(ratio),
    target ?? '',
    met === undefined ? '' : met ? 'pass' : 'MISS',
  ]);
  const all = [['figure', 'ours', 'baseline', 'ratio', 'target', ''], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const lines = all.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  );
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Three digits, or all before the point. */
export function short(value: number): string {
  return Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/** The progress that "contextd warm" shows. */
import { expect, it } from 'vitest';
import { createProgressPrinter, type Progress } from '../../../src/bin/render/progress.ts';

function shown(isTTY: boolean, steps: readonly [done: number, state: Progress['state']][]): string {
  let text = '';
  const print = createProgressPrinter({ isTTY, write: (part) => (text += part) });
  for (const [done, state] of steps)
    print({ type: 'index-progress', jobId: 'a', phase: 'download', done, total: 8_000_000, state } as Progress);
  return text;
}

it('is one line on a terminal that ends once, also when what it shows fails', () => {
  const ends = (text: string) => [text.split('\n').length - 1, text.endsWith('\n')];
  expect(
    ends(
      shown(true, [
        [0, 'running'],
        [0, 'failed'],
      ]),
    ),
  ).toEqual([1, true]);
  expect(
    ends(
      shown(true, [
        [4e6, 'running'],
        [8e6, 'running'],
        [8e6, 'finished'],
      ]),
    ),
  ).toEqual([1, true]);
});

it('is a line for each tenth elsewhere', () => {
  const steps = [0, 1e5, 4e6, 8e6, 8e6].map((done) => [done, 'running'] as [number, 'running']);
  expect(shown(false, steps).split('\n')).toEqual([
    'Downloading the model: 0.0 MB of 8.0 MB',
    'Downloading the model: 4.0 MB of 8.0 MB',
    'Downloading the model: 8.0 MB of 8.0 MB',
    '',
  ]);
});

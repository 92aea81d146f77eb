/** The progress of a download or of indexing, for people. */
import type { z } from 'zod';
import type { IndexProgress } from '../../events/event.ts';
import { count } from './words.ts';

export type Progress = z.infer<typeof IndexProgress>;
type Output = { isTTY?: boolean; write(text: string): unknown };

const barWidth = 30;

/** A progress bar on a terminal; elsewhere a line for each tenth. */
export function createProgressPrinter(output: Output): (progress: Progress) => void {
  let printed = '';
  return ({ phase, done, total, state }) => {
    if (total === 0) return;
    const share = Math.min(1, done / total);
    const amount =
      phase === 'download' ? `${megabytes(done)} of ${megabytes(total)}` : `${count(done)} of ${count(total)}`;
    const what = phase === 'download' ? 'Downloading the model' : 'Indexing chunks';
    if (output.isTTY === true) {
      const bar = '█'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '░');
      const isLast = done >= total || state !== 'running';
      const line = `${what.padEnd(21)} ${bar} ${amount}${isLast ? '\n' : ''}`;
      if (line !== printed) output.write(`\r\u001b[K${line}`);
      printed = line;
      return;
    }
    const step = `${phase} ${Math.floor(share * 10)}`;
    if (step !== printed) output.write(`${what}: ${amount}\n`);
    printed = step;
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

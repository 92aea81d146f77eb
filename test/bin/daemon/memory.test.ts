import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { daemonNodeOptions } from '../../../src/bin/daemon/node-options.ts';

const support = join(import.meta.dirname, '../../support');
const maxLooks = 45;

/** What a script prints until that is enough. */
async function linesOf(args: readonly string[], isEnough: (lines: readonly string[]) => boolean): Promise<string[]> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 50_000,
    killSignal: 'SIGKILL',
  });
  try {
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (isEnough(lines)) break;
    }
    return lines;
  } finally {
    child.kill('SIGKILL');
  }
}

// Without giving back, all of the peak stays.
it('S-83 memory that was in use goes back to the system', async () => {
  const isLess = (lines: readonly string[]) => Number(lines.at(-1)) < 0.7 * Math.max(...lines.map(Number));
  const args = [...daemonNodeOptions, '--heap-growing-percent=20', join(support, 'memory-peak.ts')];
  const seen = await linesOf(args, (lines) => isLess(lines) || lines.length === maxLooks);
  expect(isLess(seen)).toBe(true);
});

it.each(['collect', 'wait'])('S-83 is as it was after giving memory back: %s', async (mode) => {
  const seen = await linesOf([join(support, 'taken-code.ts'), mode], ({ length }) => length === 3);
  expect(seen).toEqual(['true', 'false', 'true']);
});

// A process that waits for its turn on a busy machine seems to be at work, so that one look of five has to find it at rest.
it('S-83 leaves a process as it is that does nothing', { retry: 4 }, async () => {
  expect(await linesOf([join(support, 'taken-code.ts'), 'rest'], ({ length }) => length === 1)).toEqual(['true']);
});

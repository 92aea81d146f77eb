import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { daemonNodeOptions } from '../../src/bin/node-options.ts';

const script = join(import.meta.dirname, '../support/memory-peak.ts');
const mostLooks = 45;

// Without giving back, all of the peak stays.
it('S-83 memory that was in use goes back to the system', async () => {
  const options = [...daemonNodeOptions, '--heap-growing-percent=20'];
  const child = spawn(process.execPath, [...options, script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const seen: number[] = [];
    for await (const line of createInterface(child.stdout)) {
      seen.push(Number(line));
      if (seen.length === mostLooks || Number(line) < 0.7 * Math.max(...seen)) break;
    }
    expect(seen.at(-1)).toBeLessThan(0.7 * Math.max(...seen));
  } finally {
    child.kill('SIGKILL');
  }
});

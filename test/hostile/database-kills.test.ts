/** Processes that are killed while they write to the database, or while they mend it (S-68). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import { compileCache } from '../support/daemon.ts';
import { sized } from '../support/test-size.ts';

const kills = sized(90, 250, 8);
const writer = join(import.meta.dirname, '../support/store-writer.ts');

/** Starts a writer, kills it after `afterMs` of writing (or of starting, when it was not to write), and returns its last promise. */
async function writeAndKill(
  path: string,
  from: number,
  { afterMs, whileStarting }: { afterMs: number; whileStarting: boolean },
) {
  const child = spawn(process.execPath, [writer, path, String(from)], {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const closed = once(child, 'close');
  if (!whileStarting) await Promise.race([once(child.stdout, 'data'), closed]);
  await delay(afterMs);
  child.kill('SIGKILL');
  await closed;
  const lines = said.split('\n').slice(0, -1);
  return lines.length === 0 ? undefined : Number(lines.at(-1));
}

it(`S-68 loses nothing that was promised in ${kills} kills, some while it mends itself`, {
  timeout: 60_000 + kills * 3_000,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'contextd-'));
  const path = join(directory, 'contextd.db');
  try {
    let promised = -1;
    for (let round = 0; round < kills; round += 1) {
      const whileStarting = round % 5 === 4;
      const afterMs = whileStarting ? 60 + 10 * (round % 25) : (round * 37) % 120;
      const last = await writeAndKill(path, promised + 1, { afterMs, whileStarting });
      promised = Math.max(promised, last ?? -1);
      // Left as it is for a process that is killed while it mends it.
      if (round % 5 === 3) continue;
      // A write may have been done without the process living to say so.
      const store = createSqliteStore(path, { heal: true });
      const ids = (await store.supplementary.list('/p')).map(({ id }) => Number.parseInt(id, 16));
      expect(await store.warnings()).toEqual([]);
      await store.close();
      expect(ids).toEqual(ids.map((_, at) => at));
      expect(ids.length).toBeGreaterThanOrEqual(promised + 1);
      promised = ids.length - 1;
    }
    expect(promised).toBeGreaterThan(sized(100, 250, kills));
    expect(readdirSync(directory)).toEqual(['contextd.db', 'contextd.db.reserve']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

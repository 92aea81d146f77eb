/** Processes that are killed while they write to the database, or while they mend it (S-68). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import { compileCache } from '../support/daemon.ts';
import { helper } from '../support/helpers.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { sized } from '../support/test-size.ts';

/** With those of `session-crash.test.ts`, which cost more each, the hundred of figure 3. */
const kills = sized(96, 250, 8);
/** Databases that are written to at the same time: most of a round is waiting. */
const lanes = 3;

/** Starts a writer, kills it after `afterMs` of writing (or of starting, when it was not to write), and returns its last promise. */
async function writeAndKill(
  path: string,
  from: number,
  { afterMs, whileStarting }: { afterMs: number; whileStarting: boolean },
) {
  const child = spawn(process.execPath, [helper('store-writer'), path, String(from)], {
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

/** Kills one writer after the other on a database of its own; `rounds` counts those of all. */
async function killAgainAndAgain(lane: number): Promise<number> {
  const directory = temporaryDirectory();
  const path = join(directory, 'contextd.db');
  let promised = -1;
  for (let round = lane; round < kills; round += lanes) {
    const turn = Math.floor(round / lanes);
    const whileStarting = turn % 5 === 4;
    const afterMs = whileStarting ? 20 + 10 * (round % 25) : (round * 37) % 120;
    const last = await writeAndKill(path, promised + 1, { afterMs, whileStarting });
    promised = Math.max(promised, last ?? -1);
    // Left as it is for a process that is killed while it mends it.
    if (turn % 5 === 3) continue;
    // A write may have been done without the process living to say so.
    const store = createSqliteStore(path, { heal: true });
    const ids = (await store.supplementary.list('/p')).map(({ id }) => Number.parseInt(id, 16));
    expect(await store.warnings()).toEqual([]);
    await store.close();
    expect(ids).toEqual(ids.map((_, at) => at));
    expect(ids.length).toBeGreaterThanOrEqual(promised + 1);
    promised = ids.length - 1;
  }
  expect(readdirSync(directory)).toEqual(['contextd.db', 'contextd.db.reserve']);
  return promised;
}

it(`S-68 loses nothing that was promised in ${kills} kills, some while it mends itself`, {
  timeout: 60_000 + kills * 3_000,
}, async () => {
  const promised = await Promise.all(Array.from({ length: lanes }, (_, lane) => killAgainAndAgain(lane)));
  expect(promised.reduce((sum, each) => sum + each)).toBeGreaterThan(sized(100, 250, kills));
});

/** Kills its process at the step with this number, of those that change files. */
const killingStep = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  let left = Number(process.env.KILL_AT_STEP);
  for (const name of ['copyFileSync', 'fsyncSync', 'renameSync', 'rmSync']) {
    const real = fs[name];
    fs[name] = (...args) => {
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return real(...args);
    };
  }
  syncBuiltinESMExports();
`;

it('S-72 saves what it can of a damaged database, also after it was killed at any step of that', {
  timeout: 120_000,
}, async () => {
  const source = temporaryDirectory();
  const damaged = join(source, 'damaged.db');
  const before = createSqliteStore(damaged);
  await before.roots.add({ path: '/home/ada', grantedAt: '2026-01-01T00:00:00.000Z' });
  await before.close();
  const database = new DatabaseSync(damaged);
  database.exec('DROP TABLE tokens');
  database.close();
  for (let step = 1; ; step += 1) {
    const directory = temporaryDirectory();
    const path = join(directory, 'contextd.db');
    copyFileSync(damaged, path);
    const preload = `data:text/javascript,${encodeURIComponent(killingStep)}`;
    const child = spawn(process.execPath, ['--import', preload, helper('store-writer'), path], {
      env: { ...process.env, KILL_AT_STEP: `${step}`, NODE_COMPILE_CACHE: compileCache },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close').then(() => false);
    const hasSurvived = await Promise.race([once(child.stdout, 'data').then(() => true), closed]);
    child.kill('SIGKILL');
    await closed;
    const after = createSqliteStore(path, { heal: true });
    expect(await after.roots.list(), `step ${step}`).toHaveLength(1);
    await after.close();
    const names = readdirSync(directory).map((name) => name.replace(/-\d{8}T\d{6}Z$/u, ''));
    expect(names.sort(), `step ${step}`).toEqual(['contextd.db', 'contextd.db.corrupt', 'contextd.db.reserve']);
    rmSync(directory, { recursive: true });
    if (!hasSurvived) continue;
    // Otherwise the steps are others by now.
    expect(step).toBeGreaterThan(10);
    break;
  }
});

/**
 * From the spawn of the packaged program to its first good answer, and memory when nothing is asked, against a bare server of the
 * same parts.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { type MeasuredServer, residentMiB, startBaseline, startContextd } from './processes.ts';

const project = join(import.meta.dirname, '../..');
const packaged = join(project, 'dist/contextd.js');
const rounds = 9;
const memoryRounds = 3;
const idleMs = 3_000;

export async function measureStartup(directory: string): Promise<Figure[]> {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: project, stdio: 'ignore' });
  let homes = 0;
  const newHome = (): string => {
    homes += 1;
    const home = join(directory, `home-${homes}`);
    mkdirSync(home);
    return home;
  };
  const home = newHome();
  const contextd = (): Promise<MeasuredServer> => startContextd(home, home, { entry: packaged });
  const bare = (): Promise<MeasuredServer> => startBaseline(home, 'bare-daemon.ts');
  const startMs = async (starting: Promise<MeasuredServer>): Promise<number> => {
    const server = await starting;
    await server.stop();
    return server.startMs;
  };
  const idleMiB = async (starting: Promise<MeasuredServer>): Promise<number> => {
    const server = await starting;
    await delay(idleMs);
    const memory = residentMiB(server.pid);
    await server.stop();
    return memory;
  };

  // The first start of a home fills the cache of compiled code that all later ones use.
  const memory = await inTurns(
    memoryRounds,
    () => idleMiB(contextd()),
    () => idleMiB(bare()),
  );
  const later = await inTurns(
    rounds,
    () => startMs(contextd()),
    () => startMs(bare()),
  );
  const first = await inTurns(
    rounds,
    () => {
      const fresh = newHome();
      return startMs(startContextd(fresh, fresh, { entry: packaged }));
    },
    () => startMs(bare()),
  );
  return [
    figureOf({ name: 'start to first answer', unit: 'ms', rounds: later, atMost: 1.3 }),
    figureOf({ name: 'start to first answer, first start ever', unit: 'ms', rounds: first, atMost: 1.6 }),
    figureOf({ name: 'idle memory', unit: 'MiB', rounds: memory, atMost: 1.25 }),
  ];
}

/** The directory in which the daemon keeps what is its own (S-08). */
import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { expandHome } from '../../settings.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';

/** Names of what lies in a state directory. */
export const stateNames = {
  discovery: 'daemon.json',
  lock: 'daemon.lock',
  store: 'contextd.db',
  log: 'contextd.log',
  compileCache: 'compile-cache',
  models: 'models',
  secretKey: 'secret.key',
  signIn: 'sign-in',
  socket: 'contextd.sock',
  hooks: 'hooks',
  program: 'program',
} as const;

type Kind = 'file' | 'directory' | 'socket';

/** The others are files. */
const kinds: Readonly<Record<string, Kind>> = {
  [stateNames.compileCache]: 'directory',
  [stateNames.models]: 'directory',
  [stateNames.signIn]: 'directory',
  [stateNames.hooks]: 'directory',
  [stateNames.program]: 'directory',
  [stateNames.socket]: 'socket',
};

export type Surroundings = { environment: Record<string, string | undefined>; cwd: string; home: string };

/** Those of this process. */
export function processSurroundings(): Surroundings {
  return { environment: process.env, cwd: process.cwd(), home: homedir() };
}

/** The state directory: the flag, `CONTEXTD_STATE_DIR`, `$XDG_STATE_HOME/contextd`, `~/.local/state/contextd`. Absolute; 64 for an empty flag. */
export function stateDirectoryPath(flag: string | undefined, { environment, cwd, home }: Surroundings): string {
  if (flag === '') throw new CommandFailure(exitCodes.usage, '--state-dir must name a directory.');
  const named = flag ?? (environment.CONTEXTD_STATE_DIR || undefined);
  if (named !== undefined) return resolve(cwd, expandHome(named, home));
  const stateHome = environment.XDG_STATE_HOME;
  // The XDG base directory specification has relative values ignored.
  const base = stateHome !== undefined && isAbsolute(stateHome) ? stateHome : join(home, '.local/state');
  return join(base, 'contextd');
}

/**
 * Directories of which nothing is read: the one that is in use, and those of other daemons of the user, as far as their
 * places are known. Of what lies deeper in them, only pages that sign in are secret.
 */
export function directoriesOfDaemons(inUse: string, surroundings: Surroundings): string[] {
  const byDefault = stateDirectoryPath(undefined, { ...surroundings, environment: {} });
  return [inUse, stateDirectoryPath(undefined, surroundings), byDefault].flatMap((path) => [
    ...(existsSync(path) ? [realpathSync(path)] : []),
    path,
    join(path, stateNames.signIn),
  ]);
}

/**
 * Makes the directory (0700) or checks the one that is there: ours, a real directory, and neither it nor one of the
 * daemon's files in it writable by others or a link. Otherwise `CommandFailure` 78, and nothing is touched.
 */
export function prepareStateDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const why = (error as Error).message;
    throw new CommandFailure(
      exitCodes.refused,
      `The state directory cannot be made: ${why}. Name another one: --state-dir <dir>, or CONTEXTD_STATE_DIR.`,
    );
  }
  requireOurs(path, 'directory');
  for (const name of Object.values(stateNames)) requireOurs(join(path, name), kinds[name] ?? 'file');
}

/**
 * The cache of compiled code in a state directory; undefined when there is none, or when another user could have put
 * something there, since what lies in it is run. Changes nothing.
 */
export function safeCompileCache(stateDirectory: string): string | undefined {
  const path = join(stateDirectory, stateNames.compileCache);
  if (!existsSync(path)) return undefined;
  try {
    requireOurs(stateDirectory, 'directory');
    requireOurs(path, 'directory');
    return path;
  } catch {
    return undefined;
  }
}

function requireOurs(path: string, kind: Kind): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const refuse = (why: string) => {
    throw new CommandFailure(exitCodes.refused, `${path} is not safe to use: ${why}`);
  };
  if (stat.isSymbolicLink()) refuse('it is a symbolic link.');
  const is = { file: stat.isFile(), directory: stat.isDirectory(), socket: stat.isSocket() };
  if (!is[kind]) refuse(`it is not a ${kind}.`);
  if (process.getuid !== undefined && stat.uid !== process.getuid()) refuse('it belongs to another user.');
  if ((stat.mode & 0o022) !== 0) refuse(`others may write to it. Fix it with: chmod go-w '${path}'`);
}

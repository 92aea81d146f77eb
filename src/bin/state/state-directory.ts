/** The directory of the daemon's own files (S-08). */
import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { expandHome } from '../../settings.ts';
import { wrongSetup, wrongUsage } from '../exit-codes.ts';

/** Names in a state directory. */
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

/** Files of SQLite, which takes over what is in them. */
const besideStore = ['-wal', '-shm', '-journal'].map((suffix) => `${stateNames.store}${suffix}`);

type Kind = 'file' | 'directory' | 'socket';

/** All others are files. */
const kinds: Readonly<Record<string, Kind>> = {
  [stateNames.compileCache]: 'directory',
  [stateNames.models]: 'directory',
  [stateNames.signIn]: 'directory',
  [stateNames.hooks]: 'directory',
  [stateNames.program]: 'directory',
  [stateNames.socket]: 'socket',
};

export type Surroundings = { environment: Record<string, string | undefined>; cwd: string; home: string };

/** The surroundings of this process. */
export function processSurroundings(): Surroundings {
  return { environment: process.env, cwd: process.cwd(), home: homedir() };
}

/**
 * The state directory: the flag, `CONTEXTD_STATE_DIR`, `$XDG_STATE_HOME/contextd`, `~/.local/state/contextd`. Absolute;
 * 64 for an empty flag.
 */
export function stateDirectoryPath(flag: string | undefined, { environment, cwd, home }: Surroundings): string {
  if (flag === '') throw wrongUsage('--state-dir must name a directory.');
  const named = flag ?? (environment.CONTEXTD_STATE_DIR || undefined);
  if (named !== undefined) return resolve(cwd, expandHome(named, home));
  const stateHome = environment.XDG_STATE_HOME;
  // The XDG base directory specification says to ignore relative values.
  const base = stateHome !== undefined && isAbsolute(stateHome) ? stateHome : join(home, '.local/state');
  return join(base, 'contextd');
}

/**
 * Directories of which nothing is read: the state directory in use, and the known ones of other daemons of the user.
 * Below their top level, only pages for signing in are secret.
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
 * Creates the directory (0700), or checks the present one: it and the daemon's files in it must belong to this user,
 * and must not be links or writable by others. Otherwise throws `CommandFailure` 78 and changes nothing.
 */
export function prepareStateDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const why = whyNotMade(path, error);
    throw wrongSetup(
      `The state directory ${path} cannot be made: ${why}. Name another one: --state-dir <dir>, or CONTEXTD_STATE_DIR.`,
    );
  }
  requireOwnState(path);
}

/** Why nothing could be made at a path. For a disk that is read-only, the error itself says ENOENT. */
export function whyNotMade(path: string, error: unknown): string {
  const parent = nearestDirectory(path);
  return may(parent, constants.W_OK) ? (error as Error).message : `you may not write to ${parent}`;
}

/** The nearest directory above that exists. */
export function nearestDirectory(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? parent : nearestDirectory(parent);
}

export function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Checks the present directory like `prepareStateDirectory`. */
export function requireOwnState(path: string): void {
  requireOurs(path, 'directory');
  for (const name of [...Object.values(stateNames), ...besideStore])
    requireOurs(join(path, name), kinds[name] ?? 'file');
}

/**
 * The cache of compiled code in a state directory. Its code is run, so the result is `undefined` if another user could
 * have written to it, or if there is none. Changes nothing.
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
    throw wrongSetup(`${path} is not safe to use: ${why}`);
  };
  if (stat.isSymbolicLink()) refuse('it is a symbolic link.');
  const is = { file: stat.isFile(), directory: stat.isDirectory(), socket: stat.isSocket() };
  if (!is[kind]) refuse(`it is not a ${kind}.`);
  const user = process.getuid?.();
  if (user !== undefined && stat.uid !== user) {
    const mend = kind === 'file' ? ` If a command with sudo made it: sudo chown ${user} '${path}'` : '';
    refuse(`it belongs to another user.${mend}`);
  }
  if ((stat.mode & 0o022) !== 0) refuse(`others may write to it. Fix it with: chmod go-w '${path}'`);
}

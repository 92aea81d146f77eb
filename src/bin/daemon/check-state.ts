/** Checks the state directory and the files in it. */
import { constants, existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { diskWarnings, listQuarantined, schemaVersionOf } from '../../adapters/sqlite/health.ts';
import { migrations } from '../../adapters/sqlite/schema.ts';
import { may, nearestDirectory, requireOwnState, stateNames } from '../state/state-directory.ts';
import { type Finding, good, mendDamage, mendFullDisk } from './finding.ts';

export function checkStateDirectory(path: string): Finding[] {
  const subject = 'state directory';
  const fault = (says: string, mend: string): Finding[] => [{ subject, state: 'fault', says, mend }];
  const ownOne = 'Name a directory of your own: --state-dir <dir>';
  const stat = statOf(path, lstatSync);
  if (stat === 'hidden') return fault(`You may not look into ${dirname(path)}.`, ownOne);
  if (stat === undefined) {
    const parent = nearestDirectory(path);
    if (may(parent, constants.W_OK)) return [good(subject, `${path} does not exist yet and can be made`)];
    return fault(
      `${path} cannot be made: you may not write to ${parent}.`,
      'Name another directory: --state-dir <dir>',
    );
  }
  if (!stat.isDirectory())
    return fault(`${path} is not a directory.`, 'Move it away, or name another directory: --state-dir <dir>');
  if (process.getuid !== undefined && stat.uid !== process.getuid())
    return fault(`${path} belongs to another user.`, ownOne);
  if ((stat.mode & 0o022) !== 0) return fault(`Others may write to ${path}.`, `chmod go-w '${path}'`);
  if (!may(path, constants.W_OK))
    return fault(`${path} cannot be written.`, 'Make it writable, or name another directory: --state-dir <dir>');
  try {
    requireOwnState(path);
  } catch (error) {
    return fault((error as Error).message, 'Correct it, or name another directory: --state-dir <dir>');
  }
  const database = join(path, stateNames.store);
  const others = [checkDatabase(database), checkDisk(path), checkLog(path), checkDamaged(database)];
  return [good(subject, path), ...others.flat()];
}

function checkDisk(stateDirectory: string): Finding[] {
  return diskWarnings(stateDirectory).map(({ message }) => ({
    subject: 'disk',
    state: 'fault',
    says: message,
    mend: mendFullDisk,
  }));
}

function checkLog(stateDirectory: string): Finding[] {
  const log = join(stateDirectory, stateNames.log);
  const logBytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (logBytes <= 100 * 1024 * 1024) return [];
  const says = `${log} has grown to ${Math.round(logBytes / 1024 / 1024)} MiB.`;
  return [{ subject: 'log', state: 'notice', says, mend: 'Stop the daemon, then delete the log.' }];
}

function checkDamaged(database: string): Finding[] {
  return listQuarantined(database).map((file) => ({
    subject: 'database',
    state: 'notice',
    says: `${file} was damaged and was set aside; the sessions in it are missing since then.`,
    mend: mendDamage,
  }));
}

function checkDatabase(path: string): Finding[] {
  const fault = (says: string, mend: string): Finding[] => [{ subject: 'database', state: 'fault', says, mend }];
  if (!existsSync(path)) return [];
  if (!may(path, constants.R_OK | constants.W_OK))
    return fault(`${path} cannot be read and written.`, `chmod u+rw '${path}'`);
  if ((schemaVersionOf(path) ?? 0) <= migrations.length) return [];
  return fault(
    `${path} was written by a newer contextd.`,
    'Use the newer contextd. "contextd serve" says how to go back to the copy from before the update.',
  );
}

/** `hidden`: in a directory that the user may not enter. */
export function statOf(path: string, read: typeof statSync = statSync): Stats | 'hidden' | undefined {
  try {
    return read(path, { throwIfNoEntry: false });
  } catch {
    return 'hidden';
  }
}

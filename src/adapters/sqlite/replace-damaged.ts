/**
 * Puts a new database, which has what can be saved, in the place of a damaged one (S-72). The damaged one stays in its
 * place until the new one is complete, so that a killed process loses nothing: the next start does it again.
 */
import { existsSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { removeDatabase } from './database-files.ts';
import { listQuarantined, moveCompanions, placeBeside, quarantine } from './health.ts';
import { copyOf, salvage } from './salvage.ts';
import { syncDirectory, syncFile } from './sync-files.ts';

const replacementOf = (path: string) => `${path}.salvaged`;

/** `create` creates a database at a path. Throws if the disk is full. */
export function replaceDamaged(path: string, create: (path: string) => DatabaseSync): void {
  const replacement = replacementOf(path);
  try {
    fillFrom(path, create(replacement));
  } catch (error) {
    removeDatabase(replacement);
    throw error;
  }
  syncFile(replacement);
  quarantine(path);
  renameSync(replacement, path);
  syncDirectory(dirname(path));
}

function fillFrom(damagedPath: string, database: DatabaseSync): void {
  try {
    salvage(damagedPath, database);
  } finally {
    database.close();
  }
}

/** Ends what a killed process began: takes the new database if the damaged one is set aside already, else removes it. */
export function finishReplacing(path: string): void {
  const replacement = replacementOf(path);
  if (!isThere(replacement)) return;
  removeDatabase(copyOf(path));
  if (isThere(path)) {
    removeDatabase(replacement);
    return;
  }
  // The journal of the damaged one would be taken for that of the new one.
  moveCompanions(path, listQuarantined(path).at(-1) ?? placeBeside(path, 'corrupt'));
  renameSync(replacement, path);
  syncDirectory(dirname(path));
}

/** The database, or what `finishReplacing` makes it. Undefined if there is none, or none that can be seen. */
export function presentDatabase(path: string): string | undefined {
  return [path, replacementOf(path)].find((each) => existsSync(each));
}

/** Throws if the disk cannot tell: the new database must not take the place of one that is there. */
function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

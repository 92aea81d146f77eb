import { readdirSync, rmSync, statSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { processSurroundings, safeCompileCache, stateDirectoryPath } from '../state/state-directory.ts';

/**
 * Uses the cache of compiled code that a daemon left in its state directory, so that starting again costs less. Call
 * this before any other import. Does nothing if there is no cache, or no safe one. Never throws: the command reports
 * what is wrong with the directory.
 */
export function useCompileCache(args: readonly string[]): void {
  const { values } = parseArgs({ args: [...args], strict: false, options: { 'state-dir': { type: 'string' } } });
  const flag = values['state-dir'];
  try {
    const path = stateDirectoryPath(typeof flag === 'string' ? flag : undefined, processSurroundings());
    const cache = safeCompileCache(path);
    if (cache !== undefined) module.enableCompileCache(cache);
  } catch {}
}

/** The code of the daemon and its commands takes 5 MB in a thousand files. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Removes what other versions of Node.js left in the cache at `path`, or everything if the cache is too large, for
 * example because contextd ran from many places. Missing code is compiled and stored again. Never throws.
 */
export function pruneCompileCache(path: string, used = module.getCompileCacheDir()): void {
  try {
    for (const name of readdirSync(path)) {
      const directory = join(path, name);
      if (directory !== used || sizeOf(directory) > maxBytes) rmSync(directory, { recursive: true, force: true });
    }
  } catch {
    // What cannot be removed stays.
  }
}

function sizeOf(directory: string): number {
  return readdirSync(directory).reduce((bytes, name) => {
    return bytes + (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

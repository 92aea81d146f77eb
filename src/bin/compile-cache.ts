import module from 'node:module';
import { parseArgs } from 'node:util';
import { processSurroundings, safeCompileCache, stateDirectoryPath } from './state-directory.ts';

/**
 * Takes compiled code from the cache that a daemon has left in its state directory, so that starting again costs less.
 * Called before anything else is imported; does nothing where there is no cache, or no safe one.
 */
export function useCompileCache(args: readonly string[]): void {
  const { values } = parseArgs({ args: [...args], strict: false, options: { 'state-dir': { type: 'string' } } });
  const flag = values['state-dir'];
  const cache = safeCompileCache(
    stateDirectoryPath(typeof flag === 'string' ? flag : undefined, processSurroundings()),
  );
  if (cache !== undefined) module.enableCompileCache(cache);
}

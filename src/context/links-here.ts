/** Links at places of formats that contextd does not follow, so that it misses the rules behind them (FM-03). */
import { isUnfollowed } from '../access/refusal-words.ts';
import { createPause } from '../pace/turns.ts';
import { compareText } from '../texts/compare-text.ts';
import { formatsBehind } from './formats/format-at.ts';
import { shownPath } from './normalize-request.ts';
import type { ResolveResult } from './resolve-result.ts';

/** Max number of links that are named. All are counted. */
export const namedLinks = 100;

/** The paths as answers show them. */
export async function findLinks(
  { mountedDirectory, excluded, warnings }: ResolveResult,
  homeDirectory: string,
): Promise<string[]> {
  const refused = excluded.filter(({ format, reason }) => format !== undefined && isUnfollowed(reason));
  const folders = warnings.flatMap(({ code, path }) => (code === 'symlink' && path !== undefined ? [path] : []));
  const paths = new Set([...folders, ...refused.map(({ path }) => path)]);
  const place = { mountedDirectory, homeDirectory };
  const links: string[] = [];
  const pause = createPause();
  for (const path of [...paths].sort(compareText)) {
    if (formatsBehind(path, place).length > 0) links.push(shownPath(path, place));
    const turn = pause();
    if (turn) await turn;
  }
  return links;
}

/** Links at places of formats that contextd does not follow, so that it misses the rules behind them (FM-03). */
import { isInside, relativePath } from '../access/paths.ts';
import { createPause } from '../pace/turns.ts';
import { compareText } from '../texts/compare-text.ts';
import { formatsBehind } from './formats/format-at.ts';
import type { FormatsResult } from './formats-request.ts';
import type { ResolveResult } from './resolve-result.ts';

/** `formats`: formats that could have files behind the link. */
export type LinkHere = Readonly<{ shownPath: string; formats: ReadonlySet<string> }>;

type LinksOfTool = Pick<FormatsResult['tools'][number], 'links' | 'linkCount'>;

const maxNamed = 100;

export async function findLinks(
  { mountedDirectory, excluded, warnings }: ResolveResult,
  homeDirectory: string,
): Promise<LinkHere[]> {
  const refused = excluded.filter(({ format, reason }) => format !== undefined && reason.code === 'symlink');
  const folders = warnings.flatMap(({ code, path }) => (code === 'symlink' && path !== undefined ? [path] : []));
  const paths = new Set([...folders, ...refused.map(({ path }) => path)]);
  const place = { mountedDirectory, homeDirectory };
  const links: LinkHere[] = [];
  const pause = createPause();
  for (const path of [...paths].sort(compareText)) {
    const formats = new Set(formatsBehind(path, place).map(({ format }) => format.name));
    if (formats.size > 0) links.push({ shownPath: shownPath(path, place), formats });
    const turn = pause();
    if (turn) await turn;
  }
  return links;
}

/** Links that may hide files of these formats. */
export function linksOf(links: readonly LinkHere[], looked: readonly string[]): LinksOfTool {
  const kept = links.filter(({ formats }) => looked.some((name) => formats.has(name)));
  return { links: kept.slice(0, maxNamed).map((link) => link.shownPath), linkCount: kept.length };
}

/** As the files beside them are shown. */
function shownPath(path: string, place: { mountedDirectory: string; homeDirectory: string }): string {
  if (isInside(place.mountedDirectory, path)) return relativePath(place.mountedDirectory, path);
  return isInside(place.homeDirectory, path) ? `~/${relativePath(place.homeDirectory, path)}` : path;
}

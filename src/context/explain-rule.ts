/** Why a file at a place of another tool is not a candidate. */
import { baseName, directoriesDown, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { holdsRepository } from '../access/repositories.ts';
import type { World } from '../access/world.ts';
import type { Reason } from '../warnings.ts';
import { type FormatAt, formatsAt } from './formats/format-at.ts';
import type { LoadedContext } from './load-context.ts';
import { leavesOut } from './merge.ts';
import { isOfOthers } from './sources/rule-owners.ts';

export type ExplainRun = {
  world: World;
  clientContextPath: string;
  mountedDirectory: string;
  formats: readonly string[];
};

type Explained = Reason & { detail: string };

/** Undefined for a file at no such place. */
export async function explainRule(
  path: string,
  loaded: LoadedContext,
  run: ExplainRun,
): Promise<Explained | undefined> {
  const places = formatsAt(path, run.world);
  if (places.length === 0) return undefined;
  const read = placeThatIsRead(places, loaded, run);
  if ('detail' in read) return read;
  const { place, owner } = read;
  const what = `It is a file of the format ${read.format.name}`;
  const barrier = await barrierTo(path, owner, run);
  if (barrier !== undefined)
    return { code: barrier.code, detail: `${what}, but ${barrier.what}, so no rules are read there.` };
  if (!isOnTheWay(owner, loaded) && owner !== run.world.homeDirectory) {
    const detail = `${what} for ${owner}, which is not on the way from ${run.mountedDirectory} to a file in play.`;
    return { code: 'not_on_the_way', detail };
  }
  const other = await standInFor(path, { place, owner }, run.world);
  const why = other
    ? `, but only one file counts there: ${relativePath(owner, other)} is used instead`
    : ', but the request left its scope out, or a link or a limit prevented the search';
  return { code: 'not_included', detail: `It is at a place of the format ${read.format.name}${why}.` };
}

/** The first place whose format is read, preferably one that no name hides; or why none is. */
function placeThatIsRead(
  places: readonly FormatAt[],
  { chains }: LoadedContext,
  { formats, mountedDirectory }: ExplainRun,
): FormatAt | Explained {
  const [first] = places as [FormatAt];
  const [asked, ...others] = places.filter(({ format }) => formats.includes(format.name));
  if (asked === undefined) {
    const detail = `It is a file of the format ${first.format.name}, which the setting or the request disables with "formats".`;
    return { code: 'format_not_read', detail };
  }
  const configs = chains.flatMap((chain) => chain.configs);
  const allowed = [asked, ...others].filter(({ format }) => leavesOut(format.name, configs) === undefined);
  const place = allowed.find(({ owner }) => hiddenOnTheWay(owner, mountedDirectory) === undefined) ?? allowed[0];
  if (place !== undefined) return place;
  const { name } = asked.format;
  const detail = `It is a file of the format ${name}, which "formats" in ${leavesOut(name, configs)?.path} disables.`;
  return { code: 'format_not_read', detail };
}

function isOnTheWay(owner: string, { chains }: LoadedContext): boolean {
  return chains.some(({ workingDirectory, filesInPlay }) =>
    [workingDirectory, ...filesInPlay].some((each) => isInside(owner, each)),
  );
}

/** The first existing name of a place before the name of this path. */
async function standInFor(
  path: string,
  { place, owner }: Pick<FormatAt, 'place' | 'owner'>,
  { gate }: World,
): Promise<string | undefined> {
  for (const name of place.firstOf) {
    const other = joinPath(owner, name.replace(/\/$/u, ''));
    if (isInside(other, path)) return undefined;
    if ((await gate.stat(other)).ok) return other;
  }
  return undefined;
}

/** The first directory on the way to an owner of rules whose name excludes it from the search. */
function hiddenOnTheWay(owner: string, mountedDirectory: string): string | undefined {
  if (!isInside(mountedDirectory, owner)) return undefined;
  return [...directoriesDown(mountedDirectory, owner)].find((each) => isOfOthers(baseName(each)));
}

type Barrier = Pick<Reason, 'code'> & { what: string };

/** The directory on the way to a rule file where the search for rules ends. */
async function barrierTo(
  path: string,
  owner: string,
  { world, mountedDirectory }: ExplainRun,
): Promise<Barrier | undefined> {
  if (!isInside(mountedDirectory, path)) return undefined;
  const hidden = hiddenOnTheWay(owner, mountedDirectory);
  if (hidden !== undefined) {
    const what = baseName(hidden).startsWith('.') ? 'is hidden' : 'holds installed packages';
    return { code: 'not_included', what: `${hidden} ${what}` };
  }
  for (const each of directoriesDown(mountedDirectory, parentPath(path))) {
    const stat = await world.gate.stat(each);
    if (stat.ok && stat.kind === 'symlink' && !world.reach.followSymlinks)
      return { code: 'symlink', what: `${each} is a link` };
    if (isInside(each, owner) && (await holdsRepository(each, world.gate.stat)))
      return { code: 'outside_repository', what: `${each} is another git repository` };
  }
  return undefined;
}

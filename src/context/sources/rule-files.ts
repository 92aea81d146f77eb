/** Finds rule files of other tools, in place (FM-01 … FM-06). */
import { isInside, joinPath, parentPath } from '../../access/paths.ts';
import { followingAt, liesInRoots } from '../../access/reach.ts';
import type { World } from '../../access/world.ts';
import type { Candidate } from '../candidate.ts';
import { type Place, type RuleFormat, referenceWhole } from '../formats/format.ts';
import { ruleFormats } from '../formats/formats.ts';
import { nameByFolder, nameByMode, nameRuleFile } from '../names.ts';
import { createOwnRepository, type OwnRepository } from '../own-repository.ts';
import type { ServerList } from '../server-lists/server-list.ts';
import { serverLists } from '../server-lists/server-lists.ts';
import type { SharedWalks } from './included.ts';
import { takeNamed } from './named-files.ts';
import { askedOthers, listFolder, nameOthers, warnOfLinks } from './rule-folder.ts';
import { findRuleOwners, type Looked } from './rule-owners.ts';
import { type LookedAt, listAll, lookAtHome, lookInOwner } from './rule-places.ts';
import { takeServerList } from './server-lists.ts';
import type { ContextSource, FindPlace, Found } from './source.ts';

export const ruleFiles: ContextSource = { find: findRuleFiles };

/** The search for formats in one directory. `decided`: paths that another name of the same place replaces. */
type Search = Looked &
  LookedAt & {
    world: World;
    walks: SharedWalks;
    mentions: readonly string[];
    result: Required<Found>;
    byPath: Map<string, Candidate>;
    decided: Set<string>;
    /** Folders that were read, and links to folders that were not. */
    folders: Set<string>;
    links: Map<string, RuleFormat>;
    own: OwnRepository;
  };

async function findRuleFiles({ where, merged, walks, listings }: FindPlace, world: World): Promise<Found> {
  const result = { candidates: [], warnings: [], evidence: [], searched: [], serverLists: [] } as Required<Found>;
  const allowed = where.narrowed ? (merged.formats ?? where.formats) : where.formats;
  const chosen = ruleFormats.filter(({ name }) => where.formats.includes(name) && allowed.includes(name));
  if (chosen.length === 0) return result;
  const { mentions } = where;
  const names = chosen.map(({ name }) => name);
  const lists = serverLists.filter(({ formats }) => chosen.some(({ name }) => formats.includes(name)));
  const byPath = new Map<string, Candidate>();
  const decided = new Set<string>();
  const own = createOwnRepository(world, world.mountedDirectory);
  const looked = await findRuleOwners(where, world, result);
  const owners = looked.flatMap(({ directory: { scope, owner } }) => (scope === 'global' ? [] : [owner]));
  await listAll(owners, world, listings);
  const searches: Search[] = [];
  const seenFolders = { folders: new Set<string>(), links: new Map<string, RuleFormat>() };
  const shared = { world, walks, mentions, result, byPath, decided, own, ...seenFolders };
  let left: string | undefined;
  for (const each of looked) {
    const { owner, scope } = each.directory;
    if (left !== undefined && isInside(left, owner)) continue;
    const seen =
      scope === 'global' ? lookAtHome(names, world, result) : await lookInOwner(owner, world, { ...result, listings });
    if (seen.isRepository && owner !== where.mountedDirectory) {
      left = owner;
      continue;
    }
    const search: Search = { ...each, ...seen, ...shared };
    searches.push(search);
    await takePlaces(chosen, search);
    if (scope !== 'global' && !each.isBelow) await takeServerLists(lists, search);
  }
  await takeAllNamed(chosen, searches);
  await warnOfLinks(seenFolders, world, result);
  result.candidates = [...byPath.values()];
  result.evidence.push(...own.evidence());
  return result;
}

async function takePlaces(formats: readonly RuleFormat[], search: Search): Promise<void> {
  for (const format of formats)
    for (const place of format.places)
      if (search.kinds.includes(place.in) && place.firstOf.some(search.mayHold)) await takePlace(format, place, search);
}

async function takeServerLists(lists: readonly ServerList[], search: Search): Promise<void> {
  for (const list of lists)
    if (search.kinds.includes(list.in) && list.firstOf.some(search.mayHold)) await takeServerList(list, search);
}

/** After all places: a file at one of them counts as such, even if settings name it. */
async function takeAllNamed(formats: readonly RuleFormat[], searches: readonly Search[]): Promise<void> {
  for (const format of formats)
    for (const named of format.named ?? [])
      for (const search of searches)
        if (search.kinds.includes(named.in) && named.settings.some(search.mayHold))
          await takeNamed({ format, named, search }, { all: searches, takePlace });
}

async function takePlace(format: RuleFormat, place: Place, search: Search): Promise<void> {
  const { firstOf, read, withFolder, ofModes, imports } = place;
  const { directory, isBelow, byPath, decided, world } = search;
  const nameIt = (ofModes && nameByMode) || (withFolder && nameByFolder) || nameRuleFile;
  const candidateAt = (path: string): Candidate => ({
    source: 'format' as const,
    format: format.name,
    path,
    directory,
    read,
    name: nameIt(path, directory, world.mountedDirectory),
    isBelow,
    imports,
  });
  const take: TakeFile = (path, about) => {
    if (!byPath.has(path) && !decided.has(path)) byPath.set(path, { ...candidateAt(path), ...about });
  };
  const [pattern] = firstOf.filter((path) => path.endsWith('*'));
  const names = pattern === undefined ? firstOf : search.namesLike(pattern.slice(0, -1));
  const taking = { ...search, format, take, candidateAt };
  for (const [index, name] of names.entries()) {
    const isUsed = await takeName(name, place, taking);
    if (!isUsed || pattern !== undefined) continue;
    for (const other of names.slice(index + 1)) decided.add(joinPath(directory.owner, other));
    return;
  }
}

/** Takes a file, with the known facts about it. */
type TakeFile = (path: string, about: Partial<Candidate>) => void;
type Taking = Search & { format: RuleFormat; take: TakeFile };

/** Takes what is at one name of a place. Returns whether it can be used: then the names after it do not count. */
async function takeName(
  name: string,
  place: Place,
  taking: Taking & { candidateAt(path: string): Candidate },
): Promise<boolean> {
  const { directory, kindOf, links, world, format, take } = taking;
  const isFolder = name.endsWith('/');
  const inOwner = isFolder ? name.slice(0, -1) : name;
  const path = joinPath(directory.owner, inOwner);
  const kind = await kindOf(inOwner);
  if (kind === 'behind_link') links.set(joinPath(directory.owner, name.split('/')[0] as string), format);
  if (kind === 'behind_link' || kind === undefined) return false;
  if (isFolder) {
    const isThere = kind === 'directory' || (kind === 'symlink' && world.reach.followSymlinks);
    if (isThere) await takeFolder(path, place, taking);
    else if (kind === 'symlink') links.set(path, format);
    return isThere;
  }
  if (kind === 'directory') return false;
  if (kind === 'symlink') return takeLink(taking.candidateAt(path), take, taking);
  take(path, kind === 'file' ? {} : { refusal: 'not_regular_file' });
  return kind === 'file';
}

async function takeFolder(folder: string, place: Place, search: Taking): Promise<void> {
  const { format, mentions, take } = search;
  const { files, links } = await listFolder(folder, place, search);
  search.folders.add(folder);
  for (const link of links) search.links.set(link, format);
  for (const file of files) {
    const { path, refusal, linkIs } = file;
    const others = await nameOthers(file, search);
    take(path, { refusal, linkIs, supportingFiles: others.length > 0 ? others : undefined });
    for (const other of askedOthers(file, mentions))
      take(joinPath(parentPath(path), other), { read: referenceWhole, partOf: path });
  }
}

/**
 * FM-06: people share one text with a link from one fixed name to another. It is followed inside its granted root,
 * which may contain other projects: a file of another project waits for a mention. Returns whether the link leads to a
 * file.
 */
async function takeLink(candidate: Candidate, take: TakeFile, search: Search): Promise<boolean> {
  const { world, result, byPath, decided, own } = search;
  const { path } = candidate;
  const { gate, reach, placing } = world;
  const { roots } = followingAt(path, reach);
  const real = await gate.realPath(path);
  if (!real.ok || !liesInRoots(real.realPath, roots)) {
    take(path, real.ok ? { refusal: 'outside_roots' } : { refusal: 'symlink', linkIs: 'nowhere' });
    return false;
  }
  const stat = await gate.stat(real.realPath);
  result.evidence.push(`${path} → ${real.realPath}`);
  if (!stat.ok || stat.kind !== 'file') {
    take(path, { refusal: 'symlink', linkIs: stat.ok ? 'noFile' : 'nowhere' });
    return false;
  }
  const linksTo = await placing(real.realPath);
  result.searched.push({
    directory: parentPath(linksTo),
    key: path,
    isUngranted: search.directory.scope === 'global',
    decides: (found) => found === linksTo,
  });
  if (byPath.has(path) || decided.has(path)) return true;
  const isForeign = await own.isForeign(real.realPath, [{ ...candidate.directory, path }]);
  byPath.set(path, { ...candidate, linksTo, isForeign });
  const message = 'This link leads out of its repository, so the file is active only if it is mentioned.';
  if (isForeign) result.warnings.push({ code: 'outside_repository', message, path });
  return true;
}

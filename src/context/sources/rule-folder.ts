/** Reads a folder with files of other tools, and finds which of its files belong to others (FM-05, FM-12). */
import { decideConfiguration } from '../../access/configurations.ts';
import { baseName, isInside, joinPath, parentPath, relativePath } from '../../access/paths.ts';
import { howToFollow } from '../../access/refusal-words.ts';
import { decideSensitive } from '../../access/sensitive.ts';
import { type FoundEntry, type Walk, walkTree } from '../../access/walk.ts';
import type { World } from '../../access/world.ts';
import { fixedLimits } from '../../settings.ts';
import { unreadableWarning } from '../../warnings.ts';
import type { Place, RuleFormat } from '../formats/format.ts';
import type { SharedWalks } from './included.ts';
import type { Found } from './source.ts';

const limits = fixedLimits.supportingFiles;

/** A file that counts, and the files of its folder that belong to it, relative to the folder. */
type FileInFolder = Pick<FoundEntry, 'path' | 'refusal' | 'linkIs'> & { others: readonly string[] };

/**
 * The files that count, with the files that belong to them, and the links in a folder. Each folder is walked once in a
 * run, even if several working directories are below its owner.
 */
export async function listFolder(
  folder: string,
  { holds = () => true, enters = () => true, withFolder }: Omit<Place, 'read'>,
  { world, walks, result }: { world: World; walks: SharedWalks; result: Found },
): Promise<{ files: FileInFolder[]; links: string[] }> {
  const isHeld = (path: string): boolean => holds(relativePath(folder, path));
  const isEntered = (path: string): boolean => enters(relativePath(folder, path));
  const isTaken = withFolder ? isVisible : isHeld;
  const key = JSON.stringify(['format', folder, String(holds), String(enters)]);
  const choose = { enter: isEntered, accept: isTaken };
  const walk = walks.get(key) ?? (await (withFolder ? walkShortly : walkTree)(folder, world, choose));
  walks.set(key, walk);
  for (const { path, refusal, isDirectory } of walk.found)
    if (isDirectory && refusal === 'unreadable') result.warnings.push(unreadableWarning(path));
  result.evidence.push(...walk.evidence);
  for (const { path: directory } of walk.listed)
    result.searched.push({
      directory,
      key: folder,
      decides: (path, kind) => (kind === 'directory' ? isEntered(path) : isTaken(path)),
    });
  const unseen = unseenIn.get(walk);
  if (unseen !== undefined) {
    const message = `Only ${limits.entries} entries of this folder are read; at least ${unseen} more were left out.`;
    result.warnings.push({ code: 'limit_entries', message, path: folder });
  }
  const files = walk.found.filter(({ isDirectory }) => !isDirectory);
  if (!withFolder) return { files: files.map((file) => ({ ...file, others: [] })), links: [] };
  const links = files.filter(({ path, refusal }) => refusal === 'symlink' && parentPath(path) === folder);
  return { files: withOthers(files, isHeld), links: links.map(({ path }) => path) };
}

function isVisible(path: string): boolean {
  return !baseName(path).startsWith('.');
}

const unseenIn = new WeakMap<Walk, number>();

/** Files that belong to others must not use up the limits for other files. */
const walkShortly: typeof walkTree = async (start, world, choose) => {
  const entriesLeft = Math.min(world.entriesLeft, limits.entries);
  const own: World = { ...world, entriesLeft, leftOut: { ...world.leftOut } };
  const walk = await walkTree(start, own, choose);
  const unseen = own.leftOut.entries - world.leftOut.entries;
  world.entriesLeft -= entriesLeft - own.entriesLeft;
  Object.assign(world.leftOut, { ...own.leftOut, entries: world.leftOut.entries });
  if (unseen > 0) unseenIn.set(walk, unseen);
  return walk;
};

function withOthers(files: readonly FoundEntry[], isHeld: (path: string) => boolean): FileInFolder[] {
  const held = files.filter(({ path }) => isHeld(path));
  const byFolder = new Map(held.map(({ path }) => [parentPath(path), [] as string[]]));
  const folderOf = (path: string): string | undefined => {
    for (let at = parentPath(path); at !== '/'; at = parentPath(at)) if (byFolder.has(at)) return at;
    return undefined;
  };
  for (const { path, refusal } of files) {
    const folder = refusal === undefined && !isHeld(path) ? folderOf(path) : undefined;
    if (folder !== undefined) byFolder.get(folder)?.push(relativePath(folder, path));
  }
  return held.map((file) => ({ ...file, others: byFolder.get(parentPath(file.path)) ?? [] }));
}

/** The files that are listed with the main file, without files that are never delivered. */
export async function nameOthers(
  { path, others }: FileInFolder,
  { world, result }: { world: World; result: Found },
): Promise<string[]> {
  const folder = parentPath(path);
  const named: string[] = [];
  for (const other of others.slice(0, 10 * limits.named)) {
    if (named.length === limits.named) break;
    const place = joinPath(folder, other);
    if (decideSensitive(place) || decideConfiguration(place, world.clientContextPath)) continue;
    if ((await world.reach.policies.decide(place)).allowed) named.push(other);
  }
  if (others.length > limits.named) {
    const message = `Only ${limits.named} of the ${others.length} other files in this folder are listed.`;
    result.warnings.push({ code: 'limit_supporting_files', message, path });
  }
  // What policies say of them can change when no folder does.
  if (named.length > 0) result.evidence.push(JSON.stringify(named));
  return named;
}

/** The files that a request may have asked for: by path, or by the name of the main file. */
export function askedOthers({ path, others }: FileInFolder, mentions: readonly string[]): string[] {
  const folder = parentPath(path);
  const inFolder = mentions.map((mention) => (isInside(folder, mention) ? relativePath(folder, mention) : mention));
  return others.filter((other) => inFolder.some((mention) => mention === other || mention.endsWith(`/${other}`)));
}

/**
 * Warns of a link at the place of a folder, or on the way to it, unless its target is read in place. A link to a file
 * hides no folder.
 */
export async function warnOfLinks(
  { links, folders }: { links: ReadonlyMap<string, RuleFormat>; folders: ReadonlySet<string> },
  world: World,
  result: Found,
): Promise<void> {
  for (const [path, { tool }] of links) {
    const real = await world.gate.realPath(path);
    const target = real.ok ? await world.placing(real.realPath) : undefined;
    const stat = target === undefined ? undefined : await world.gate.stat(target);
    result.evidence.push(`${path} → ${target}`);
    if (target === undefined || !stat?.ok || stat.kind !== 'directory') continue;
    if ([...folders].some((folder) => isInside(folder, target) || isInside(target, folder))) continue;
    const message = `This is a symbolic link, which is not followed. Rules of ${tool} behind it are not used. ${howToFollow}`;
    result.warnings.push({ code: 'symlink', message, path });
  }
}

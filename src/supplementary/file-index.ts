/**
 * The files of a workspace, for suggestions and for the files of a folder. It leaves out: files in `.gitignore`, files
 * that ignore files of other tools keep from search, sensitive files, links, folders of version control and of
 * installed packages, and other worktrees of the same repository.
 */

import type { DirectorySnapshot, FileSnapshot } from '../access/gate.ts';
import { isInside, joinPath, pathBelow } from '../access/paths.ts';
import { realNamesOf } from '../access/reach.ts';
import type { World } from '../access/world.ts';
import { type IgnoreRules, parseIgnoreFile } from '../ignore/ignore-rules.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { sameItems } from '../pace/same-items.ts';
import { createSharedRuns } from '../pace/shared-runs.ts';
import { startDeadline } from '../pace/time-allowance.ts';
import { createPause, inTurns } from '../pace/turns.ts';
import type { Clock } from '../ports/ports.ts';
import { type FileIndexLimits, fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import { chooseEntries } from './choose-entries.ts';
import { type LeftOut, warningsOf } from './left-out.ts';

/**
 * A directory. Paths are relative to the mounted directory (`''`), sorted by name. `files` and the folder are the same
 * objects as long as they are unchanged.
 */
type IndexedFolder = Readonly<{ directory: string; files: readonly string[]; folders: readonly string[] }>;

/** Each folder is before those below it. The same object as long as nothing changed. */
export type FileListing = Readonly<{
  /** The directory that the paths are relative to; absolute. */
  directory: string;
  folders: readonly IndexedFolder[];
  files: number;
  warnings: readonly Warning[];
}>;

export type FileIndex = Readonly<{
  /**
   * The present files of a mounted directory, which must have been checked. Every directory is checked again (with one
   * `stat` if it is unchanged). Never throws.
   */
  look(mountedDirectory: string, world: World): Promise<FileListing>;
}>;

const parallelListings = 8;
const kept = { maxWeight: 300_000, maxEntries: 16 };

type Node = IndexedFolder & {
  snapshot: DirectorySnapshot;
  rulesAbove: IgnoreRules | undefined;
  ignoreFile: FileSnapshot | undefined;
  rules: IgnoreRules | undefined;
  /** Further files are left out because of these. */
  searchEvidence: readonly unknown[];
};
/** `known`: also folders of earlier runs for which this run had no time. */
type Indexed = { nodes: ReadonlyMap<string, Node>; known: ReadonlyMap<string, Node>; listing: FileListing };
type Level = { directory: string; rulesAbove: IgnoreRules | undefined };

type Ports = { clock: Pick<Clock, 'elapsed' | 'worked'>; limits?: Partial<FileIndexLimits> };

/** The cache of all workspaces. */
function createIndex(ports: Ports) {
  return {
    clock: ports.clock,
    limits: { ...fixedLimits.fileIndex, ...ports.limits },
    indexed: createBoundedCache<Indexed>(kept),
    parsed: new WeakMap<FileSnapshot, IgnoreRules['rules']>(),
  };
}
type Index = ReturnType<typeof createIndex>;

export function createFileIndex(ports: Ports): FileIndex {
  const index = createIndex(ports);
  const looks = createSharedRuns<FileListing>();

  return Object.freeze({
    look: (mountedDirectory: string, world: World) =>
      looks.join(mountedDirectory, () => lookAgain(index, mountedDirectory, world)),
  });
}

/** The files below a folder (`''`: all), as relative paths in the order of the listing. */
export function* filesBelow({ folders }: FileListing, directory: string): Generator<string> {
  for (const folder of folders)
    if (directory === '' || folder.directory === directory || folder.directory.startsWith(`${directory}/`))
      yield* folder.files;
}

/** One run through all folders of a workspace. */
function beginLook(index: Index, mountedDirectory: string, world: World) {
  const { clock, limits, indexed, parsed } = index;
  return {
    mountedDirectory,
    world,
    parsed,
    before: indexed.get(mountedDirectory),
    isLate: startDeadline(clock, limits.lookMs),
    pause: createPause(() => clock.elapsed()),
  };
}
type Look = ReturnType<typeof beginLook>;

async function lookAgain(index: Index, mountedDirectory: string, world: World): Promise<FileListing> {
  const look = beginLook(index, mountedDirectory, world);
  const { before } = look;
  const { nodes, files, leftOut } = await findFolders(look, index.limits);
  const warnings = warningsOf(leftOut, index.limits);
  if (
    before?.nodes.size === nodes.size &&
    JSON.stringify(warnings) === JSON.stringify(before.listing.warnings) &&
    [...nodes].every(([directory, node]) => before.nodes.get(directory) === node)
  )
    return before.listing;
  const listing = Object.freeze({ directory: mountedDirectory, folders: inOrder(nodes), files, warnings });
  const known = before && leftOut.lookMs > 0 ? new Map([...before.known, ...nodes]) : nodes;
  const weight = [...known.values()].reduce((sum, node) => sum + 1 + node.files.length, 0);
  index.indexed.set(mountedDirectory, { nodes, known, listing }, weight);
  return listing;
}

/** `isFull`: whether there can be no more files. */
type Found = { nodes: Map<string, Node>; files: number; isFull: boolean; leftOut: LeftOut };

/** Looks at the folders level by level, within the limits. */
async function findFolders(look: Look, limits: FileIndexLimits): Promise<Found> {
  const leftOut: LeftOut = { files: 0, folders: 0, depth: 0, lookMs: 0, entries: 0, unreadable: 0 };
  const found: Found = { nodes: new Map(), files: 0, isFull: false, leftOut };
  let level: Level[] = [{ directory: '', rulesAbove: await baseRules(look) }];
  for (let depth = 0; level.length > 0 && !found.isFull; depth += 1) {
    const next: Level[] = [];
    for (let at = 0; at < level.length && !found.isFull; at += parallelListings) {
      if (look.isLate()) {
        leftOut.lookMs += level.length - at;
        break;
      }
      const batch = level.slice(at, at + parallelListings);
      for (const node of await Promise.all(batch.map((given) => lookAt(look, given)))) {
        const waiting = next.length + level.length - at;
        if (node === 'late') leftOut.lookMs += 1;
        else if (node === 'unreadable') leftOut.unreadable += 1;
        else if (node !== 'gone') for (const each of take(node, found, { depth, waiting, limits })) next.push(each);
      }
      await look.pause();
    }
    level = next;
  }
  return found;
}

/** Adds a folder, and returns the folders in it to look at. `waiting`: the number of folders still to look at. */
function take(
  node: Node,
  found: Found,
  { depth, waiting, limits }: { depth: number; waiting: number; limits: FileIndexLimits },
): Level[] {
  const { nodes, leftOut } = found;
  if (node.snapshot.truncated) leftOut.entries += 1;
  if (found.files + node.files.length > limits.files) {
    leftOut.files += node.files.length;
    found.isFull = true;
    return [];
  }
  found.files += node.files.length;
  nodes.set(node.directory, node);
  const below: Level[] = [];
  for (const directory of node.folders) {
    if (depth >= limits.depth) leftOut.depth += 1;
    else if (nodes.size + waiting + below.length > limits.folders) leftOut.folders += 1;
    else below.push({ directory, rulesAbove: node.rules });
  }
  return below;
}

/** A folder as it is now. The same object as before if nothing changed. */
async function lookAt(look: Look, { directory, rulesAbove }: Level): Promise<Node | 'late' | 'gone' | 'unreadable'> {
  if (look.isLate()) return 'late';
  const path = directory === '' ? look.mountedDirectory : pathBelow(look.mountedDirectory, directory);
  const { gate, reach } = look.world;
  const listed = await gate.list(path, { ...reach, isOneOfMany: true });
  if (!listed.ok) return listed.code === 'unreadable' || listed.code === 'io_error' ? 'unreadable' : 'gone';
  const { snapshot } = listed;
  if (directory !== '' && (await isOtherWorktree(look, path, snapshot))) return 'gone';
  const hasIgnoreFile = snapshot.entries.some(({ name, kind }) => name === '.gitignore' && kind === 'file');
  const ignoreFile = hasIgnoreFile ? await readSettingsFile(look, pathBelow(path, '.gitignore')) : undefined;
  const { policies } = reach;
  policies.notice(snapshot);
  const searchEvidence = await policies.searchEvidence(path);
  const known = look.before?.known.get(directory);
  const hasSameRules = known !== undefined && known.rulesAbove === rulesAbove && known.ignoreFile === ignoreFile;
  if (hasSameRules && known.snapshot === snapshot && sameItems(known.searchEvidence, searchEvidence)) return known;
  const rules = hasSameRules ? known.rules : await rulesOf(look, { directory, rulesAbove }, ignoreFile);
  const names = [path, ...realNamesOf(path, reach.roots)] as const;
  const { pause, isLate } = look;
  const decideSearch = searchEvidence.length === 0 ? undefined : policies.decideSearch;
  const chosen = await chooseEntries(snapshot.entries, { directory, names, rules, decideSearch, pause, isLate });
  if (chosen === undefined) return 'late';
  return { directory, ...chosen, snapshot, rulesAbove, ignoreFile, rules, searchEvidence };
}

/** Whether it is the same project again: another worktree of the repository of the mounted directory. */
async function isOtherWorktree(look: Look, path: string, { entries }: DirectorySnapshot): Promise<boolean> {
  if (!entries.some(({ name, kind }) => name === '.git' && kind === 'file')) return false;
  const text = ((await readSettingsFile(look, `${path}/.git`))?.text ?? '').trim();
  const label = 'gitdir: ';
  if (!text.startsWith(label)) return false;
  const place = joinPath(path, text.slice(label.length));
  // Git records the real path, but the project may be mounted through a link.
  const projects = [look.mountedDirectory, ...realNamesOf(look.mountedDirectory, look.world.reach.roots)];
  return projects.some((each) => isInside(pathBelow(each, '.git/worktrees'), place));
}

/** The rules of `.git/info/exclude`. The same object as long as the file is unchanged. */
async function baseRules(look: Look): Promise<IgnoreRules | undefined> {
  const path = pathBelow(look.mountedDirectory, '.git/info/exclude');
  const file = (await look.world.gate.stat(path)).ok ? await readSettingsFile(look, path) : undefined;
  const known = look.before?.known.get('')?.rulesAbove;
  if (file && known && known.rules === look.parsed.get(file)) return known;
  return rulesOf(look, { directory: '', rulesAbove: undefined }, file);
}

/** The rules of an ignore file, and those of the folders above. Parses each file once. */
async function rulesOf(look: Look, { directory, rulesAbove: above }: Level, file: FileSnapshot | undefined) {
  if (file === undefined) return above;
  const parse = parseIgnoreFile(file.text ?? '', fixedLimits.ignoreFiles.lines);
  const rules = look.parsed.get(file) ?? (await inTurns(parse, look.pause)).rules;
  look.parsed.set(file, rules);
  return { directory, rules, above };
}

async function readSettingsFile({ world }: Look, path: string): Promise<FileSnapshot | undefined> {
  const read = await world.gate.readSettings(path, { ...world.reach, maxBytes: fixedLimits.ignoreFiles.bytes });
  return read.ok && read.snapshot.text !== undefined ? read.snapshot : undefined;
}

/** Each folder before those below it, by name. */
function inOrder(nodes: ReadonlyMap<string, Node>): IndexedFolder[] {
  const ordered: IndexedFolder[] = [];
  const waiting = [''];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const node = nodes.get(directory);
    if (node === undefined) continue;
    ordered.push(node);
    waiting.push(...node.folders.toReversed());
  }
  return ordered;
}

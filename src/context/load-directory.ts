/**
 * Loads one context directory: its configurations and the files that could be context (CC-01, CC-04 … CC-09, CC-24).
 */

import { isPutByEditor } from '../access/editor-files.ts';
import type { FileSnapshot } from '../access/gate.ts';
import { baseName, directoriesDown, isInside, joinPath, parentPath } from '../access/paths.ts';
import { isInRoots } from '../access/reach.ts';
import { leadsOutside } from '../access/real-place.ts';
import { howToFollow, refusalWords } from '../access/refusal-words.ts';
import { etagOf } from '../access/seen-file.ts';
import { type FoundEntry, type Walk, walkTree } from '../access/walk.ts';
import type { World } from '../access/world.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import { turnToParse } from '../pace/turns.ts';
import { shortenList } from '../texts/shorten.ts';
import type { WarningCode } from '../warning-codes.ts';
import { type Reason, unreadableWarning, type Warning } from '../warnings.ts';
import { type Candidate, isSupportedType } from './candidate.ts';
import { type ContextConfig, parseContextConfig } from './config.ts';
import { type ContextDirectory, configFileNames, directoriesOnTheWay, isConfigFile } from './directories.ts';
import { readContextFile } from './front-matter.ts';
import type { LoadedConfig } from './merge.ts';
import { nameContextFiles } from './names.ts';

export type LoadedDirectory = Readonly<{
  directory: ContextDirectory;
  present: boolean;
  /** Weakest first. */
  configs: readonly LoadedConfig[];
  candidates: readonly Candidate[];
  warnings: readonly Warning[];
  evidence: readonly unknown[];
}>;

/** The message of a `symlink` warning about a whole context directory. Other such warnings are about files in one. */
export const directoryBehindLink = `This is a symbolic link, which is not followed. The context directory behind it is not used. ${howToFollow}`;

export async function loadDirectory(directory: ContextDirectory, world: World): Promise<LoadedDirectory> {
  const absent = { directory, present: false, configs: [], candidates: [], warnings: [], evidence: [] };
  const { followSymlinks } = world.reach;
  if (await isOutside(directory, world)) {
    const message = `The context directory ${directory.path} lies outside the granted roots and is not used. A user can grant it with "contextd roots grant <dir>".`;
    return {
      ...absent,
      warnings: [{ code: 'context_directory_outside_granted_roots', message, path: directory.path }],
    };
  }
  if (!followSymlinks) {
    const end = await endOfWay(directory, world);
    if (end?.isLink === false) return { ...absent, evidence: [`${end.path}:not_found`] };
    if (end?.isLink) {
      const warning: Warning = { code: 'symlink', message: directoryBehindLink, path: end.path };
      return { ...absent, warnings: [warning], evidence: [`${end.path}:symlink`] };
    }
  }
  const misnamed: string[] = [];
  const enter = (path: string): boolean => {
    if (isConfigFile(path, directory.path)) misnamed.push(path);
    return true;
  };
  const walk = await walkTree(directory.path, world, { enter, accept: () => true });
  if (!walk.present) return { ...absent, evidence: walk.evidence };
  const configs: LoadedConfig[] = [];
  const warnings = misnamed.map((path) => notRead(path, 'not_regular_file'));
  const evidence = [...walk.evidence];
  const configPaths = new Set(walk.found.map(({ path }) => path).filter((path) => isConfigFile(path, directory.path)));
  for (const name of configFileNames) {
    const path = `${directory.path}/${name}`;
    if (!configPaths.has(path)) continue;
    const loaded = await loadConfig(path, { walk, directory, world });
    evidence.push(loaded.evidence);
    warnings.push(...loaded.warnings);
    if (loaded.config) configs.push({ path, owner: directory.owner, scope: directory.scope, ...loaded.config });
  }
  warnings.push(...summarise(walk, directory));
  return {
    directory,
    present: true,
    configs,
    candidates: toCandidates(walk, directory, world.mountedDirectory),
    warnings,
    evidence,
  };
}

/** Also true behind a link that leads outside. Below the mounted directory, `endAbove` finds links. */
async function isOutside({ scope, path }: ContextDirectory, { reach: { roots }, gate }: World): Promise<boolean> {
  if (!isInRoots(path, roots)) return true;
  const isNamed = scope === 'global' && !roots.some((root) => root.path === path);
  return isNamed && leadsOutside(path, roots, gate);
}

type End = { path: string; isLink: boolean };

/** What ends the way to a context directory: a link, or a directory that does not exist. */
async function endOfWay(directory: ContextDirectory, world: World): Promise<End | undefined> {
  const above = await endAbove(directory, world);
  if (above && (above.isLink || isInside(above.path, directory.path))) return above;
  const way = directoriesOnTheWay(directory);
  const stats = await Promise.all(way.map((path) => world.gate.stat(path)));
  const link = way[stats.findIndex((stat) => stat.ok && stat.kind === 'symlink')];
  const gone = way[stats.findIndex((stat) => !stat.ok && stat.code === 'not_found')];
  const path = link ?? gone;
  return path === undefined ? undefined : { path, isLink: path === link };
}

/** What ends the way from the mounted directory down to an owner. Each directory is checked once in a run. */
export async function endAbove(
  { scope, owner }: Pick<ContextDirectory, 'scope' | 'owner'>,
  world: World,
): Promise<End | undefined> {
  const { mountedDirectory, onTheWay } = world;
  if (scope === 'global' || !isInside(mountedDirectory, owner)) return undefined;
  const isReached = (path: string): boolean => onTheWay.get(path) === 'reached';
  if (isReached(owner)) return undefined;
  const above = parentPath(owner);
  for (const path of directoriesDown(isReached(above) ? above : mountedDirectory, owner)) {
    const asked = onTheWay.get(path) ?? world.gate.stat(path);
    if (asked === 'reached') continue;
    onTheWay.set(path, asked);
    const stat = await asked;
    if (stat.ok ? stat.kind === 'symlink' : stat.code === 'not_found') return { path, isLink: stat.ok };
    onTheWay.set(path, 'reached');
  }
  return undefined;
}

type ConfigOutcome = {
  config?: { value: ContextConfig; text: string; etag: string };
  warnings: Warning[];
  evidence: unknown;
};

/** The content of a configuration. Each snapshot is parsed once. */
export const parseConfigSnapshot = onceForEach(async ({ path, text = '' }: FileSnapshot) => {
  const turn = turnToParse(text);
  if (turn) await turn;
  return parseContextConfig(text, { path, format: path.endsWith('.json') ? 'json' : 'yaml' });
}, new WeakMap());

async function loadConfig(
  path: string,
  { walk, directory, world }: { walk: Walk; directory: ContextDirectory; world: World },
): Promise<ConfigOutcome> {
  const refusal = walk.found.find((entry) => entry.path === path)?.refusal;
  const refused = (code: string): ConfigOutcome => ({ warnings: [notRead(path, code)], evidence: `${path}:${code}` });
  if (refusal !== undefined) return refused(refusal);
  // If only the request names this context path, a "config.json" can belong to anything, so policies apply (AP-06).
  const isOwn =
    baseName(path) === 'context-config.json' || directory.path === joinPath(directory.owner, world.clientContextPath);
  const { gate, reach, limits } = world;
  const read = await gate.readSettings(
    path,
    { ...reach, maxBytes: limits.configBytes },
    isOwn ? undefined : reach.policies,
  );
  if (!read.ok) return refused(read.code);
  const { snapshot } = read;
  if (snapshot.text === undefined) return { ...refused(snapshot.problem ?? 'binary'), evidence: snapshot };
  if (snapshot.truncated) return { warnings: [tooLarge(path, world.limits.configBytes)], evidence: snapshot };
  const { value, warnings } = await parseConfigSnapshot(snapshot);
  return { config: { value, text: snapshot.text, etag: etagOf(snapshot) }, warnings, evidence: snapshot };
}

export function notRead(path: string, code: string): Warning {
  const message = `The configuration is not used: ${refusalWords[code] ?? code}.`;
  return { code: 'config_not_read', message, path };
}

export function tooLarge(path: string, configBytes: number): Warning {
  const message = `The configuration is larger than ${configBytes} bytes and is not used.`;
  return { code: 'config_too_large', message, path };
}

function toCandidates(walk: Walk, directory: ContextDirectory, mountedDirectory: string): Candidate[] {
  const files = walk.found.filter((found) => found.path !== directory.path);
  const named = files.filter(({ path, isDirectory }) => !isDirectory && isSupportedType(path)).map(({ path }) => path);
  const names = nameContextFiles(named, directory, mountedDirectory);
  return files.map(({ path, refusal, linkIs, isDirectory }) => ({
    path,
    source: 'context-directory',
    directory,
    read: readContextFile,
    name: names.get(path) ?? baseName(path),
    refusal,
    linkIs,
    isDirectory,
  }));
}

/** One warning per context directory for each kind of thing that cannot be read. */
function summarise(walk: Walk, directory: ContextDirectory): Warning[] {
  const of = (refusal: FoundEntry['refusal'], linkIs?: FoundEntry['linkIs']): string[] =>
    walk.found.filter((found) => found.refusal === refusal && found.linkIs === linkIs).map(({ path }) => path);
  const warnings: Warning[] = [];
  const say = (code: WarningCode, paths: readonly string[], message: string): void => {
    const [first] = paths;
    if (first !== undefined) warnings.push({ code, message, path: paths.length === 1 ? first : directory.path });
  };
  const nameOf = (path: string): string => path.slice(directory.path.length + 1) || '.';
  const list = (paths: readonly string[]): string => shortenList(paths.map(nameOf), 5);
  const broken = of('symlink', 'nowhere');
  say('symlink', broken, `Symbolic links lead to nothing that can be read: ${list(broken)}.`);
  const links = of('symlink');
  say('symlink', links, `Symbolic links are not followed: ${list(links)}. ${howToFollow}`);
  const outside = of('outside_roots');
  say(
    'outside_roots',
    outside,
    `Symbolic links that lead outside the granted roots are not followed: ${list(outside)}.`,
  );
  for (const path of of('unreadable')) warnings.push(unreadableWarning(path));
  const undecodable = of('undecodable_name');
  say('undecodable_name', undecodable, `Names that are not valid UTF-8 cannot be used: ${list(undecodable)}.`);
  const irregular = of('not_regular_file').filter((path) => !isConfigFile(path, directory.path));
  say('not_regular_file', irregular, `Only regular files can be context: ${list(irregular)}.`);
  return warnings;
}

/** CC-24: one warning per context directory, none of what editors put there. */
export function unsupportedWarning(directory: LoadedDirectory, ruledOut: ReadonlyMap<string, Reason>): Warning[] {
  const paths = directory.candidates
    .map(({ path }) => path)
    .filter((path) => ruledOut.get(path)?.code === 'unsupported_type' && !isPutByEditor(baseName(path)));
  if (paths.length === 0) return [];
  const names = paths.map((path) => path.slice(directory.directory.path.length + 1));
  const message = `Only .md, .mdc and .txt files are used as context; left out: ${shortenList(names, 5)}.`;
  return [{ code: 'unsupported_type', message, path: directory.directory.path }];
}

/** All rules of a mounted directory and of the directories below it, by the one composition (FM-02). */
import { baseName, isInside, joinPath, relativePath } from '../../access/paths.ts';
import { walkTree } from '../../access/walk.ts';
import { type World, warningsOfLimits } from '../../access/world.ts';
import type { Pause } from '../../pace/turns.ts';
import type { Reason, Warning } from '../../warnings.ts';
import type { Composer } from '../compose.ts';
import type { ContextFile } from '../context-file.ts';
import type { Duplicate } from '../duplicates.ts';
import type { Rule } from '../formats/format.ts';
import { formatsAt } from '../formats/format-at.ts';
import { ruleFormats } from '../formats/formats.ts';
import { patternBelow, patternFrom } from '../patterns-below.ts';
import type { Composition } from '../resolve.ts';
import type { ExcludedFile } from '../resolve-result.ts';
import { isOfOthers } from '../sources/rule-owners.ts';
import { holdsPackages } from '../sources/vendored.ts';

/**
 * `directory`: the directory of the rule, relative to the mounted one; '' for the mounted one itself. `importers`: paths
 * of the files that import it.
 */
export type SourceRule = Readonly<{
  path: string;
  directory: string;
  format?: string;
  rule: Rule;
  body: string;
  sha256: string;
  importers?: readonly string[];
}>;

/** A rule that is not converted to any target. */
type LeftRule = Readonly<Pick<SourceRule, 'path' | 'directory' | 'format'> & { reason: Reason } & Partial<Duplicate>>;

export type RulesHere = { rules: SourceRule[]; left: LeftRule[]; warnings: Warning[] };

type Asked = {
  mountedDirectory: string;
  clientContextPath?: string | undefined;
  globalContextPath?: string | undefined;
};

const firstNames = new Set(
  ruleFormats.flatMap(({ places }) =>
    places.flatMap(({ in: kind, firstOf }) =>
      kind === 'every' ? firstOf.map((path) => path.split('/')[0] as string) : [],
    ),
  ),
);

/** Throws as `compose` does. `mountedDirectory` is absolute; paths of the answer are too. */
export async function findRules(
  { mountedDirectory, clientContextPath, globalContextPath }: Asked,
  { compose, world, pause }: Pick<Composer, 'compose'> & { world: World; pause: Pause },
): Promise<RulesHere> {
  const composeFor = (owners: readonly string[]): Promise<Composition> =>
    compose({
      mountedDirectory,
      workingDirectory: mountedDirectory,
      content: false,
      // None of them needs to exist; each stands for what lies beside it.
      files: owners.map((owner) => joinPath(owner, 'x')),
      scopes: ['static', 'dynamic'],
      clientContextPath,
      globalContextPath,
    });
  const composition = await composeFor(await ownersBelow(mountedDirectory, world));
  const { result } = composition;
  const found: (SourceRule | LeftRule)[] = sourcesIn(composition);
  const place = {
    mountedDirectory,
    contextPath: joinPath(mountedDirectory, clientContextPath ?? world.clientContextPath),
  };
  const lone = new Map<string, Set<string>>();
  for (const excluded of result.excluded) {
    const turn = pause();
    if (turn) await turn;
    const at = placeOfExcluded(excluded, place, world);
    if (at === undefined) continue;
    const { owner, format, isSkillFile } = at;
    const { path, reason } = excluded;
    const directory = directoryOfOwner(owner, mountedDirectory);
    const isCopy = reason.code === 'duplicate';
    if (isCopy && isSkillFile) found.push({ path, directory, format, reason: isSkill });
    else if (isCopy && directory !== '' && lone.size < maxLone)
      lone.set(owner, (lone.get(owner) ?? new Set()).add(path));
    else found.push({ path, directory, format, reason, ...composition.duplicates.get(path) });
  }
  for (const [owner, paths] of lone) found.push(...onlyIn(owner, paths, await composeFor([owner])));
  const rules = found.filter((each) => 'rule' in each);
  const left = found.filter((each) => 'reason' in each);
  return { rules, left, warnings: [...result.warnings, ...warningsOfLimits(world)] };
}

/** The owner and the format of a file that was left out. Undefined for a file at no place of rules in the project. */
function placeOfExcluded(
  { path, format }: ExcludedFile,
  { mountedDirectory, contextPath }: { mountedDirectory: string; contextPath: string },
  { homeDirectory }: World,
): { owner: string; format?: string; isSkillFile?: true } | undefined {
  if (!isInside(mountedDirectory, path)) return undefined;
  const at = formatsAt(path, { mountedDirectory, homeDirectory }).find((each) => each.format.name === format);
  if (at !== undefined) return { owner: at.owner, format: at.format.name, isSkillFile: at.place.withFolder };
  return isInside(contextPath, path) ? { owner: mountedDirectory } : undefined;
}

/**
 * What another directory stands for, as long as both are looked at, is the only rule of its own one. `alone`: the
 * composition of the owner alone.
 */
function onlyIn(owner: string, paths: ReadonlySet<string>, alone: Composition): (SourceRule | LeftRule)[] {
  const { result, duplicates } = alone;
  const directory = directoryOfOwner(owner, result.mountedDirectory);
  const left = result.excluded.map(
    ({ path, format, reason }): LeftRule => ({ path, directory, format, reason, ...duplicates.get(path) }),
  );
  return [...sourcesIn(alone), ...left].filter(({ path }) => paths.has(path));
}

/** Directories that are composed separately. */
const maxLone = 32;

function sourcesIn({ result, bodies }: Composition): (SourceRule | LeftRule)[] {
  const { mountedDirectory, files } = result;
  return files.flatMap((file) => {
    if (file.source === 'import' || file.scope === 'global') return [];
    const { path, format, sha256 } = file;
    const directory = directoryOfOwner(file.owner, mountedDirectory);
    const source = { path, directory, format };
    const body = bodies.get(path) ?? '';
    const reason = reasonToLeave(file, body);
    const rule = reason === undefined ? ruleOf(file, directory) : undefined;
    if (rule === undefined) return { ...source, reason: reason ?? unsayableDirectory };
    return { ...source, rule, sha256, body, importers: file.importedBy?.map((importer) => importer.path) ?? [] };
  });
}

const isSkill: Reason = { code: 'skill', detail: 'skills are folders, and no file of rules can hold one' };
const unsayableDirectory: Reason = {
  code: 'cannot_be_said',
  detail: 'no pattern can name its directory',
};

/** Directories below that may have rules of their own. */
async function ownersBelow(mountedDirectory: string, world: World): Promise<string[]> {
  const enter = (path: string): boolean => !isOfOthers(baseName(path));
  const walk = await walkTree(mountedDirectory, world, { enter, accept: () => false });
  const listed = walk.listed.filter(({ path }) => path !== mountedDirectory);
  const copied: string[] = [];
  for (const { path, entries } of listed)
    if (await holdsPackages(path, (mark) => entries.some(({ name }) => name === mark))) copied.push(path);
  return listed
    .filter(({ entries }) => entries.some(({ name }) => firstNames.has(name)))
    .filter(({ path }) => !copied.some((directory) => isInside(directory, path)))
    .map(({ path }) => path)
    .sort();
}

function reasonToLeave(file: ContextFile, body: string): Reason | undefined {
  const { path, format, source, truncated, supportingFiles, reason } = file;
  if (body.trim() === '') return { code: 'empty', detail: 'it has no text' };
  // Text of another project becomes no file of this one.
  if (reason.code === 'outside_repository') return reason;
  const hasFolder = ruleFormats.some(
    ({ name, places }) => name === format && places.some(({ withFolder }) => withFolder),
  );
  if (hasFolder || supportingFiles) return isSkill;
  if (source === 'include') return { code: 'included', detail: 'a configuration names it by its present path' };
  if (/\.local\.md$/iu.test(path)) return { code: 'personal', detail: 'it is for one person, but others would get it' };
  if (truncated) return { code: 'too_large', detail: 'only its beginning is read' };
  return undefined;
}

/** Undefined if no pattern can express its directory. */
function ruleOf(file: ContextFile, directory: string): Rule | undefined {
  const { path, trigger, description, instructions, priority, properties, type } = file;
  const name = isFromPath(file) ? undefined : file.name;
  const globs = file.source === 'context-directory' ? file.globs : globsIn(directory, file);
  if (globs === undefined) return undefined;
  const said = { trigger, globs, description, priority, properties, type };
  return {
    ...said,
    ...(instructions !== undefined && { instructions }),
    ...(name !== undefined && path !== name && { name }),
  };
}

/**
 * A rule that always applies in a directory below becomes a pattern of the mounted directory. Other rules keep their
 * patterns.
 */
function globsIn(directory: string, { trigger, globs }: ContextFile): string[] | undefined {
  if (directory === '') return globs;
  const below = patternBelow(directory);
  if (trigger === 'auto' && globs.length === 1 && globs[0] === below) return globs;
  const from = globs.flatMap((pattern) => patternFrom(directory, pattern) ?? []);
  return from.length === globs.length ? from : undefined;
}

/** Whether the name of a file comes from its path, with or without the extension. */
function isFromPath({ name, relativePath: path }: ContextFile): boolean {
  const at = path.lastIndexOf('.');
  return [path, at > 0 ? path.slice(0, at) : path].some((each) => each === name || each.endsWith(`/${name}`));
}

function directoryOfOwner(owner: string, mountedDirectory: string): string {
  return owner === mountedDirectory ? '' : relativePath(mountedDirectory, owner);
}

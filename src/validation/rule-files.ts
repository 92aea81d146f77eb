/** Finds and reads the files of other tools in a tree, and checks each one alone (FM-02, FM-08; AP-08). */
import { isInside, joinPath, relativePath } from '../access/paths.ts';
import { liesInRoots, rootsAround } from '../access/reach.ts';
import { refusalWords } from '../access/refusal-words.ts';
import type { FoundEntry } from '../access/walk.ts';
import type { World } from '../access/world.ts';
import { isIncludable } from '../context/candidate.ts';
import type { Place, RuleFormat } from '../context/formats/format.ts';
import type { WrittenImport } from '../context/formats/imports.ts';
import { type ContextFileSource, splitFrontMatter, writesOwnKey } from '../context/front-matter.ts';
import { findImports } from '../context/imports.ts';
import { createOwnRepository } from '../context/own-repository.ts';
import { holdsPackages } from '../context/sources/vendored.ts';
import { fileMatcher } from '../context/triggers.ts';
import { turnToParse } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import { checkDelivered } from './check-text.ts';
import type { Tree } from './checked-tree.ts';
import { findFile, visitFiles } from './find-file.ts';
import { placeInText } from './finish.ts';
import { syntaxProblem } from './glob-syntax-checks.ts';
import { type MissedPlace, missedPlace } from './misnamed-rules.ts';
import { readWrittenKeys, type WrittenKeys } from './property-checks.ts';
import { tooLong } from './read-tree.ts';
import { ruleKeyWarnings } from './rule-key-checks.ts';
import { folderOf, ownersOf, placeOf } from './rule-places.ts';
import { namesSkippedDirectory } from './survey.ts';

/** A file at a place of a format. `owner`: the directory with the place. `imports`: the imports in its text. */
export type CheckedRuleFile = Readonly<{
  path: string;
  owner: string;
  format: RuleFormat;
  place: Place;
  source: ContextFileSource;
  keys: WrittenKeys;
  imports: readonly WrittenImport[];
}>;

const { comparedCharacters } = fixedLimits.validation;

type Placed = Pick<CheckedRuleFile, 'path' | 'owner' | 'format' | 'place'>;
type Misnamed = MissedPlace & { path: string };

/**
 * `ownNamed`: files that a configuration names itself. Those of them that use keys of contextd are not rules of other
 * tools. `refused`: entries of the tree that are not files, such as links. `foreign`: a file that was left out, because
 * it is in a copy of a package or in another repository.
 */
export async function readRuleFiles(
  tree: Tree,
  world: World,
  { ownNamed, refused }: { ownNamed: ReadonlySet<string>; refused: readonly FoundEntry[] },
): Promise<{ files: CheckedRuleFile[]; foreign: string | undefined; warnings: Warning[] }> {
  const { fileBytes, frontMatterBytes, contextFiles } = world.limits;
  const { placed, foreign, misnamed } = await placeFiles(tree, { ownNamed, refused }, world);
  const files: CheckedRuleFile[] = [];
  const warnings: Warning[] = misnamed.map(({ path, message }) => ({
    code: 'misnamed_rule',
    message,
    path,
    line: 1,
    column: 1,
  }));
  let looked = 0;
  let characters = 0;
  for (const each of placed) {
    const { path, place } = each;
    if (looked >= contextFiles || characters >= comparedCharacters || world.isLate()) break;
    looked += 1;
    const read = await world.gate.read(path, { ...world.reach, maxBytes: fileBytes });
    const { text, problem, bytes = 0, truncated } = read.ok ? read.snapshot : {};
    if (problem !== undefined) {
      const message = `The file is not delivered: ${refusalWords[problem]}.`;
      warnings.push({ code: problem, message, path, line: 1, column: 1 });
    }
    if (text === undefined || (ownNamed.has(path) && writesOwnKey(text))) continue;
    if (truncated === true) warnings.push(tooLong(path, bytes, fileBytes));
    characters += text.length;
    await turnToParse(text);
    const { source, keys, warnings: found } = checkRuleFile(text, { ...each, frontMatterBytes });
    files.push({ ...each, source, keys, imports: place.imports ? findImports(text, place.imports) : [] });
    warnings.push(...found);
  }
  if (looked < placed.length) {
    const message = `Only ${looked} files of other tools were checked; ${placed.length - looked} were left out.`;
    warnings.push({ code: 'limit_context_files', message });
  }
  return { files, foreign, warnings };
}

/** Everything that the text alone shows, for a file at a place of a format. */
export function checkRuleFile(
  text: string,
  { path, format, place, frontMatterBytes }: Pick<Placed, 'path' | 'format' | 'place'> & { frontMatterBytes: number },
): Pick<CheckedRuleFile, 'source' | 'keys'> & { warnings: Warning[] } {
  const { value: source, warnings } = place.read(text, { path, frontMatterBytes });
  const { bodyLine } = (source.hasFrontMatter ? source : splitFrontMatter(text)) ?? {};
  const keys: WrittenKeys = bodyLine === undefined ? new Map() : readWrittenKeys(text, bodyLine);
  // Files of other types are examples, and may contain such things on purpose.
  const suspicious = isIncludable(path, path) ? checkDelivered(text, path) : [];
  const found = [...warnings, ...ruleKeyWarnings({ path, format, source, keys }), ...suspicious];
  return { source, keys, warnings: placeInText(found, text) };
}

/** The files of a project at the places of formats. `foreign`: the first that `keepOwn` drops. */
async function placeFiles(
  tree: Tree,
  { ownNamed, refused }: { ownNamed: ReadonlySet<string>; refused: readonly FoundEntry[] },
  world: World,
): Promise<{ placed: Placed[]; foreign: string | undefined; misnamed: Misnamed[] }> {
  const placed: Placed[] = [];
  const misnamed: Misnamed[] = [];
  const isThere = (path: string): boolean =>
    tree.files.some((file) => isInside(path, file)) || refused.some((entry) => entry.path === path);
  const noteMissed = (path: string): void => {
    const missed = ownNamed.has(path) ? undefined : missedPlace(path, { ...tree, isThere });
    if (missed) misnamed.push({ path, ...missed });
  };
  const note = (path: string): void => {
    const found = placeOf(path, tree);
    if (found) placed.push({ path, ...found });
    else noteMissed(path);
  };
  await visitFiles(tree.files, note, tree.pause);
  placed.push(...(await linkedFiles(refused, tree, world)));
  for (const { path, refusal } of refused)
    if (refusal === 'symlink' && placeOf(path, tree) === undefined) noteMissed(path);
  const own = await keepOwn(placed, tree, world);
  const kept = new Set(own);
  const foreign = placed.find((each) => !kept.has(each))?.path;
  return { placed: own, foreign, misnamed: await keepOwn(misnamed, tree, world) };
}

/** Drops files in nested repositories and in copies of packages. */
export async function keepOwn<Each extends { owner: string }>(
  placed: readonly Each[],
  { mountedDirectory }: Tree,
  world: World,
): Promise<Each[]> {
  const foreign = new Map<string, boolean>();
  const isForeign = async (owner: string): Promise<boolean> => {
    const has = async (name: string) => (await world.gate.stat(joinPath(owner, name))).ok;
    return (await has('.git')) || holdsPackages(owner, has);
  };
  const kept: Each[] = [];
  for (const each of placed) {
    if (world.isLate()) break;
    let isOwn = true;
    for (const owner of ownersOf(each.owner, mountedDirectory)) {
      const known = foreign.get(owner) ?? (await isForeign(owner));
      foreign.set(owner, known);
      if (known) isOwn = false;
    }
    if (isOwn) kept.push(each);
  }
  return kept;
}

/**
 * Files that have the name of a place only through a link that is followed (FM-06). They are checked under their own
 * paths.
 */
async function linkedFiles(refused: readonly FoundEntry[], tree: Tree, world: World): Promise<Iterable<Placed>> {
  const { gate, reach } = world;
  const own = createOwnRepository(world, tree.mountedDirectory);
  const linked = new Map<string, Placed>();
  for (const { path, refusal } of refused) {
    if (world.isLate()) break;
    const at = refusal === 'symlink' ? placeOf(path, tree) : undefined;
    if (at === undefined || folderOf(path, at) !== undefined) continue;
    const real = await gate.realPath(path);
    const roots = reach.followSymlinks ? reach.roots : rootsAround(path, reach.roots);
    if (!real.ok || !liesInRoots(real.realPath, roots)) continue;
    if (await own.isForeign(real.realPath, [{ owner: at.owner, scope: 'static', path }])) continue;
    const target = await world.placing(real.realPath);
    if (!linked.has(target) && placeOf(target, tree) === undefined) linked.set(target, { ...at, path: target });
  }
  return linked.values();
}

/** Reports a rule for certain files whose patterns match no file of the tree, so that it never applies. */
export async function checkRulePatterns(file: CheckedRuleFile, tree: Tree): Promise<Warning | undefined> {
  const { path, owner, source, keys, format } = file;
  const { globs } = source;
  if (globs.length === 0) return undefined;
  // A pattern for skipped directories, or with other syntax, may match something.
  if (globs.some((pattern) => namesSkippedDirectory(pattern) || syntaxProblem(pattern) !== undefined)) return undefined;
  const matchers = globs.map((pattern) => fileMatcher(pattern, [tree.mountedDirectory, owner]));
  const isOther = (each: string): boolean => each !== path && matchers.some((matches) => matches(each));
  if ((await findFile(tree.files, isOther, tree.pause)) !== undefined) return undefined;
  const key = Object.keys(format.keys ?? {}).find((name) => globs.some((glob) => keys.get(name)?.text.includes(glob)));
  const at = key === undefined ? undefined : keys.get(key)?.find(globs[0] as string);
  const shown = globs.length === 1 ? `"${globs[0]}"` : `any of its ${globs.length} patterns`;
  const below = owner === tree.mountedDirectory ? 'of the tree' : `below ${relativePath(tree.mountedDirectory, owner)}`;
  const message = `No file ${below} matches ${shown}, so the rule applies to nothing now.`;
  return { code: 'rule_for_no_file', message, path, line: 1, column: 1, ...at };
}

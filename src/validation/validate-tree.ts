/**
 * Checks all configurations, context files, policies and rule files of a tree, alone and together (AP-08; CC-06,
 * CC-09).
 */

import { isInside, joinPath, relativePath } from '../access/paths.ts';
import { decideSensitive } from '../access/sensitive.ts';
import { type World, warningsOfLimits } from '../access/world.ts';
import { isSupportedType, namesOneFile } from '../context/candidate.ts';
import { checkMountedDirectory } from '../context/mounted-directory.ts';
import { directoryOfIgnoreFile } from '../ignore/ignore-kinds.ts';
import { createPause, inTurns } from '../pace/turns.ts';
import type { Warning } from '../warnings.ts';
import { patternsOf, type Tree, type TreeDirectory, type TreeFile, type TreePolicy } from './checked-tree.ts';
import { chooseDeliverable } from './deliverable.ts';
import type { ValidateResult } from './diagnostic.ts';
import { fileNameWarnings } from './file-name-checks.ts';
import { findFile, visitFiles } from './find-file.ts';
import { type CausedWarning, diagnosing } from './finish.ts';
import { checkInclude } from './include-checks.ts';
import { duplicateNameWarnings, duplicateServerWarnings } from './name-checks.ts';
import { ignoreFileWarnings, type Reading, readDirectories, readPolicies, readTreeFile } from './read-tree.ts';
import { compareRuleFiles } from './rule-copies.ts';
import { type CheckedRuleFile, checkRulePatterns, readRuleFiles } from './rule-files.ts';
import { checkRuleImports } from './rule-imports.ts';
import { checkRuleLinks } from './rule-links.ts';
import { checkRuleSettings } from './rule-settings.ts';
import { type Survey, surveyTree } from './survey.ts';
import { checkException, checkExclude, checkGlob } from './unused-patterns.ts';

/** `depth`: how many levels of folders a request searches for context files. */
type TreeOptions = { clientContextPath: string; depth: number };

/** `world` has the limits of `treeLimits`. Throws like `resolve` for a directory that cannot be read. */
export async function validateTree(world: World, options: TreeOptions): Promise<ValidateResult> {
  const { mountedDirectory } = world;
  const { clientContextPath } = options;
  await checkMountedDirectory(mountedDirectory, world);
  const survey = await surveyTree(world, clientContextPath);
  const { contextDirectories } = survey;
  const tree = await treeOf(survey, world);
  const misnamed = await fileNameWarnings(tree.files, contextDirectories, tree.pause);
  const warnings: CausedWarning[] = [...misnamed, ...unlistedRoot(survey, mountedDirectory)];
  // Entries of context directories are listed a second time, and must not count twice.
  const reading: Reading = { world: { ...world, entriesLeft: world.limits.entries }, warnings };
  const directories = await readDirectories(contextDirectories, reading);
  const policies = await readPolicies(survey, reading);
  const run = async (checks: readonly Check[]): Promise<void> => {
    // A pattern could match a file that was not seen.
    if (survey.isWhole) await runChecks(checks, { world, warnings });
  };
  await run(directories.flatMap((directory) => includeChecks(directory, tree)));
  const { files: ruleFiles, foreign } = await checkRules(directories, { survey, tree, world, warnings });
  const settings = await checkRuleSettings(directories, clientContextPath, reading.world);
  warnings.push(...settings.warnings);
  const conditional = ruleFiles.filter(({ source }) => source.trigger === 'auto' && !source.disabled);
  await run(conditional.map((file) => () => checkRulePatterns(file, tree)));
  const told = new Set(misnamed.map(({ path = '' }) => path));
  const rulePaths = new Set(ruleFiles.map(({ path }) => path));
  const contextFiles = await readContextFiles(directories, { depth: options.depth, told, rulePaths }, reading);
  warnings.push(
    ...duplicateServerWarnings(directories, mountedDirectory),
    ...duplicateNameWarnings(contextFiles, mountedDirectory),
    ...ignoreFileWarnings(world.reach.policies).map((each) => ({ line: 1, column: 1, ...each })),
  );
  await run(otherChecks({ directories, contextFiles, policies }, tree));
  const found = contextDirectories.length + policies.length + ruleFiles.length + warnings.length;
  if (found === 0 && !settings.isNamed && survey.isWhole && !(await hasIgnoreFile(tree)))
    warnings.push(nothingToCheck(mountedDirectory, clientContextPath, foreign));
  warnings.push(...unlistedFolders(survey, mountedDirectory));
  return inTurns(diagnosing([...warnings, ...warningsOfLimits(world)]), tree.pause);
}

async function treeOf({ files }: Survey, { mountedDirectory, homeDirectory }: World): Promise<Tree> {
  const pause = createPause();
  const readableFiles: string[] = [];
  const noteReadable = (path: string): void => {
    if (isSupportedType(path) && decideSensitive(path) === undefined) readableFiles.push(path);
  };
  await visitFiles(files, noteReadable, pause);
  return { mountedDirectory, homeDirectory, files, readableFiles, pause };
}

async function hasIgnoreFile({ files, pause }: Tree): Promise<boolean> {
  return (await findFile(files, (path) => directoryOfIgnoreFile(path) !== undefined, pause)) !== undefined;
}

/** `foreign`: a rule file that belongs to something else. */
function nothingToCheck(mountedDirectory: string, clientContextPath: string, foreign: string | undefined): Warning {
  const hint =
    foreign === undefined
      ? 'Is it the right directory?'
      : `Rule files are only in copies of packages or in other repositories, such as "${relativePath(mountedDirectory, foreign)}". Check these from their own directory.`;
  const message = `There is no "${clientContextPath}" directory, no policy, no ignore file and no rule file of another tool in this tree. ${hint}`;
  return { code: 'nothing_to_check', message, path: mountedDirectory };
}

function unlistedRoot({ refused }: Survey, mountedDirectory: string): CausedWarning[] {
  if (!refused.some(({ path, refusal }) => path === mountedDirectory && refusal === 'unreadable')) return [];
  return [{ code: 'unreadable', message: 'What is in the directory cannot be listed.', path: mountedDirectory }];
}

/** Folders in context directories are unreadable context, which other findings say. */
function unlistedFolders({ refused, contextDirectories }: Survey, mountedDirectory: string): CausedWarning[] {
  const message = 'This folder cannot be listed, so nothing in it is checked.';
  return refused
    .filter(({ refusal, isDirectory }) => isDirectory && refusal === 'unreadable')
    .filter(({ path }) => path !== mountedDirectory && !contextDirectories.some((each) => isInside(each.path, path)))
    .map(({ path }) => ({ code: 'folder_not_checked', message, path }));
}

type Check = () => Promise<Warning | undefined>;

type RuleRun = { survey: Survey; tree: Tree; world: World; warnings: CausedWarning[] };

/** Reads the files of other tools, and checks each alone and all together. */
async function checkRules(
  directories: readonly TreeDirectory[],
  { survey, tree, world, warnings }: RuleRun,
): Promise<{ files: CheckedRuleFile[]; foreign: string | undefined }> {
  const ownNamed = new Set(directories.flatMap(filesNamedBy));
  const { files, foreign, warnings: found } = await readRuleFiles(tree, world, { ownNamed, refused: survey.refused });
  warnings.push(
    ...found,
    ...(await compareRuleFiles(files, tree, world)),
    ...(await checkRuleLinks(survey.refused, { files, tree, world })),
    ...(await checkRuleImports(files, world)),
  );
  return { files, foreign };
}

/** The files that include patterns without wildcards name. */
function filesNamedBy(directory: TreeDirectory): string[] {
  const { owner } = directory.loaded.directory;
  return patternsOf(directory, 'includeFiles').flatMap(({ pattern }) =>
    namesOneFile(pattern) ? [joinPath(owner, pattern)] : [],
  );
}

function includeChecks(directory: TreeDirectory, tree: Tree): Check[] {
  return patternsOf(directory, 'includeFiles').map((each) => () => checkInclude(each, directory, tree));
}

function otherChecks(
  read: { directories: readonly TreeDirectory[]; contextFiles: readonly TreeFile[]; policies: readonly TreePolicy[] },
  tree: Tree,
): Check[] {
  const { directories, contextFiles, policies } = read;
  const auto = contextFiles.filter(({ checked: { source } }) => source.trigger === 'auto' && !source.disabled);
  return [
    ...directories.flatMap((directory) =>
      patternsOf(directory, 'excludeFiles').map((each) => () => checkExclude(each, directory, { tree, directories })),
    ),
    ...auto.flatMap((file) => file.checked.globs.map((each) => () => checkGlob(each, file, tree))),
    ...policies.flatMap((policy) => policy.checked.patterns.map((each) => () => checkException(each, policy, tree))),
  ];
}

/** There can be more findings than a call takes arguments. */
async function runChecks(checks: readonly Check[], { world, warnings }: Reading): Promise<void> {
  for (const [index, check] of checks.entries()) {
    if (world.isLate()) {
      const message = `Checking stops after ${world.limits.walkMs} ms; ${checks.length - index} patterns were not compared with the files of the tree.`;
      warnings.push({ code: 'limit_walk_time', message });
      return;
    }
    const warning = await check();
    if (warning) warnings.push(warning);
  }
}

/** `depth`: as in `TreeOptions`. `told`: files with findings about their names. `rulePaths`: files of other tools. */
type ContextPlace = { depth: number; told: ReadonlySet<string>; rulePaths: ReadonlySet<string> };

/**
 * Reads the files of the context directories and those that their configurations include, each once, within the limits.
 */
async function readContextFiles(
  directories: readonly TreeDirectory[],
  place: ContextPlace,
  reading: Reading,
): Promise<TreeFile[]> {
  const { warnings, world } = reading;
  const { owners, undecided } = await chooseContextFiles(directories, place, reading);
  const read: TreeFile[] = [];
  let looked = 0;
  for (const [path, owner] of owners) {
    if (looked >= world.limits.contextFiles || world.isLate()) break;
    looked += 1;
    const file = await readTreeFile(path, owner, reading);
    if (file) read.push(file);
  }
  const leftOut = undecided + owners.size - looked;
  if (leftOut > 0) {
    const message = `Only ${looked} context files were checked; ${leftOut} were left out.`;
    warnings.push({ code: 'limit_context_files', message });
  }
  return read;
}

/** The context files, each with the owner of its context directory, and how many were not decided in time. */
async function chooseContextFiles(
  directories: readonly TreeDirectory[],
  place: ContextPlace,
  { warnings, world }: Reading,
): Promise<{ owners: ReadonlyMap<string, string>; undecided: number }> {
  const owners = new Map<string, string>();
  let undecided = 0;
  for (const directory of directories) {
    const chosen = await chooseDeliverable(directory, place, world);
    undecided += chosen.undecided;
    warnings.push(...chosen.warnings);
    for (const path of chosen.paths) owners.set(path, directory.loaded.directory.owner);
  }
  for (const { loaded, included } of directories)
    for (const [path, excluder] of included)
      if (excluder === undefined && !owners.has(path) && !place.rulePaths.has(path))
        owners.set(path, loaded.directory.owner);
  return { owners, undecided };
}

/** Checks every configuration, context file and policy of a tree, alone and together (AP-08; CC-06, CC-09). */

import { decideSensitive } from '../access/sensitive.ts';
import { type World, warningsOfLimits } from '../access/world.ts';
import { isSupportedType } from '../context/candidate.ts';
import { checkMountedDirectory } from '../context/gather.ts';
import { createPause, inTurns } from '../pace/turns.ts';
import type { Limits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import { patternsOf, type Tree, type TreeDirectory, type TreeFile, type TreePolicy } from './checked-tree.ts';
import { chooseDeliverable } from './deliverable.ts';
import type { ValidateResult } from './diagnostic.ts';
import { fileNameWarnings } from './file-name-checks.ts';
import { createPace, findFile } from './find-file.ts';
import { diagnosing, type Finding } from './finish.ts';
import { checkInclude } from './include-checks.ts';
import { duplicateNameWarnings, duplicateServerWarnings } from './name-checks.ts';
import { ignoreFileWarnings, type Reading, readContextFile, readDirectories, readPolicies } from './read-tree.ts';
import { checkRulePatterns, compareRuleFiles, readRuleFiles } from './rule-file-checks.ts';
import { surveyTree } from './survey.ts';
import { checkException, checkExclude, checkGlob } from './unused-patterns.ts';

/** A check sees all of a tree, and no model waits for it: it may cost more than a request. */
export function treeLimits(limits: Limits): Limits {
  const { entries, depth, walkMs, contextFiles, policyMs } = limits;
  const more = { walkMs: 5 * walkMs, policyMs: 5 * policyMs, contextFiles: 5 * contextFiles };
  return { ...limits, entries: 4 * entries, depth: 4 * depth, ...more };
}

/** `mountedDirectory` absolute and normalised; `depth`: levels of folders in which a request looks for context files. */
type TreePlace = { mountedDirectory: string; clientContextPath: string; depth: number };

/** `world` has the limits of `treeLimits`. Throws like `resolve` for a directory that cannot be looked at. */
export async function validateTree(place: TreePlace, world: World): Promise<ValidateResult> {
  const { mountedDirectory, clientContextPath } = place;
  await checkMountedDirectory(mountedDirectory, world);
  const survey = await surveyTree(mountedDirectory, clientContextPath, world);
  const { files, contextDirectories } = survey;
  const pause = createPause();
  const misnamed = await fileNameWarnings(files, contextDirectories, pause);
  const warnings: Finding[] = [...misnamed];
  // What lies in context directories is listed once more, which must not count twice.
  const reading: Reading = { world: { ...world, entriesLeft: world.limits.entries }, mountedDirectory, warnings };
  const directories = await readDirectories(contextDirectories, reading);
  const policies = await readPolicies(survey, reading);
  const pace = createPace();
  const readableFiles: string[] = [];
  const noteReadable = (path: string): false => {
    if (isSupportedType(path) && decideSensitive(path) === undefined) readableFiles.push(path);
    return false;
  };
  await findFile(files, noteReadable, pace);
  const tree: Tree = { mountedDirectory, homeDirectory: world.homeDirectory, files, readableFiles, pace };
  const run = async (checks: readonly Check[]): Promise<void> => {
    // What was not seen could match.
    if (survey.isWhole) warnings.push(...(await runChecks(checks, world)));
  };
  await run(directories.flatMap((directory) => includeChecks(directory, tree)));
  const told = new Set(misnamed.map(({ path = '' }) => path));
  const contextFiles = await readContextFiles(directories, { ...place, told }, reading);
  warnings.push(
    ...duplicateServerWarnings(directories, mountedDirectory),
    ...duplicateNameWarnings(contextFiles, mountedDirectory),
  );
  const ruleFiles = await readRuleFiles(tree, world, warnings);
  warnings.push(...compareRuleFiles(ruleFiles, mountedDirectory));
  await run(ruleFiles.map((file) => () => checkRulePatterns(file, tree)));
  warnings.push(...ignoreFileWarnings(world.reach.policies).map((each) => ({ line: 1, column: 1, ...each })));
  await run(otherChecks({ directories, contextFiles, policies }, tree));
  if (contextDirectories.length + policies.length + ruleFiles.length + warnings.length === 0 && survey.isWhole) {
    const message = `There is no "${clientContextPath}" directory and no policy in this tree. Is it the right directory?`;
    warnings.push({ code: 'nothing_to_check', message, path: mountedDirectory });
  }
  return inTurns(diagnosing([...warnings, ...warningsOfLimits(world)]), pause);
}

type Check = () => Promise<Warning | undefined>;

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

async function runChecks(checks: readonly Check[], world: World): Promise<Warning[]> {
  const warnings: Warning[] = [];
  for (const [index, check] of checks.entries()) {
    if (world.isLate()) {
      const message = `Checking stops after ${world.limits.walkMs} ms; ${checks.length - index} patterns were not compared with the files of the tree.`;
      return [...warnings, { code: 'limit_walk_time', message }];
    }
    const warning = await check();
    if (warning) warnings.push(warning);
  }
  return warnings;
}

/** What the context directories hold and what their configurations include, each file once, within the limits. */
async function readContextFiles(
  directories: readonly TreeDirectory[],
  place: { depth: number; told: ReadonlySet<string> },
  reading: Reading,
): Promise<TreeFile[]> {
  const { warnings, world } = reading;
  const owners = new Map<string, string>();
  let leftOut = 0;
  for (const directory of directories) {
    const chosen = await chooseDeliverable(directory, place, world);
    leftOut += chosen.undecided;
    warnings.push(...chosen.warnings);
    for (const path of chosen.paths) owners.set(path, directory.loaded.directory.owner);
  }
  for (const { loaded, included } of directories)
    for (const [path, excluder] of included)
      if (excluder === undefined && !owners.has(path)) owners.set(path, loaded.directory.owner);
  const read: TreeFile[] = [];
  let looked = 0;
  for (const [path, owner] of owners) {
    if (looked >= world.limits.contextFiles || world.isLate()) {
      leftOut += owners.size - looked;
      break;
    }
    looked += 1;
    const file = await readContextFile(path, owner, reading);
    if (file) read.push(file);
  }
  if (leftOut > 0) {
    const message = `Only ${looked} context files were checked; ${leftOut} were left out.`;
    warnings.push({ code: 'limit_context_files', message });
  }
  return read;
}

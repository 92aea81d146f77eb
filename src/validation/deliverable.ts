/** Decides which files of a context directory are context, and reports the others (CC-13, CC-18, CC-24). */

import { isPutByEditor } from '../access/editor-files.ts';
import { baseName, relativePath } from '../access/paths.ts';
import { isPolicyFile } from '../access/policy-file-names.ts';
import { decideSensitive } from '../access/sensitive.ts';
import type { World } from '../access/world.ts';
import { type Candidate, contextFileExtensions, isSupportedType } from '../context/candidate.ts';
import { isConfigFile } from '../context/directories.ts';
import { decideExclusion } from '../context/exclusion.ts';
import { shortenList } from '../texts/shorten.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Warning } from '../warnings.ts';
import type { TreeDirectory } from './checked-tree.ts';
import { sensitiveMessage } from './file-name-checks.ts';

/**
 * `depth`: how many levels of folders a request searches. Files that the configuration excludes are not checked.
 * `undecided`: how many files were not decided in time (CC-06).
 */
export async function chooseDeliverable(
  { loaded, merged }: TreeDirectory,
  options: { depth: number; told: ReadonlySet<string> },
  {
    homeDirectory,
    reach: { roots },
    allowances: { excludes: allowance },
    isLate,
  }: Pick<World, 'homeDirectory' | 'reach' | 'allowances' | 'isLate'>,
): Promise<{ paths: string[]; warnings: Warning[]; undecided: number }> {
  const { directory } = loaded;
  const place = { workingDirectory: directory.owner, homeDirectory, roots };
  const warnings: Warning[] = [];
  const unsupported: string[] = [];
  const isMeant = (candidate: Candidate): boolean =>
    candidate.refusal === undefined &&
    !candidate.isDirectory &&
    !isConfigFile(candidate.path, directory.path) &&
    !isPolicyFile(candidate.path) &&
    !options.told.has(candidate.path) &&
    decideExclusion(candidate, merged, place) === undefined;
  const paths: string[] = [];
  const choose = (candidate: Candidate): void => {
    if (!isMeant(candidate)) return;
    const { path } = candidate;
    const tell = (code: WarningCode, message: string) => warnings.push({ code, message, path, line: 1, column: 1 });
    const inDirectory = relativePath(directory.path, path);
    const sensitive = decideSensitive(path);
    if (sensitive) tell('sensitive_name', sensitiveMessage(sensitive.pattern));
    else if (isPutByEditor(baseName(path))) return;
    else if (!isSupportedType(path)) unsupported.push(inDirectory);
    else if (inDirectory.split('/').length - 1 > options.depth)
      tell('too_deep', `Folders are searched ${options.depth} levels deep; this one is not found. Move it up.`);
    else paths.push(path);
  };
  let undecided = 0;
  for (const candidate of loaded.candidates) {
    if (isLate()) undecided += isSupportedType(candidate.path) ? 1 : 0;
    else allowance.spend(() => choose(candidate));
    const pause = allowance.pause();
    if (pause) await pause;
  }
  if (unsupported.length > 0) {
    const supported = contextFileExtensions.join(', ');
    const message = `Only ${supported} files are delivered; left out: ${shortenList(unsupported, 5)}.`;
    const [only] = unsupported;
    const at =
      unsupported.length === 1 ? { path: `${directory.path}/${only}`, line: 1, column: 1 } : { path: directory.path };
    warnings.push({ code: 'unsupported_type', message, ...at });
  }
  return { paths, warnings, undecided };
}

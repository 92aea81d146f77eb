/** Finds configurations and policies that are never read because of their name or place (CC-07, AP-01). */

import { baseName, directoriesBetween, parentPath, relativePath } from '../access/paths.ts';
import { policyFileNames } from '../access/policy-file-names.ts';
import type { ContextDirectory } from '../context/directories.ts';
import type { Pause } from '../pace/turns.ts';
import type { Warning } from '../warnings.ts';

const configName = 'context-config.json';
const dataExtension = /\.(?:jsonc?|json5|ya?ml|toml)$/iu;

/** Findings about the names of the files of a tree. Pauses, because there can be very many. */
export async function fileNameWarnings(
  files: readonly string[],
  contextDirectories: readonly ContextDirectory[],
  pause: Pause,
): Promise<Warning[]> {
  const places: Places = {
    byPath: new Map(contextDirectories.map((each) => [each.path, each])),
    byOwner: new Map(contextDirectories.map((each) => [each.owner, each])),
  };
  const warnings: Warning[] = [];
  for (const path of files) {
    const turn = pause();
    if (turn) await turn;
    const warning = fileNameWarning(path, places);
    if (warning) warnings.push(warning);
  }
  return warnings;
}

type Places = Readonly<Record<'byPath' | 'byOwner', ReadonlyMap<string, ContextDirectory>>>;

function fileNameWarning(path: string, { byPath, byOwner }: Places): Warning | undefined {
  const name = baseName(path);
  if (!/config|policy/iu.test(name)) return undefined;
  const at = { path, line: 1, column: 1 };
  const plain = name
    .replace(dataExtension, '')
    .toLowerCase()
    .replaceAll(/[-_.\s]/gu, '');
  const isHiddenOrYaml = name.startsWith('.') || /\.ya?ml$/iu.test(name);
  if (plain === 'aicontextpolicy' && isHiddenOrYaml && !policyFileNames.some((known) => known === name)) {
    const message = `This file is not read, so it restricts nothing. Rename it to "${policyFileNames[0]}".`;
    return { code: 'misnamed_policy', message, ...at };
  }
  if (plain !== 'contextconfig') return undefined;
  const directory = parentPath(path);
  const inRoot = byPath.has(directory);
  if (name === configName && !inRoot) {
    const around = directoriesBetween('/', directory).find((each) => byPath.has(each));
    const near = byOwner.get(directory) ?? byPath.get(around ?? '');
    if (near === undefined) return undefined;
    const home = relativePath(near.owner, near.path);
    const message = `A configuration is not read from here. Move it to "${home}/${configName}".`;
    return { code: 'misplaced_config_file', message, ...at };
  }
  if (name === configName || !inRoot) return undefined;
  const message = `This file is not read. Rename it to "${configName}", and write it in JSON.`;
  return { code: 'misnamed_config', message, ...at };
}

/** The message about a name that `decideSensitive` refuses because of `pattern` (CC-18). */
export function sensitiveMessage(pattern: string): string {
  return `The name matches "${pattern}", a pattern for files with secrets, so the file is never read. Rename it if it has no secrets.`;
}

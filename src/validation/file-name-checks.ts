/** Files that are meant to configure and are never read, because of their name or their place (CC-07, AP-01). */

import type { ContextDirectory } from '../context/directories.ts';
import { baseName, isInside, parentPath, relativePath } from '../paths.ts';
import { policyFileNames } from '../policy-file-names.ts';
import type { Warning } from '../warnings.ts';

const configName = 'context-config.json';
const dataExtension = /\.(?:jsonc?|json5|ya?ml|toml)$/iu;

/** Findings about the names of the files of a tree. */
export function fileNameWarnings(files: readonly string[], contextDirectories: readonly ContextDirectory[]): Warning[] {
  const roots = new Set(contextDirectories.map(({ path }) => path));
  return files.flatMap((path) => {
    const name = baseName(path);
    if (!/config|policy/iu.test(name)) return [];
    const at = { path, line: 1, column: 1 };
    const plain = name
      .replace(dataExtension, '')
      .toLowerCase()
      .replaceAll(/[-_.\s]/gu, '');
    const isHiddenOrYaml = name.startsWith('.') || /\.ya?ml$/iu.test(name);
    if (plain === 'aicontextpolicy' && isHiddenOrYaml && !policyFileNames.some((known) => known === name)) {
      const message = `This file is not read, and restricts nothing. Rename it to "${policyFileNames[0]}".`;
      return [{ code: 'misnamed_policy', message, ...at }];
    }
    if (plain !== 'contextconfig') return [];
    const inRoot = roots.has(parentPath(path));
    if (name === configName && !inRoot) {
      const near = contextDirectories.find((each) => isInside(each.path, path) || each.owner === parentPath(path));
      if (near === undefined) return [];
      const home = relativePath(near.owner, near.path);
      const message = `A configuration is not read from here. Move it to "${home}/${configName}".`;
      return [{ code: 'misplaced_config_file', message, ...at }];
    }
    if (name === configName || !inRoot) return [];
    const message = `This file is not read. Rename it to "${configName}", and write it in JSON.`;
    return [{ code: 'misnamed_config', message, ...at }];
  });
}

/** What is said of a name that `decideSensitive` refuses by `pattern` (CC-18). */
export function sensitiveMessage(pattern: string): string {
  return `The name fits "${pattern}", the form of files with secrets, so the file is never read. Rename it if it holds none.`;
}

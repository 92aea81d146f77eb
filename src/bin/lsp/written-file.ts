/** Which kind of file of contextd a document is, by its path. */
import { isInside, joinPath, parentPath } from '../../access/paths.ts';
import { isPolicyFile } from '../../access/policy-file-names.ts';
import { isSupportedType } from '../../context/candidate.ts';
import { isConfigFile } from '../../context/directories.ts';
import type { FormatAt } from '../../context/formats/format-at.ts';
import type { CheckedKind } from '../../validation/diagnostic.ts';
import { ruleAt } from '../../validation/validate-content.ts';

/** `owner`: the directory that the file is about. `rule`: if it is a rule file of another tool. */
export type WrittenFile = Readonly<{ path: string; kind: CheckedKind; owner: string; rule?: FormatAt }>;

/** `undefined` for any other file. `path` is absolute and normalised. */
export function writtenFileAt(path: string, clientContextPath: string): WrittenFile | undefined {
  if (isPolicyFile(path)) return { path, kind: 'ai-context-policy', owner: parentPath(path) };
  // The outermost one: files in a context directory are its content, whatever their name.
  const at = path.indexOf(`/${clientContextPath}/`);
  const owner = path.slice(0, at) || '/';
  const contextDirectory = joinPath(owner, clientContextPath);
  if (at >= 0 && isInside(contextDirectory, path)) {
    if (isConfigFile(path, contextDirectory)) return { path, kind: 'context-config', owner };
    return isSupportedType(path) ? { path, kind: 'context-file', owner } : undefined;
  }
  const rule = ruleAt(path);
  return rule && { path, kind: 'context-file', owner: rule.owner, rule };
}

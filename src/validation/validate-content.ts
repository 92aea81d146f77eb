/** Checks the text of one file without reading the disk (AP-08). */

import { directoriesBetween, joinPath, normalizePath, parentPath } from '../access/paths.ts';
import { decideSensitive } from '../access/sensitive.ts';
import { contextFileExtensions, isSupportedType } from '../context/candidate.ts';
import { type FormatAt, formatsAt } from '../context/formats/format-at.ts';
import { isOfOthers } from '../context/sources/rule-owners.ts';
import { fixedLimits } from '../settings.ts';
import { withoutMark } from '../texts/decode-text.ts';
import type { Warning } from '../warnings.ts';
import { checkConfig } from './check-config.ts';
import { checkContextFile } from './check-context-file.ts';
import { checkPolicy } from './check-policy.ts';
import type { ValidateContentRequest, ValidateResult } from './diagnostic.ts';
import { sensitiveMessage } from './file-name-checks.ts';
import { finishDiagnostics } from './finish.ts';
import { checkRuleFile } from './rule-files.ts';

/** The findings about a text. Each has a line and a column in it, and the `path` of the request, if there is one. */
export function validateContent({ kind, content, path }: ValidateContentRequest): ValidateResult {
  const warnings = [...checkName(kind, path), ...checkers[kind](content, path ?? '')];
  return finishDiagnostics(path === undefined ? warnings.map(({ path: _, ...warning }) => warning) : warnings);
}

const checkers: Record<ValidateContentRequest['kind'], (content: string, path: string) => Warning[]> = {
  'context-config': (content, path) => checkConfig(content, path).warnings,
  'ai-context-policy': (content, path) => checkPolicy(content, path).warnings,
  'context-file': (content, path) => {
    const text = withoutMark(content);
    const rule = ruleAt(path);
    if (rule === undefined) return checkContextFile(text, { path }).warnings;
    return checkRuleFile(text, { path, ...rule, frontMatterBytes: fixedLimits.request.frontMatterBytes }).warnings;
  },
};

/** The project directory is searched at most this many levels above a file. */
const maxLevels = 16;

/** The format of a path in any project: each directory above it could be the project's. */
export function ruleAt(path: string): FormatAt | undefined {
  const segments = normalizePath(joinPath('/', path.replaceAll('\\', '/'))).split('/');
  const place = `/${segments
    .filter((segment) => segment !== '')
    .slice(-maxLevels)
    .join('/')}`;
  const isOfProject = ({ owner }: FormatAt): boolean => !owner.split('/').some(isOfOthers);
  for (const mountedDirectory of directoriesBetween('/', parentPath(place)).toReversed()) {
    const found = formatsAt(place, { mountedDirectory, homeDirectory: mountedDirectory }).find(isOfProject);
    if (found) return found;
  }
  return undefined;
}

/** Findings from the name of a context file. */
function checkName(kind: ValidateContentRequest['kind'], path: string | undefined): Warning[] {
  if (kind !== 'context-file' || path === undefined) return [];
  const at = { path, line: 1, column: 1 };
  const sensitive = decideSensitive(path);
  if (sensitive) return [{ code: 'sensitive_name', message: sensitiveMessage(sensitive.pattern), ...at }];
  if (isSupportedType(path) || ruleAt(path) !== undefined) return [];
  const message = `Only ${contextFileExtensions.join(', ')} files are delivered.`;
  return [{ code: 'unsupported_type', message, ...at }];
}

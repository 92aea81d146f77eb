/** Checks the text of one file without looking at the disk (AP-08). */

import { decideSensitive } from '../access/sensitive.ts';
import { contextFileExtensions, isSupportedType } from '../context/candidate.ts';
import { withoutMark } from '../texts/decode-text.ts';
import type { Warning } from '../warnings.ts';
import { checkConfig } from './check-config.ts';
import { checkContextFile } from './check-context-file.ts';
import { checkPolicy } from './check-policy.ts';
import type { ValidateContentRequest, ValidateResult } from './diagnostic.ts';
import { sensitiveMessage } from './file-name-checks.ts';
import { finishDiagnostics } from './finish.ts';

/** The findings about a text. Each has a line and a column in it, and the `path` of the request when that has one. */
export function validateContent({ kind, content, path }: ValidateContentRequest): ValidateResult {
  const warnings = [...checkName(kind, path), ...checkers[kind](content, path ?? '')];
  return finishDiagnostics(path === undefined ? warnings.map(({ path: _, ...warning }) => warning) : warnings);
}

const checkers: Record<ValidateContentRequest['kind'], (content: string, path: string) => Warning[]> = {
  'context-config': (content, path) => checkConfig(content, path).warnings,
  'ai-context-policy': (content, path) => checkPolicy(content, path).warnings,
  'context-file': (content, path) => checkContextFile(withoutMark(content), { path }).warnings,
};

/** What the name alone decides about a context file. */
function checkName(kind: ValidateContentRequest['kind'], path: string | undefined): Warning[] {
  if (kind !== 'context-file' || path === undefined) return [];
  const at = { path, line: 1, column: 1 };
  const sensitive = decideSensitive(path);
  if (sensitive) return [{ code: 'sensitive_name', message: sensitiveMessage(sensitive.pattern), ...at }];
  if (isSupportedType(path)) return [];
  const message = `Only ${contextFileExtensions.join(', ')} files are delivered.`;
  return [{ code: 'unsupported_type', message, ...at }];
}

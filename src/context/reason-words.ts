/** The reasons of a resolve result in words. */

import type { Reason } from '../warnings.ts';
import type { ContextFile } from './context-file.ts';

/** Why a file is active or available. */
export function wordsOfState({
  reason,
  globs,
  similarityScore,
}: Pick<ContextFile, 'reason' | 'globs' | 'similarityScore'>): string {
  const { code, detail } = reason;
  switch (code) {
    case 'trigger_always':
      return 'always';
    case 'glob_matched':
      return `matches ${detail ?? globs.join(', ')}`;
    case 'semantic_match':
      return withDetail(
        `fits the query${similarityScore === undefined ? '' : ` (${similarityScore.toFixed(2)})`}`,
        detail,
      );
    case 'no_glob_matched':
      return `waits for ${globs.join(', ')}; ${detail ?? 'no file in play matches'}`;
    case 'needs_mention':
      return 'waits for a mention';
    case 'needs_query_or_mention':
      return 'waits for a mention or a query';
    case 'semantic_unavailable':
      return 'waits for a mention; search is not available';
    case 'not_relevant':
      return withDetail('does not fit the query', detail);
    case 'imported':
      return `imported by ${detail}`;
    case 'importer_not_active':
      return `waits for ${detail}, which imports it`;
    case 'outside_repository':
      return `waits for a mention; ${detail}`;
    case 'over_budget':
      return `does not fit: ${detail}`;
    default:
      return detail ?? code.replaceAll('_', ' ');
  }
}

function withDetail(words: string, detail: string | undefined): string {
  return detail === undefined ? words : `${words}; ${detail}`;
}

/** Why a file is left out. */
export function wordsOfExclusion({ code, detail }: Reason): string {
  if (detail === undefined) return withoutDetail[code] ?? code.replaceAll('_', ' ');
  const before = beforeDetail[code];
  return before === undefined ? detail : `${before}: ${detail}`;
}

const withoutDetail: Record<string, string> = {
  invalid_utf8: 'not UTF-8 text; save it as UTF-8',
  binary: 'binary; if it is text, save it as UTF-8',
};

/** Words that come before the detail if the detail alone is unclear. */
const beforeDetail: Record<string, string> = {
  excluded_by_config: 'excluded',
  ignored_global: 'ignored',
  ignored_ancestor: 'ignored',
  sensitive: 'sensitive, never read',
  configuration: 'configuration, never delivered',
  limit_reached: 'limit reached',
  blocked_by_policy: 'blocked by policy',
  blocked_by_ignore_file: 'blocked by an ignore file',
};

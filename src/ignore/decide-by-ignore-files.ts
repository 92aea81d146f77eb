/** What loaded ignore files say about one entry. Pure. */
import type { PolicyDecision } from '../access/content-policy.ts';
import type { Steps } from '../pace/turns.ts';
import type { IgnoreKind } from './ignore-kind.ts';
import { findRule, type IgnoreRule } from './ignore-rules.ts';
import type { LoadedIgnoreFile } from './load-ignore-file.ts';

/**
 * Asks the files from the nearest one up. If a file of a nested kind includes the entry again, files of this kind above
 * it do not count.
 */
export function* decideByIgnoreFiles(
  path: string,
  entry: { isDirectory: boolean; names: readonly string[] },
  files: readonly LoadedIgnoreFile[],
): Steps<PolicyDecision | undefined> {
  const decided = new Set<IgnoreKind>();
  for (const file of files.toReversed()) {
    const { kind, excludesAll } = file;
    if (excludesAll !== undefined) return leftOutBy(file);
    if (decided.has(kind)) continue;
    const rule = yield* findRule(path, entry, file);
    if (rule?.ignores) return leftOutBy(file, rule);
    if (rule !== undefined && kind.isNested) decided.add(kind);
  }
  return undefined;
}

function leftOutBy({ path, excludesAll }: LoadedIgnoreFile, rule?: IgnoreRule): PolicyDecision {
  const detail =
    rule === undefined
      ? `${path} ${excludesAll}, which leaves out everything below its directory`
      : `"${rule.pattern}" in ${path}:${rule.line}`;
  const decidedBy = { path, pattern: rule?.pattern, line: rule?.line };
  return { allowed: false, reason: { code: 'blocked_by_ignore_file', detail }, decidedBy };
}

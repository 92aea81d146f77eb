/** One policy file as the gate reads it (AP-01, AP-04). */

import type { FileSnapshot } from '../access/gate.ts';
import { parentPath } from '../access/paths.ts';
import { policyFileNames } from '../access/policy-file-names.ts';
import { refusalWords } from '../access/refusal-words.ts';
import { once } from '../pace/once-for-each.ts';
import { withoutMark } from '../texts/decode-text.ts';
import { createPositions, entriesOf } from '../texts/source-tree.ts';
import { parseYamlSource } from '../texts/yaml-source.ts';
import type { Warning } from '../warnings.ts';
import { blockingPolicy, consequence, exceptionGlobOf, type Policy, parsePolicyFile } from './policy-file.ts';

/** `exceptions` match paths relative to `directory`; `index` counts the patterns of `value.exclude`. */
export type LoadedPolicy = Readonly<{
  path: string;
  directory: string;
  value: Policy;
  valid: boolean;
  warnings: readonly Warning[];
  exceptions: readonly { pattern: string; index: number; matches(relativePath: string): boolean }[];
  /** The lines of the fields and patterns, counted from 1. Found at the first call. */
  lines(): PolicyLines;
  /** Identity of what was read. */
  evidence: unknown;
}>;
/** `isUnsaid`: the file does not say whether it allows or blocks. */
type PolicyLines = { kindLine?: number; isUnsaid?: boolean; patternLines: readonly number[] };

/** What the gate answered when it read a policy. */
type ReadPolicy = { ok: true; snapshot: FileSnapshot } | { ok: false; code: string };

/** A policy from what the gate read. If it could not be read, it blocks everything below, with a warning. */
export function takePolicy(path: string, read: ReadPolicy, policyBytes: number): LoadedPolicy {
  const evidence = read.ok ? read.snapshot : `${path}:${read.code}`;
  const warning = unreadWarning(path, read, policyBytes);
  if (warning !== undefined)
    return policyOf({ path, value: blockingPolicy, valid: false, warnings: [warning], evidence });
  const text = read.ok ? (read.snapshot.text ?? '') : '';
  const { value, valid, warnings } = parsePolicyFile(text, { path, policyBytes });
  return policyOf({ path, value, valid, warnings, evidence }, () => findLines(text));
}

/** Why a policy is not read (AP-04). Undefined if it is read. */
export function unreadWarning(path: string, read: ReadPolicy, policyBytes: number): Warning | undefined {
  const refusal = read.ok ? read.snapshot.problem : read.code;
  if (refusal !== undefined) {
    const message = `The policy is not read: ${refusalWords[refusal] ?? refusal}. ${consequence}`;
    return { code: 'policy_not_read', message, path, line: 1, column: 1 };
  }
  if (!read.ok || !read.snapshot.truncated) return undefined;
  const message = `The policy is larger than ${policyBytes} bytes. ${consequence}`;
  return { code: 'policy_too_large', message, path, line: 1, column: 1 };
}

/** The warning at the second policy of a directory (AP-05). */
export function secondPolicyWarning(path: string): Warning {
  const message = `There is a ${policyFileNames[0]} here too, and a file must pass both. Merge them into one file.`;
  return { code: 'policy_twice', message, path, line: 1, column: 1 };
}

/** A policy with these values, for example one that is not written yet. */
export function policyOf(
  policy: Pick<LoadedPolicy, 'path' | 'value' | 'valid' | 'warnings' | 'evidence'>,
  linesOf: () => PolicyLines = () => ({ patternLines: [] }),
): LoadedPolicy {
  const exceptions = policy.value.exclude.flatMap((pattern, index) => {
    const compiled = exceptionGlobOf(pattern);
    return 'glob' in compiled ? [{ pattern, index, matches: compiled.glob.matches }] : [];
  });
  return Object.freeze({
    ...policy,
    directory: parentPath(policy.path),
    exceptions,
    lines: once(linesOf),
  });
}

function findLines(text: string): PolicyLines {
  const content = withoutMark(text);
  const root = entriesOf(parseYamlSource(content));
  if (root === undefined) return { isUnsaid: true, patternLines: [] };
  const kind = root.get('ai_context_policy');
  const exclude = root.get('exclude')?.node.value;
  const isWritten = kind !== undefined && kind.node.value !== null;
  const placeOf = createPositions(content);
  return {
    ...(isWritten ? { kindLine: placeOf(kind.offset).line } : { isUnsaid: true }),
    patternLines: Array.isArray(exclude) ? exclude.map(({ offset }) => placeOf(offset).line) : [],
  };
}

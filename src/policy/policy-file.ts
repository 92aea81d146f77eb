/** AI context policy files (AP-01, AP-02, AP-04, S-63). */

import { z } from 'zod';
import { globOf } from '../context/candidate.ts';
import { GlobPattern } from '../context/config.ts';
import type { Glob } from '../globs/globs.ts';
import { fixedLimits } from '../settings.ts';
import { closestName } from '../texts/closest-name.ts';
import { withoutMark } from '../texts/decode-text.ts';
import { leaf, list, type Reader, readFields } from '../texts/field-readers.ts';
import { createPositions, createWarningList, exceedsBytes, type Report, type SourceMap } from '../texts/source-tree.ts';
import { parseYamlSource } from '../texts/yaml-source.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Warning } from '../warnings.ts';

/** What a policy says about all files that no exception matches. */
export const PolicyKind = z.enum(['allow', 'block'], 'must be "allow" or "block"');
const PolicyVersion = z.literal(1, 'must be 1, the only version');

/** A policy file as it is written. */
export const AiContextPolicy = z
  .strictObject({
    ai_context_policy: PolicyKind.optional().describe(
      '`allow`: everything below this directory may be sent to a model, except what `exclude` names. `block`: nothing, except what `exclude` names. Default: `block`.',
    ),
    exclude: z
      .array(GlobPattern)
      .max(fixedLimits.request.patterns)
      .nullish()
      .describe('Glob patterns of the exceptions, relative to the directory of this file.'),
    version: PolicyVersion.optional().describe('Version of the format.'),
  })
  .describe('What an AI system may see in this directory and below it.');
export type AiContextPolicy = z.infer<typeof AiContextPolicy>;

/** A parsed policy. Absent fields have their defaults. */
export type Policy = { aiContextPolicy: z.infer<typeof PolicyKind>; exclude: string[]; version: 1 };

/** Applies below a policy that cannot be fully understood (AP-04). A file without fields means the same (AP-02). */
export const blockingPolicy: Policy = { aiContextPolicy: 'block', exclude: [], version: 1 };

/** Part of the message of every mistake that makes a policy unusable. */
export const consequence = 'Everything below is blocked until this is fixed.';

/** The codes for mistakes in keys of a policy; a configuration has other codes for them. */
const codesOfKeys: Partial<Record<WarningCode, WarningCode>> = {
  unknown_config_key: 'unknown_policy_key',
  duplicate_config_key: 'duplicate_policy_key',
  invalid_config_value: 'invalid_policy_value',
  misspelled_config_key: 'misspelled_policy_key',
};

/**
 * Parses a policy that was decoded from UTF-8. A mistake in a known field makes the file invalid, and so does a key
 * that looks like a known one: an exception that nobody reads would allow the files it names. An invalid policy blocks.
 */
export function parsePolicyFile(
  text: string,
  options: { path: string; policyBytes?: number },
): { value: Policy; valid: boolean; warnings: Warning[] } {
  const { path, policyBytes = fixedLimits.request.configBytes } = options;
  const content = withoutMark(text);
  const { report, finish } = createWarningList(path, createPositions(content));
  const invalid = (why: string, { offset, code = 'invalid_policy' }: { offset: number; code?: WarningCode }) => {
    report({ code, message: `The policy ${why}. ${consequence}`, offset });
    return { value: blockingPolicy, valid: false, warnings: finish() };
  };
  if (exceedsBytes(content, policyBytes))
    return invalid(`is larger than ${policyBytes} bytes`, { code: 'policy_too_large', offset: 0 });
  const source = parseYamlSource(content);
  if ('problem' in source) return invalid(`cannot be read: ${source.problem.message}`, source.problem);
  const { root } = source;
  if (root !== undefined && !(root.value instanceof Map))
    return invalid('must consist of "key: value" lines', { offset: root.offset });
  const { value, valid } = readPolicy((root?.value as SourceMap | undefined) ?? new Map(), report);
  return { value: valid ? value : blockingPolicy, valid, warnings: finish() };
}

/** The glob of an exception, relative to the directory of the policy. A leading "/" changes nothing. */
export function exceptionGlobOf(pattern: string): { glob: Glob } | { problem: { message: string } } {
  const compiled = globOf(pattern.replace(/^[\\/]+/u, '') || '.');
  if ('problem' in compiled || !(compiled.glob.hasParentSegment || compiled.glob.isAbsolute)) return compiled;
  // It would match nothing, so files that it is meant to block would be allowed.
  return { problem: { message: 'it leads out of the directory of the policy' } };
}

/** Reads a pattern. Reports one that cannot be used. */
const pattern: Reader<string> = (node, pointer, report) => {
  const text = leaf(GlobPattern, consequence)(node, pointer, report);
  if (text === undefined) return undefined;
  const compiled = exceptionGlobOf(text);
  if ('glob' in compiled) return text;
  const message = `The pattern cannot be used: ${compiled.problem.message}. ${consequence}`;
  report({ code: 'invalid_pattern', message, offset: node.offset, pointer });
  return undefined;
};

/** YAML's merge key. Other tools would take exceptions from it. */
const mergeKey = '/<<';

function readPolicy(root: SourceMap, report: Report): { value: Policy; valid: boolean } {
  let valid = true;
  const known = Object.keys(AiContextPolicy.shape);
  const tell: Report = ({ code, message, pointer = '', ...at }) => {
    const meant = code === 'unknown_config_key' ? closestName(pointer.slice(1), known) : undefined;
    if (meant !== undefined) {
      valid = false;
      const slip = `This key has no effect; write "${meant}". ${consequence}`;
      return report({ ...at, pointer, code: 'misspelled_policy_key', message: slip });
    }
    if (pointer === mergeKey) {
      valid = false;
      const message = `The merge key "<<" is not supported; write its keys out. ${consequence}`;
      return report({ ...at, pointer, code: 'invalid_policy_value', message });
    }
    valid &&= code === 'unknown_config_key';
    report({ ...at, pointer, code: codesOfKeys[code] ?? code, message });
  };
  // A key without a value, such as a list whose entries are commented out, sets nothing.
  const written = new Map([...root].filter(([, { node }]) => node.value !== null));
  const readers = {
    ai_context_policy: leaf(PolicyKind, consequence),
    exclude: list(pattern, { max: fixedLimits.request.patterns, whole: consequence }),
    version: leaf(PolicyVersion, consequence),
  };
  const fields = readFields<{ ai_context_policy: 'allow' | 'block'; exclude: string[]; version: 1 }>(written, readers, {
    pointer: '',
    report: tell,
  });
  if (!written.has('ai_context_policy') && valid) {
    const offset = root.get('ai_context_policy')?.offset ?? [...root.values()][0]?.offset ?? 0;
    const message =
      'The file does not say "ai_context_policy: allow" or "ai_context_policy: block". It blocks everything below, except what "exclude" names.';
    report({ code: 'policy_without_kind', message, offset });
  }
  const { ai_context_policy: aiContextPolicy = 'block', exclude = [], version = 1 } = fields;
  return { value: { aiContextPolicy, exclude, version }, valid };
}

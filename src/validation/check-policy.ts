/** Checks the text of an AI context policy (AP-01, AP-04, AP-08). */

import { GlobPattern } from '../context/config.ts';
import { exceptionGlobOf, parsePolicyFile } from '../policy/policy-file.ts';
import { fixedLimits } from '../settings.ts';
import { withoutMark } from '../texts/decode-text.ts';
import { createPositions, entriesOf, pointerTo } from '../texts/source-tree.ts';
import { parseYamlSource } from '../texts/yaml-source.ts';
import type { Warning } from '../warnings.ts';
import type { PlaceInFile } from './check-config.ts';
import { checkText } from './check-text.ts';
import { placeInText } from './finish.ts';
import { syntaxProblem } from './glob-syntax-checks.ts';

export type CheckedPolicy = {
  warnings: Warning[];
  /** Otherwise everything below is blocked. */
  valid: boolean;
  aiContextPolicy: 'allow' | 'block';
  patterns: { pattern: string; place: PlaceInFile }[];
};

/**
 * Everything that the text alone shows, and the patterns without mistakes with their places. `text` is decoded from
 * UTF-8.
 */
export function checkPolicy(text: string, path: string): CheckedPolicy {
  const content = withoutMark(text);
  const { value: policy, valid, warnings } = parsePolicyFile(content, { path });
  const patterns: CheckedPolicy['patterns'] = [];
  if (!warnings.some(({ code }) => code === 'policy_too_large')) {
    const exclude = entriesOf(parseYamlSource(content))?.get('exclude')?.node.value;
    const items = Array.isArray(exclude) ? exclude.slice(0, fixedLimits.request.patterns) : [];
    const placeOf = createPositions(content);
    for (const [index, { value: written, offset }] of items.entries()) {
      const value = GlobPattern.safeParse(written).data;
      if (value === undefined || 'problem' in exceptionGlobOf(value)) continue;
      const place = { path, ...placeOf(offset), pointer: pointerTo('/exclude', index) };
      const problem = syntaxProblem(value);
      if (problem === undefined) patterns.push({ pattern: value, place });
      else warnings.push({ ...problem, ...place });
    }
    warnings.push(...checkText(content, path));
  }
  return { warnings: placeInText(warnings, content), valid, aiContextPolicy: policy.aiContextPolicy, patterns };
}

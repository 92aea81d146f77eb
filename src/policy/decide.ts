/** What policies say about a path: pure, over policies that are loaded (AP-01 … AP-05, AP-07). */
import type { PolicyDecision } from '../access/content-policy.ts';
import type { Reason } from '../warnings.ts';
import type { LoadedPolicy } from './load-policy.ts';

/**
 * The decision of the policies of the directory that decides alone: the nearest on the way up that holds any (AP-03).
 * Where there are two, a path must pass both, and the first that blocks is told (AP-05). Without one, the default decides.
 */
export function decideByPolicies(
  path: string,
  policies: readonly LoadedPolicy[],
  defaultPolicy: 'allow' | 'block',
): PolicyDecision {
  let passed: PolicyDecision | undefined;
  for (const policy of policies) {
    const decision = decideByPolicy(path, policy);
    if (!decision.allowed) return decision;
    passed ??= decision;
  }
  return passed ?? withoutPolicy[defaultPolicy];
}

const withoutPolicy: Record<'allow' | 'block', PolicyDecision> = {
  allow: { allowed: true, reason: { code: 'no_policy', detail: 'no policy covers it' }, decidedBy: null },
  block: {
    allowed: false,
    reason: { code: 'no_policy', detail: 'no policy covers it, and without a policy everything is blocked' },
    decidedBy: null,
  },
};

/** Patterns are relative to the directory of the policy; an exception turns around what the policy says. */
function decideByPolicy(path: string, policy: LoadedPolicy): PolicyDecision {
  const { path: policyPath, directory, valid } = policy;
  if (!valid) {
    const detail = `${policyPath} cannot be used, which blocks everything below`;
    return { allowed: false, reason: { code: 'policy_invalid', detail }, decidedBy: { path: policyPath } };
  }
  const isAllowing = policy.value.aiContextPolicy === 'allow';
  // It lies below: asking again costs more than all the rest.
  const relative = path.slice(directory === '/' ? 1 : directory.length + 1);
  const exception = policy.exceptions.find(({ matches }) => matches(relative));
  const { kindLine, isUnsaid, patternLines } = policy.lines();
  const line = exception === undefined ? kindLine : patternLines[exception.index];
  const decidedBy = {
    path: policyPath,
    pattern: exception?.pattern,
    line,
  };
  const where = line === undefined ? policyPath : `${policyPath}:${line}`;
  if (exception !== undefined) {
    const reason: Reason = { code: 'policy_exception', detail: `exclude "${exception.pattern}" in ${where}` };
    return { allowed: !isAllowing, reason, decidedBy };
  }
  const code = isAllowing ? 'policy_allow' : 'policy_block';
  const said = isUnsaid ? 'no "ai_context_policy"' : `ai_context_policy: ${isAllowing ? 'allow' : 'block'}`;
  return { allowed: isAllowing, reason: { code, detail: `${said} in ${where}` }, decidedBy };
}

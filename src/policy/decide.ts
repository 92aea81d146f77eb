/** What loaded policies say about a path. Pure (AP-01 … AP-05, AP-07). */
import type { PolicyDecision } from '../access/content-policy.ts';
import type { Reason } from '../warnings.ts';
import type { LoadedPolicy } from './load-policy.ts';

/**
 * The decision of `policies`, all from one directory: the nearest above the path that has any (AP-03). If there are
 * two, both must allow the path, and the first that blocks is reported (AP-05). Without a policy, the default decides.
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

/** Patterns are relative to the directory of the policy. An exception reverses the policy. */
function decideByPolicy(path: string, policy: LoadedPolicy): PolicyDecision {
  const { path: policyPath, directory, valid } = policy;
  if (!valid) {
    const detail = `${policyPath} cannot be used, which blocks everything below`;
    return { allowed: false, reason: { code: 'policy_invalid', detail }, decidedBy: { path: policyPath } };
  }
  const isAllowing = policy.value.aiContextPolicy === 'allow';
  // The path is below the directory. Checking this again would cost more than the rest of this function.
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

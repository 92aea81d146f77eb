/** Decisions that no policy makes. */
import type { PolicyDecision } from '../access/content-policy.ts';

/** A policy file itself. */
export const noContent: PolicyDecision = {
  allowed: false,
  reason: { code: 'policy_block', detail: 'a policy file is never content' },
  decidedBy: null,
};
/** The global context. */
export const exempt: PolicyDecision = {
  allowed: true,
  reason: { code: 'no_policy', detail: 'policies do not apply to the global context' },
  decidedBy: null,
};
/** A path in no granted root. */
export const outside: PolicyDecision = {
  allowed: false,
  reason: { code: 'outside_roots', detail: 'no granted root contains it' },
  decidedBy: null,
};
/** A path whose directory does not exist. It can appear together with policies that were not asked. */
export const gone: PolicyDecision = {
  allowed: false,
  reason: { code: 'not_found', detail: 'its directory does not exist' },
  decidedBy: null,
};
/** A path that could not be decided in time. */
export const undecided: PolicyDecision = {
  allowed: false,
  reason: { code: 'limit_reached', detail: 'comparing it with policies and ignore files takes too long' },
  decidedBy: null,
};

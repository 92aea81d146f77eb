/** What AI context policies and ignore files say about content, as the gate asks it and callers are told it (AP-06, AP-07). */
import { z } from 'zod';
import type { ReachOptions } from '../ports/ports.ts';
import { Reason, type Warning } from '../warnings.ts';
import type { DirectorySnapshot } from './gate.ts';

/** Why content may, or may not, be given away. */
export const PolicyDecision = z
  .object({
    allowed: z.boolean().describe('Whether the content may be given to an AI system.'),
    reason: Reason.describe(
      '`no_policy`: no policy covers the file. The default of the daemon decides; the global context is always allowed. `policy_allow`, `policy_block`: the policy says so. A policy file itself is always blocked. `policy_exception`: an `exclude` pattern reverses the policy. `policy_invalid`: the policy cannot be used, which blocks. `sensitive`: the file is never delivered to anyone. `configuration`: the text of a configuration is never delivered. `outside_roots`: the file is in no granted root. `blocked_by_ignore_file`: an ignore file of another tool excludes the file. `limit_reached`: the decision took too long, which blocks.',
    ),
    decidedBy: z
      .object({
        path: z.string().describe('Absolute path of the policy or ignore file that decided.'),
        pattern: z.string().optional().describe('The pattern that decided.'),
        line: z.int().min(1).optional().describe('Line of the pattern, or of `ai_context_policy`.'),
      })
      .nullable()
      .describe('The file that decided. Null if no file decided.'),
  })
  .meta({ id: 'PolicyDecision', description: 'Why content may, or may not, be given to an AI system.' });
export type PolicyDecision = Readonly<z.infer<typeof PolicyDecision>>;

/** Policies and ignore files as one run sees them. Implemented by `policy/policies.ts`. */
export type ContentPolicy = Readonly<{
  /**
   * About an absolute, normalised path, which need not exist. `toRead`, none is allowed whose directory is not there: it can
   * come with policies that were not asked. Never throws; what cannot be decided is not allowed.
   */
  decide(path: string, options?: { toRead: boolean }): Promise<PolicyDecision>;
  /** The part of it that AI context policies decide. */
  decideByPolicy(path: string): Promise<PolicyDecision>;
  /** Why a file that may be read is not sought, and not taken where nobody named it; undefined where it is. */
  decideSearch(path: string): Promise<Reason | undefined>;
  /** What `decideSearch` depends on for the files of a directory; nothing where all of them are sought. */
  searchEvidence(directory: string): Promise<readonly unknown[]>;
  /** A listing of this run, which tells without another look whether a directory holds a policy or an ignore file. */
  notice(listing: DirectorySnapshot): void;
  /** What is wrong with the policies and ignore files that were asked so far. */
  warnings(): Warning[];
  /** Identity of the policies and ignore files that were asked so far: equal evidence, equal decisions (CC-36). */
  evidence(): unknown[];
}>;

/** How a refusal that a decision means is called. */
export function refusalCodeOf({ reason }: PolicyDecision): 'blocked_by_policy' | 'blocked_by_ignore_file' {
  return reason.code === 'blocked_by_ignore_file' ? reason.code : 'blocked_by_policy';
}

/** What must be said to read content: where, and under which policies. */
export type ContentReach = ReachOptions & { policies: ContentPolicy };

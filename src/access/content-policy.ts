/**
 * What AI context policies and ignore files decide about content, for the gate and in answers to callers (AP-06,
 * AP-07).
 */
import { z } from 'zod';
import type { ReachOptions } from '../ports/ports.ts';
import { Reason, type Warning } from '../warnings.ts';
import type { DirectorySnapshot } from './gate.ts';

/** Why content may, or may not, be given away. */
export const PolicyDecision = z
  .object({
    allowed: z.boolean().describe('Whether the content may be given to an AI system.'),
    reason: Reason.describe(
      '`no_policy`: no policy covers the file. The default of the daemon decides; the global context is always allowed. `policy_allow`, `policy_block`: the policy says so. A policy file itself is always blocked. `policy_exception`: an `exclude` pattern reverses the policy. `policy_invalid`: the policy cannot be used, which blocks. `sensitive`: the file is never delivered to anyone. `configuration`: the text of a configuration is never delivered. `outside_roots`: the file is in no granted root, or a link on the way to it leads nowhere. `blocked_by_ignore_file`: an ignore file of another tool excludes the file. `limit_reached`: the decision took too long, which blocks.',
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
   * Decides about an absolute, normalised path, which need not exist. With `toRead`, blocks a path whose directory does
   * not exist: the directory can appear with policies that were not asked. Never throws. What cannot be decided is not
   * allowed.
   */
  decide(path: string, options?: { toRead: boolean }): Promise<PolicyDecision>;
  /** The decision of AI context policies alone. */
  decideByPolicy(path: string): Promise<PolicyDecision>;
  /** Why a search skips a file that may be read, unless the request names it. Undefined if a search takes it. */
  decideSearch(path: string): Promise<Reason | undefined>;
  /** What `decideSearch` depends on for the files of a directory. Empty if a search takes all of them. */
  searchEvidence(directory: string): Promise<readonly unknown[]>;
  /**
   * Takes a listing of this run. It shows, without another look, whether a directory has a policy or an ignore file.
   */
  notice(listing: DirectorySnapshot): void;
  /** Problems with the policies and ignore files that were asked so far. */
  warnings(): Warning[];
  /** Identity of the policies and ignore files that were asked so far: equal evidence, equal decisions (CC-36). */
  evidence(): unknown[];
}>;

/** The refusal code for a decision that blocks. */
export function refusalCodeOf({ reason }: PolicyDecision): 'blocked_by_policy' | 'blocked_by_ignore_file' {
  return reason.code === 'blocked_by_ignore_file' ? reason.code : 'blocked_by_policy';
}

/** What a read of content needs: the roots and links that it may use, and the policies. */
export type ContentReach = ReachOptions & { policies: ContentPolicy };

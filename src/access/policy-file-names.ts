/** Names of policy files (AP-01). This module loads nothing else that is slow. */
import { baseName } from './paths.ts';

/**
 * The names of a policy in its directory: the one of the AI context policy blueprint, and the one that shipped (AP-01).
 */
export const policyFileNames = ['.ai-context-policy.yaml', '.ai-context-policy.yml'] as const;
export type PolicyFileName = (typeof policyFileNames)[number];

export function isPolicyFile(path: string): boolean {
  return policyFileNames.some((name) => path.endsWith(name) && baseName(path) === name);
}

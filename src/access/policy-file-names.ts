/** How files are called that hold a policy (AP-01). Loads nothing that takes time. */
import { baseName } from './paths.ts';

/** Names under which a policy is found in a directory: that of the AI context policy blueprint, and the one that shipped (AP-01). */
export const policyFileNames = ['.ai-context-policy.yaml', '.ai-context-policy.yml'] as const;
export type PolicyFileName = (typeof policyFileNames)[number];

export function isPolicyFile(path: string): boolean {
  return policyFileNames.some((name) => path.endsWith(name) && baseName(path) === name);
}

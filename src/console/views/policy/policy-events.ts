import type { ContextChanged } from '../../../events/event.ts';

/**
 * Requests again when a policy of this mounted directory changes. A policy that was removed before its folder was watched
 * is told as a change of the folder.
 */
export function onPolicyChanges(mountedDirectory: string) {
  return {
    events: ['policy-changed', 'context-changed'] as const,
    concerns: ({ data }: { data: object }) => (data as ContextChanged).mountedDirectories.includes(mountedDirectory),
  };
}

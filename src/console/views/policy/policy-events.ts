import type { ResourceOptions } from '../../api/resource.ts';

/** Requests again when a policy of this mounted directory changes. */
export function onPolicyChanges(mountedDirectory: string): ResourceOptions {
  return {
    events: ['policy-changed'],
    concerns: ({ type, data }) => type === 'policy-changed' && data.mountedDirectories.includes(mountedDirectory),
  };
}

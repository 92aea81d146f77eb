import type { Engine } from '../../../src/engine.ts';
import type { Called } from './observed-verbs.ts';

/** The verbs about policies, of an engine without files. */
export function createFakePolicy(called: Called): Engine['policy'] {
  const decision = (path: string) => ({ path, allowed: true, reason: { code: 'no_policy' as const }, decidedBy: null });
  return {
    async check(request) {
      called('checkPolicy', request);
      return { decisions: request.paths.map(decision), warnings: [] };
    },
    async list(mountedDirectory) {
      called('listPolicies', mountedDirectory);
      return { mountedDirectory: '/home/ada/myproject', policies: [], warnings: [] };
    },
    async put(request, seen) {
      called('putPolicy', { request, seen });
      const { aiContextPolicy, exclude } =
        'text' in request ? { aiContextPolicy: 'allow' as const, exclude: [] } : request;
      const directory = '/home/ada/project';
      const place = { path: `${directory}/.ai-context-policy.yaml`, directory };
      return { policy: { ...place, aiContextPolicy, exclude, version: 1, valid: true, etag: 'x-1' }, created: true };
    },
    async preview(request) {
      called('previewPolicy', request);
      const sample = [decision('/home/ada/project/a.ts')];
      const changes = { allowed: 0, blocked: 0, sample: [] };
      return { allowed: 1, blocked: 0, sample, changes, truncated: false, warnings: [] };
    },
    async remove(request, seen) {
      called('deletePolicy', { request, seen });
    },
  };
}

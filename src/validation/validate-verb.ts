/** The verb `validate`. Its checks are imported at their first use: most daemons never check anything. */
import { normalizeRequest } from '../context/normalize-request.ts';
import type { EngineCore } from '../engine-core.ts';
import { createSharedRuns } from '../pace/shared-runs.ts';
import { treeLimits } from '../policy/worlds.ts';
import type { ValidateRequest, ValidateResult } from './diagnostic.ts';

/** For a tree throws like `resolve`. */
export type Validate = (request: ValidateRequest) => Promise<ValidateResult>;

/** Simultaneous checks of a tree share one run. */
export function createValidate({ createWorld, homeDirectory, settings }: EngineCore): Validate {
  const { limits } = settings;
  const checks = createSharedRuns<ValidateResult>();
  return async (request) => {
    const { validateContent } = await import('./validate-content.ts');
    if ('kind' in request) return validateContent(request);
    const { validateTree } = await import('./validate-tree.ts');
    const { mountedDirectory, clientContextPath } = normalizeRequest(request, { homeDirectory, settings });
    const options = { clientContextPath, depth: limits.depth };
    const check = async () =>
      validateTree(await createWorld(mountedDirectory, { within: treeLimits(limits) }), options);
    return checks.join(JSON.stringify({ mountedDirectory, clientContextPath }), check);
  };
}

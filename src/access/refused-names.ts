/** Why content or settings with these names are not read. Decides before anything is opened (AP-06, CC-18). */
import { decideConfiguration } from './configurations.ts';
import { type ContentPolicy, refusalCodeOf } from './content-policy.ts';
import { decideSensitive } from './sensitive.ts';

type Refusal = {
  ok: false;
  code: 'sensitive' | 'configuration' | ReturnType<typeof refusalCodeOf> | 'not_found';
  detail?: string;
};

/**
 * `isContent`: the text may be delivered, so configurations are refused too. Otherwise `sensitiveAs` is a sensitive
 * pattern that does not refuse. `clientContextPath`: the setting of the daemon. `realNames`: the same places below the
 * real paths of roots.
 */
export async function refuseNames(
  names: readonly string[],
  options: {
    realNames: readonly string[];
    isContent: boolean;
    clientContextPath: string | undefined;
    policies: ContentPolicy | undefined;
    /** The file need not exist yet. */
    isToCome?: boolean;
    sensitiveAs: string | undefined;
  },
): Promise<Refusal | undefined> {
  const { realNames, isContent, clientContextPath, policies, isToCome = false, sensitiveAs } = options;
  const all = realNames.length === 0 ? names : [...names, ...realNames];
  for (const name of all) {
    const sensitive = decideSensitive(name);
    if (sensitive && (isContent || sensitive.pattern !== sensitiveAs))
      return { ok: false, code: 'sensitive', detail: sensitive.pattern };
  }
  for (const name of isContent ? all : []) {
    const configuration = decideConfiguration(name, clientContextPath);
    if (configuration) return { ok: false, code: 'configuration', detail: configuration.pattern };
  }
  if (policies === undefined) return undefined;
  for (const name of names) {
    const decision = await policies.decide(name, { toRead: !isToCome });
    const { allowed, reason } = decision;
    if (reason.code === 'not_found') return { ok: false, code: 'not_found' };
    if (!allowed) return { ok: false, code: refusalCodeOf(decision), detail: reason.detail ?? reason.code };
  }
  return undefined;
}

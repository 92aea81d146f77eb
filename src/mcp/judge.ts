/** Compares the present definition of a server with its approval (S-18, S-19). */

import type { World } from '../access/world.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import type { Approvals } from './approvals.ts';
import type { ServerDefinition } from './definition.ts';
import type { Definitions } from './definitions.ts';
import { createDirectoryContents, type DirectoryContents } from './directory-content.ts';
import type { VariableOf } from './fill-in.ts';
import { fingerprintDefinition } from './fingerprint.ts';
import type { Current } from './server-view.ts';

export type Judge = Readonly<{
  /** `fresh`: for a start, which must not use earlier results. */
  judge(
    definition: ServerDefinition,
    world: World,
    options?: { fresh?: boolean; found?: DirectoryContents },
  ): Promise<Current>;
  /** The same for a server that was listed or approved. Throws `not_found`. */
  look(id: string, fresh?: boolean): Promise<Current>;
  /** The server that was last judged with this fingerprint. */
  idOf(fingerprint: string): string | undefined;
}>;

/** How long an approval for one start waits for it. */
const oneStartMs = 600_000;

/** `environment`: the variables of every server. */
export function createJudge(
  { clock, keyed, homeDirectory }: EngineCore,
  parts: {
    definitions: Definitions;
    approvals: Approvals;
    environment: Readonly<Record<string, string>>;
    variableOf: VariableOf;
    isRunning(id: string): boolean;
  },
): Judge {
  const { definitions, approvals, environment, variableOf, isRunning } = parts;
  const shown = createBoundedCache<string>({ maxWeight: 20_000, maxEntries: 20_000 });
  const contents = createDirectoryContents(clock.elapsed);
  const judge: Judge['judge'] = async (definition, world, { fresh = false, found = contents } = {}) => {
    const { elapsed } = clock;
    const options = { world, environment, variableOf, homeDirectory, contents: found, keyed, elapsed, fresh };
    const fingerprinted = await fingerprintDefinition(definition, options);
    // Read last: nothing is awaited between this and the decision.
    const approval = approvals.get(definition.id);
    shown.set(fingerprinted.fingerprint, definition.id, 1);
    // An approval for one start is valid until that start ends.
    const isGoodOnce = approval?.used !== true && clock.now() - Date.parse(approval?.approvedAt ?? '') < oneStartMs;
    const isUnderWay = !fresh && isRunning(definition.id);
    return { definition, fingerprinted, approval, roots: world.reach.roots, mayStart: isGoodOnce || isUnderWay };
  };
  const look: Judge['look'] = async (id, fresh = false) => {
    const address = definitions.addressOf(id) ?? approvals.get(id)?.address;
    const found = address && (await definitions.find(address));
    if (found?.definition.id === id) return judge(found.definition, found.world, { fresh });
    throw new ContextdError('not_found', 'There is no such server. List the servers of its workspace first.');
  };
  return { judge, look, idOf: shown.get };
}

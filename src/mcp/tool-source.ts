/** The tools of approved servers, for agents and sessions (MC-01, SS-08). */

import { createBoundedCache } from '../pace/bounded-cache.ts';
import { noTools, type ToolListing, type ToolPlace, type ToolServer, type ToolSource } from '../ports/ports.ts';
import type { Warning } from '../warnings.ts';
import { changedTools, missingTools } from './server-view.ts';
import type { Servers } from './servers.ts';

export function createToolSource({ definitions, approvals, serverTools, runs, judge }: Servers): ToolSource {
  const listingOf = createListings();
  return {
    async listTools(place: ToolPlace) {
      if (approvals.isEmpty() || (place.agentId ?? place.mountedDirectory) === undefined) return noTools;
      const { definitions: listed, world, warnings } = await definitions.list(place);
      const usable: { id: string; name: string; fingerprint: string }[] = [];
      const servers: ToolServer[] = [];
      for (const definition of listed) {
        const { id, name, server } = definition;
        if (server.disabled === true || approvals.get(id) === undefined) continue;
        const current = await judge(definition, world);
        const missing = missingTools(current, runs.status(id));
        const { fingerprint } = current.fingerprinted;
        const withheld = changedTools(definition, serverTools.state(id, fingerprint).withheld);
        servers.push({ name, ...(missing && { missing }), ...(withheld && { withheld }) });
        if (missing === undefined) usable.push({ id, name, fingerprint });
      }
      return listingOf(serverTools.listed(usable), servers, warnings);
    },
  };
}

/** Returns the same object for the same tools and servers. */
function createListings(): (
  tools: ToolListing['tools'],
  servers: ToolListing['servers'],
  warnings: readonly Warning[],
) => ToolListing {
  const known = createBoundedCache<ToolListing>({ maxWeight: 20_000, maxEntries: 500 });
  return (tools, servers, warnings) => {
    const key = JSON.stringify([servers, warnings]);
    const before = known.get(key);
    if (before?.tools === tools) return before;
    const listing = Object.freeze({ tools, servers: Object.freeze(servers), ...(warnings.length > 0 && { warnings }) });
    known.set(key, listing, 1 + servers.length);
    return listing;
  };
}

/** Adds tools of servers that had not listed them when the session began (SE-01, MC-01). */

import type { Catalog } from '../agent/catalog.ts';
import { anyVersion } from '../ports/expected-version.ts';
import type { StoredSession } from '../ports/store/session.ts';
import { fixedLimits } from '../settings.ts';
import { alwaysItems, stateOf, uniteItems } from './session.ts';
import type { SessionRecords } from './session-records.ts';

/** The names of the approved servers whose tools are missing. */
export function serversWithoutTools({ servers }: Catalog): string[] {
  return servers.flatMap(({ name, missing }) => (missing === undefined ? [] : [name]));
}

/**
 * Adds the `always` tools of the awaited servers that have listed their tools by now, each as one change. Tools that
 * are removed later stay removed.
 */
export async function joinKnownTools(
  session: StoredSession,
  catalog: Catalog,
  records: SessionRecords,
): Promise<StoredSession> {
  const known = new Set(catalog.servers.flatMap(({ name, missing }) => (missing === undefined ? [name] : [])));
  if (stateOf(session).pendingServers?.some((name) => known.has(name)) !== true) return session;
  const outcome = await records.change(session.id, anyVersion, async ({ session: now, append }) => {
    const { pendingServers = [], ...state } = stateOf(now);
    const left = pendingServers.filter((name) => !known.has(name));
    if (left.length === pendingServers.length) return;
    const told = new Set(pendingServers.filter((name) => known.has(name)));
    const toldItems = catalog.items.filter(({ serverName }) => serverName !== undefined && told.has(serverName));
    const contextItems = uniteItems(state.contextItems, alwaysItems(toldItems)).slice(0, fixedLimits.sessions.items);
    await append(contextItems.slice(state.contextItems.length).map((data) => ({ type: 'item_added' as const, data })));
    await append([{ type: 'settings', data: { pendingServers: left } }]);
    now.state = { ...state, contextItems, pendingServers: left.length === 0 ? undefined : left };
  });
  return outcome.session;
}

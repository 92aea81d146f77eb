/** The tools of each server that may be used. Unchanged tools stay the same objects (S-31, SS-08). */
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import type { ListedTool } from '../ports/ports.ts';
import type { Approvals } from './approvals.ts';
import { compareTools, type HashedTool, presentTool, type ToolList, type WithheldTool } from './tool-lists.ts';

type ServerToolState = Readonly<{ offered: readonly HashedTool[]; withheld: readonly WithheldTool[] }>;

export type ServerTools = Readonly<{
  /** A running server listed its tools. The first list after an approval becomes the approved list. */
  see(id: string, list: ToolList): Promise<void>;
  /** The tools that the server last listed since the start of the daemon. */
  seen(id: string): ToolList | undefined;
  /** Empty without an approval, or without one of this `fingerprint`, if it is given. */
  state(id: string, fingerprint?: string): ServerToolState;
  forget(id: string): void;
  /** The tools for models. Returns the same array for the same tools. */
  listed(servers: readonly { id: string; name: string; fingerprint: string }[]): readonly ListedTool[];
}>;

const nothing: ServerToolState = Object.freeze({ offered: [], withheld: [] });

export function createServerTools(approvals: Approvals): ServerTools {
  const lists = new Map<string, ToolList>();
  const states = new Map<string, { pinned: unknown; list: unknown; state: ServerToolState }>();
  const arrays = createBoundedCache<readonly ListedTool[]>({ maxWeight: 20_000, maxEntries: 500 });

  const state = (id: string, fingerprint?: string): ServerToolState => {
    const approval = approvals.get(id);
    const list = lists.get(id);
    if (approval === undefined || (fingerprint ?? approval.fingerprint) !== approval.fingerprint) return nothing;
    const { tools: pinned } = approval;
    if (pinned === undefined) return nothing;
    const known = states.get(id);
    if (known?.pinned === pinned && known.list === list) return known.state;
    const fresh: ServerToolState = list === undefined ? { offered: pinned, withheld: [] } : compareTools(pinned, list);
    states.set(id, { pinned, list, state: fresh });
    return fresh;
  };
  const presented = onceForEach(
    ({ tool }: HashedTool) =>
      onceForEach((serverName: string): ListedTool => {
        const { name, description, inputSchema } = presentTool(tool);
        return Object.freeze({ serverName, name, description, inputSchema });
      }),
    new WeakMap(),
  );

  return Object.freeze({
    state,
    seen: (id) => lists.get(id),
    async see(id, list) {
      const before = lists.get(id);
      const isSame = before?.fingerprint === list.fingerprint && before.withheld.length + list.withheld.length === 0;
      if (!isSame) lists.set(id, list);
      const approval = approvals.get(id);
      if (approval !== undefined && approval.tools === undefined) await approvals.pin(approval, list.tools);
    },
    forget(id) {
      lists.delete(id);
      states.delete(id);
    },
    listed(servers) {
      const offered = servers.map(({ id, name, fingerprint }) => ({ name, tools: state(id, fingerprint).offered }));
      const key = JSON.stringify(
        offered.map(({ name, tools }) => [name, tools.map(({ tool, hash }) => [tool.name, hash])]),
      );
      const known = arrays.get(key);
      if (known) return known;
      const tools = Object.freeze(offered.flatMap((each) => each.tools.map((tool) => presented(tool)(each.name))));
      arrays.set(key, tools, 1 + tools.length);
      return tools;
    },
  } satisfies ServerTools);
}

/** Changes by other daemons that share the store. */
import { z } from 'zod';

const change = z.enum(['created', 'updated', 'deleted']);

/** A change that another daemon committed. Its details are in the store. */
export const RemoteChange = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session-changed'),
    sessionId: z.string(),
    change,
    lastSyncId: z.int(),
    ownerId: z.string().nullable(),
  }),
  z.object({ type: z.literal('agent-changed'), agentId: z.string(), change }),
  z.object({ type: z.literal('supplementary-changed'), mountedDirectory: z.string() }),
  z.object({ type: z.literal('tokens-changed') }),
  z.object({ type: z.literal('approvals-changed') }),
]);
export type RemoteChange = z.infer<typeof RemoteChange>;

export type RemoteListener = {
  changed(change: RemoteChange): void;
  /** Changes may have been missed. */
  resync(): void;
};

/** Checks the content of imported rows, because the daemon trusts stored rows. */
import { z } from 'zod';
import { normalizePath } from '../../access/paths.ts';
import { Agent, AgentSummary } from '../../agent/agent.ts';
import { InlineItem, ItemInclude } from '../../agent/item.ts';
import type { ExportedRow } from '../../ports/store/export.ts';
import type { StoredChange, StoredRequest, StoredSession, StoredUse } from '../../ports/store/session.ts';
import { StoredReceipt } from '../../session/request.ts';
import { showRequest } from '../../session/request-verbs.ts';
import { SessionChange, SessionSummary, summaryOf } from '../../session/session.ts';
import { showChange } from '../../session/session-messages.ts';
import { AgentUsage, ItemUsage, summarizeUsage } from '../../session/usage.ts';

/** Absent in files of versions without owners. */
const Owned = z.object({ owner_id: z.string().nullish(), bytes: z.int().min(0).optional() });
const Texts = z.record(z.string(), z.string());
const HeldItems = z.object({ contextItems: z.array(z.object({ type: z.string(), name: z.string() })) });
const ApprovedDefinition = z.object({
  address: z.object({ name: z.string(), source: z.record(z.string(), z.unknown()) }),
  parts: Texts,
});

const ApprovedTools = z.array(z.object({ hash: z.string(), tool: z.object({ name: z.string() }) }));
const Sent = z.object({ texts: z.array(z.string()), sha256: z.string() });
/** The format of stored paths. They are compared as text, so that an empty path would contain everything. */
const PlainPath = z.string().refine((path) => path === normalizePath(path) && !path.includes('\0'));

const json = (row: ExportedRow, column: string): unknown => JSON.parse(String(row[column]));
const camelCase = (row: ExportedRow) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

/** Larger numbers cannot be read back, and new positions follow the largest one. */
const largestNumber = 2 ** 52;

/** By table: throws if a row cannot be used. */
const checks: Record<string, (row: ExportedRow) => void> = {
  agents(row) {
    const agent = Agent.parse(json(row, 'document'));
    if (agent.id !== row.id) throw new Error('its id is different');
    const { id, version, createdAt, updatedAt } = camelCase(row);
    AgentSummary.parse({ ...(json(row, 'summary') as object), id, etag: version, createdAt, updatedAt });
  },
  agent_items(row) {
    z.enum(['rules', 'references']).parse(row.kind);
    z.int().min(1).parse(row.position);
    if (InlineItem.parse(json(row, 'item')).name !== row.name) throw new Error('its name is different');
  },
  sessions(row) {
    const state = json(row, 'state');
    Owned.parse(row);
    HeldItems.parse(state);
    SessionSummary.parse(summaryOf({ ...camelCase(row), state } as StoredSession));
  },
  session_changes(row) {
    SessionChange.parse(showChange({ ...camelCase(row), data: json(row, 'data') } as StoredChange));
  },
  session_requests(row) {
    const data = json(row, 'data');
    Sent.parse(data);
    StoredReceipt.parse(showRequest({ ...camelCase(row), data } as StoredRequest));
  },
  texts: (row) => void z.string().parse(json(row, 'json')),
  supplementary_items(row) {
    z.enum(['file', 'folder', 'tab']).parse(row.kind);
    for (const path of [row.mounted_directory, row.path]) PlainPath.parse(path);
  },
  agent_requests: (row) => void AgentUsage.shape.requests.parse(row.requests),
  item_uses(row) {
    ItemInclude.parse(row.mode);
    const { items } = summarizeUsage([], { requests: 0, uses: [camelCase(row) as StoredUse] });
    ItemUsage.parse(items[0]);
  },
  granted_roots: (row) => void PlainPath.parse(row.path),
  tokens: (row) =>
    void z
      .string()
      .regex(/^[0-9a-f]{64}$/u)
      .parse(row.digest),
  mcp_approvals(row) {
    ApprovedDefinition.parse(json(row, 'definition'));
    if (row.tools !== null) ApprovedTools.parse(json(row, 'tools'));
  },
};

/** What is wrong with a row, in a few words, or `undefined` if it can be used. */
export function faultOfRow(table: string, row: ExportedRow): string | undefined {
  try {
    if (Object.values(row).some((value) => typeof value === 'number' && Math.abs(value) > largestNumber))
      return 'a number is too large';
    checks[table]?.(row);
    return undefined;
  } catch {
    return `it is no entry of ${table.replaceAll('_', ' ')}`;
  }
}

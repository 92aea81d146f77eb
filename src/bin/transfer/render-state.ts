/** The output of an export or an import, for people and programs. */
import { type Imported, trustedTables } from '../../adapters/sqlite/import.ts';
import type { ExportedRow } from '../../ports/store/export.ts';
import { minuteOf, plural } from '../render/words.ts';
import type { ImportResult } from './import-state.ts';

/** Tables that users know: the words for one entry and for several. */
const words: Record<string, [one: string, many: string]> = {
  agents: ['agent', 'agents'],
  supplementary_items: ['added file or folder', 'added files and folders'],
  sessions: ['session', 'sessions'],
  session_changes: ['message or change of them', 'messages and changes of them'],
  session_requests: ['request', 'requests'],
  granted_roots: ['granted root', 'granted roots'],
  mcp_approvals: ['approved MCP server', 'approved MCP servers'],
  tokens: ['token', 'tokens'],
};

/** For example `2 agents, 1 session`. */
export function renderCounts(rows: Readonly<Record<string, number>>): string {
  const parts = Object.entries(words).flatMap(([table, [one, many]]) => {
    const count = rows[table] ?? 0;
    return count === 0 ? [] : [plural(count, one, many)];
  });
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

export function renderDamaged(damaged: Readonly<Record<string, number>>): string[] {
  const count = Object.values(damaged).reduce((sum, each) => sum + each, 0);
  if (count === 0) return [];
  return [`! ${count} stored ${count === 1 ? 'entry did' : 'entries did'} not fit the checksum and was left out.`];
}

type How = { trust: boolean; dryRun: boolean };

/** An import as JSON. */
export function importSummary({ header, rows, damaged, trust, keptAside, refusal }: ImportResult, how: How): object {
  const { createdAt, writtenBy, schema } = header;
  const named = Object.fromEntries(
    trustedTables.map((table) => [table, trust.filter((each) => each.table === table).map(({ row }) => nameOf(row))]),
  );
  return {
    dryRun: how.dryRun,
    createdAt,
    writtenBy,
    schema,
    rows,
    damaged,
    trust: { takenOver: how.trust, ...named },
    keptAside,
    refusal: refusal?.message,
  };
}

const maxNamed = 20;

/** An import as lines for people. */
export function renderImport({ header, rows, damaged, trust, keptAside }: ImportResult, how: How): string[] {
  const trusted = Object.fromEntries(Object.entries(rows).filter(([table]) => trustedTables.includes(table)));
  const others = Object.fromEntries(Object.entries(rows).filter(([table]) => !trustedTables.includes(table)));
  const would = how.dryRun ? 'Would be imported' : 'Imported';
  const lines = [`${would}, as of ${minuteOf(header.createdAt)}: ${renderCounts(others)}.`, ...renderDamaged(damaged)];
  if (keptAside !== undefined) lines.push(`What was there before is kept: ${keptAside}`);
  if (Object.keys(trusted).length === 0) return lines;
  lines.push(
    how.trust
      ? `Trusted from now on: ${renderCounts(trusted)}.`
      : `Left out, because they are decisions of trust: ${renderCounts(trusted)}. For a file of your own: --trust`,
  );
  for (const { table, row } of trust.slice(0, maxNamed))
    lines.push(`  ${(words[table] ?? [table])[0]}  ${nameOf(row)}`);
  const more = Object.values(trusted).reduce((sum, each) => sum + each, 0) - Math.min(trust.length, maxNamed);
  if (more > 0) lines.push(`  … and ${more} more`);
  return lines;
}

/** The path of a root, the label of a token, or the name and the place of a server. */
function nameOf({ path, label, definition }: Imported['trust'][number]['row'] & ExportedRow): string {
  if (typeof definition !== 'string') return String(path ?? label);
  const { address, parts } = JSON.parse(definition) as { address: { name: string }; parts: Record<string, string> };
  return `${address.name}  (${parts.command ?? parts.transport ?? ''}, defined in ${parts.definedIn ?? 'an agent'})`;
}

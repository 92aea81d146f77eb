/** Which `agent` files a query makes active (CC-28). What searches is handed in. */
import { hash } from 'node:crypto';
import type { ItemType } from './context-file.ts';
import { typeFromFolder } from './names.ts';
import type { NormalizedRequest } from './normalize-request.ts';
import type { OfferedPart } from './offered-part.ts';
import type { ParsedFile } from './parsed-file.ts';
import type { ReadableFile } from './readable.ts';
import type { ResolveResult, SemanticStatus } from './resolve-result.ts';

/** An `agent` file as search sees it; `sha256` changes with everything else. */
export type RelevanceItem = Readonly<{
  type: ItemType;
  name: string;
  description: string;
  text: string;
  sha256: string;
}>;

/** What search says of an item: its score in 0…1 and, of a long one, what goes along; else by how much it is not relevant. */
export type Found = Readonly<{ score: number; part?: OfferedPart | undefined; rejected?: string | undefined }>;

/**
 * By `sha256`, the relevant items, and the best of the others. `isWhole`: of which items all goes along, however long they
 * are. Never rejects: `semantic` says when nothing could be searched.
 */
export type RankRelevant = (
  query: string,
  items: readonly RelevanceItem[],
  isWhole: (item: Pick<RelevanceItem, 'sha256'>) => boolean,
) => Promise<{ found: ReadonlyMap<string, Found>; semantic: SemanticStatus }>;

/** As `RankRelevant` tells, by path. */
export type Relevance = { found: ReadonlyMap<string, Found>; semantic: SemanticStatus };

/**
 * Asks about the `agent` files that a query may make active and no mention does anyway; `undefined` without a query. Of
 * those `expanded` all goes along.
 */
export async function findRelevant(
  ordered: readonly ReadableFile[],
  { query }: NormalizedRequest,
  context: {
    mentioned: ReadonlySet<ReadableFile>;
    expanded: ReadonlySet<ReadableFile>;
    rankRelevant: RankRelevant;
  },
): Promise<Relevance | undefined> {
  if (query === undefined) return undefined;
  const items: RelevanceItem[] = [];
  const paths = new Map<string, string>();
  const whole = new Set<string>();
  for (const file of ordered) {
    if (file.parsed.source.trigger !== 'agent' || file.candidate.isForeign) continue;
    if (context.mentioned.has(file)) continue;
    const item = relevanceItem(file);
    items.push(item);
    if (context.expanded.has(file)) whole.add(item.sha256);
    paths.set(item.sha256, file.candidate.path);
  }
  const { found, semantic } = await context.rankRelevant(query, items, ({ sha256 }) => whole.has(sha256));
  return { found: new Map([...found].map(([sha256, said]) => [paths.get(sha256) ?? '', said])), semantic };
}

/**
 * The same object as long as nothing of it changes, so that what is known of it is found again; one for each name that the
 * file has, because below several mounted directories it has several.
 */
const known = new WeakMap<ParsedFile, Map<string, RelevanceItem>>();

function relevanceItem({ candidate, parsed, name }: ReadableFile): RelevanceItem {
  const { source } = parsed;
  const type = source.type ?? typeFromFolder(candidate.path, candidate.directory.path);
  const named = known.get(parsed) ?? new Map<string, RelevanceItem>();
  known.set(parsed, named);
  const before = named.get(`${type} ${name}`);
  if (before !== undefined) return before;
  const said = { type, name, description: searchedDescription(source), text: source.body };
  const item = Object.freeze({ ...said, sha256: hashOfItem(said) });
  named.set(`${type} ${name}`, item);
  return item;
}

/** What it is about and when to use it, as one. */
export function searchedDescription(said: { description: string; instructions?: string | undefined }): string {
  return [said.description, said.instructions].filter((part) => part).join(' ');
}

type Searched = Readonly<{
  type: string;
  serverName?: string | undefined;
  name: string;
  description: string;
  text: string;
}>;

/** Items that are searched alike have the same, so that what is counted of one is counted once. `schema`: of a tool. */
export function hashOfItem({ type, serverName = '', name, description, text }: Searched, schema?: unknown): string {
  const said = [type, serverName, name, description, text, schema ?? null];
  return hash('sha256', JSON.stringify(said));
}

/** Whether the files that a query made active would be the same again, as far as the answer says. */
export function sameRelevance(before: ResolveResult, after: ResolveResult): boolean {
  const shown = ({ semantic, files }: ResolveResult): string =>
    JSON.stringify([
      semantic,
      files.map(({ path, state, similarityScore, reason }) => [path, state, similarityScore, reason]),
    ]);
  return shown(before) === shown(after);
}

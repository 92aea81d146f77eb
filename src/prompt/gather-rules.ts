/** Rules, references and tools for a prompt, of a directory, an agent or a session. */
import { type CatalogItem, contentOf, fullName } from '../agent/catalog-item.ts';
import type { PlaceOptions } from '../agent/catalog-place.ts';
import type { ItemInclude } from '../agent/item.ts';
import { alwaysOn } from '../context/budget.ts';
import type { ContextFile } from '../context/context-file.ts';
import type { Expand } from '../context/offered-part.ts';
import type { SemanticStatus } from '../context/resolve-result.ts';
import type { EngineCore } from '../engine-core.ts';
import type { TokenEncoding } from '../ports/token-encoding.ts';
import { compareText } from '../texts/compare-text.ts';
import type { Reason, Warning } from '../warnings.ts';
import type { OmittedContext } from './context-result.ts';
import type { GatheredItem } from './gather-items.ts';

/** `agentId` or `sessionId`: whose items. `mountedDirectory`: absolute, used instead of the agent's directory. */
export type ItemQuestion = PlaceOptions & {
  agentId?: string | undefined;
  sessionId?: string | undefined;
  mountedDirectory: string;
  /** The question of the user. If it is empty, nothing is searched. */
  query: string;
  /** Items that are sent whole if the query selects them. */
  expand?: Expand | undefined;
  /** The encoding in which the size of shortened items is counted. */
  encoding?: TokenEncoding | undefined;
};

type OfferedItem = Readonly<{
  item: CatalogItem;
  includeMode: ItemInclude;
  similarityScore?: number;
  /** Why the item was chosen. */
  reason: Reason;
  /** The part that is sent, if not the whole item. */
  sent?: Required<Pick<GatheredItem, 'part' | 'wholeTokens'>> & { text: string };
}>;

/**
 * The items of an agent or a session for a prompt. `missing`: items of the session that the agent no longer has.
 * `mentioned`: the items that were mentioned, even if they have another reason.
 */
export type OfferedItems = Readonly<{
  chosen: readonly OfferedItem[];
  missing: readonly Pick<CatalogItem, 'type' | 'name' | 'serverName'>[];
  mentioned: Pick<ReadonlySet<CatalogItem>, 'has'>;
  semantic: SemanticStatus;
  warnings: readonly Warning[];
}>;

export type Gathered = {
  /** In the order in which they are sent. */
  items: GatheredItem[];
  omitted: OmittedContext[];
  warnings: readonly Warning[];
  semantic: SemanticStatus | undefined;
};

type Question = Omit<ItemQuestion, 'query'> & { query: string | undefined; workingDirectory?: string | undefined };

/** Throws as `resolve` does. */
export async function rulesOfDirectory(question: Question, { compose }: EngineCore): Promise<Gathered> {
  const { mountedDirectory, workingDirectory, query, files = [], mentions = [] } = question;
  const { expand, encoding, formats, unsaved } = question;
  const { result, bodies, going } = await compose(
    {
      mountedDirectory,
      workingDirectory,
      files: [...files],
      mentions: [...mentions],
      query,
      expand,
      budget: encoding && { encoding },
      formats,
    },
    { unsaved },
  );
  const active = result.files.filter(({ state }) => state === 'active');
  const always = new Set(alwaysOn(result.files));
  const weights = new Map(going.map((path, at) => [path, at]));
  // Rules that always apply come first, because they stay the same in the next prompt.
  const inOrder = [...active.filter((file) => always.has(file)), ...active.filter((file) => !always.has(file))];
  return {
    items: inOrder.map((file) => ({
      ...itemOfFile(file, bodies.get(file.path) ?? ''),
      weight: weights.get(file.path) ?? 0,
    })),
    omitted: result.excluded.map(({ path, reason }) => ({ kind: 'rule', path, reason })),
    warnings: result.warnings,
    semantic: result.semantic,
  };
}

/** Throws `not_found` for an agent or session that does not exist. */
export async function rulesOfAgent(
  question: Question,
  offer: (question: ItemQuestion) => Promise<OfferedItems>,
): Promise<Gathered> {
  const { query = '', ...place } = question;
  const { chosen, missing, mentioned, semantic, warnings } = await offer({ ...place, query });
  const order = { always: 0, manual: 1, auto: 2, agent: 3 } as const;
  const inOrder = chosen.toSorted(
    (a, b) => order[a.includeMode] - order[b.includeMode] || compareText(b.item.type, a.item.type),
  );
  return {
    items: inOrder.map(({ item, reason, similarityScore, sent }, at): GatheredItem => {
      const { type: kind, path, format } = item;
      return {
        kind,
        name: fullName(item),
        reason,
        content: sent?.text ?? contentOf(item),
        truncated: false,
        weight: (mentioned.has(item) ? inOrder.length : 0) - at,
        path,
        format,
        score: similarityScore,
        ...(sent && { part: sent.part, wholeTokens: sent.wholeTokens }),
      };
    }),
    omitted: missing.map((item) => ({ kind: item.type, name: fullName(item), reason: missingReason })),
    warnings,
    semantic: query === '' ? undefined : semantic,
  };
}

/** Of an item that a session asks for. */
export const missingReason: Reason = {
  code: 'missing',
  detail: 'the agent does not have it now: it is gone, excluded, or blocked by a policy',
};

function itemOfFile(file: ContextFile, content: string): Omit<GatheredItem, 'weight'> {
  const { type: kind, name, path, format, reason, similarityScore, truncated, part, wholeTokens } = file;
  return {
    kind,
    name,
    path,
    reason,
    content,
    truncated,
    format,
    score: similarityScore,
    ...(part && { part, wholeTokens }),
  };
}

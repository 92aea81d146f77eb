/** Everything that could be sent with a prompt, before the budget decides. */

import { baseName } from '../access/paths.ts';
import type { FetchedItem } from '../retrieval/assemble.ts';
import type { ImportMode } from '../retrieval/retrieve-request.ts';
import type { FileListing } from '../supplementary/file-index.ts';
import type { Reason } from '../warnings.ts';
import type { ContextItem } from './context-result.ts';
import { harmlessName } from './render-items.ts';

/**
 * `weight`: of two items of a kind, the one with the lower weight is dropped first. `held`: content that stays if the
 * item is cut.
 */
export type GatheredItem = Omit<ContextItem, 'tokens' | 'sha256'> & { weight: number; held?: string | undefined };

const reasons: Readonly<Record<FetchedItem['origin'], Reason>> = {
  supplementary: { code: 'added_by_user' },
  'open-tab': { code: 'open' },
  import: { code: 'imported', detail: 'by the active document' },
  search: { code: 'keyword_match', detail: 'the query' },
};

/** A file or part that retrieval found, as an item. The lower its `rank`, the later it is dropped. */
export function itemOfFetched(fetched: FetchedItem, rank: number, mode: ImportMode): GatheredItem {
  const { origin, path, relativePath: name, content, truncated, range, language } = fetched;
  return {
    kind: kindOf(origin, mode, range !== undefined),
    name,
    path,
    reason: reasons[origin],
    content,
    truncated,
    range,
    language,
    weight: -rank,
  };
}

export function kindOf(origin: FetchedItem['origin'], mode: ImportMode, isPart: boolean): ContextItem['kind'] {
  if (origin === 'open-tab') return 'tab';
  if (origin !== 'import') return origin;
  return mode === 'files' || !isPart ? 'file' : 'definition';
}

const [mapNames, mapFolders] = [30, 2_000];

/** One line for each folder, with its first files that may be shown. */
export async function mapOf(
  { folders, files }: FileListing,
  isAllowed: (relativePath: string) => Promise<boolean>,
): Promise<GatheredItem> {
  const lines: string[] = [];
  for (const { directory, files: names } of folders.slice(0, mapFolders)) {
    const shown: string[] = [];
    for (const name of names) {
      if (shown.length > mapNames) break;
      if (await isAllowed(name)) shown.push(harmlessName(baseName(name)));
    }
    const more = shown.length > mapNames ? ' …' : '';
    if (shown.length > 0)
      lines.push(`${directory === '' ? '.' : harmlessName(directory)}/: ${shown.slice(0, mapNames).join(' ')}${more}`);
  }
  const detail = `${files} files`;
  const content = lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  return {
    kind: 'map',
    name: 'workspace',
    reason: { code: 'asked_for', detail },
    content,
    truncated: false,
    weight: 0,
  };
}

/** Rules that a search selects, and a search of a daemon for them. */
import { expect } from 'vitest';
import type { ItemSearchResult, SearchRequest } from '../../src/agent/item-search.ts';
import type { SearchStatus } from '../../src/search/index-verbs.ts';
import type { TestDaemon } from './daemon.ts';
import { writeTree } from './temporary-files.ts';

/** `rules`: their texts by name. */
export function writeSearchedRules(workspace: string, rules: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(rules))
    writeTree(workspace, {
      [`.context/${name}.md`]: `---\ntrigger: agent\ndescription: About ${name}\n---\n${text}\n`,
    });
}

export async function searchRules(daemon: TestDaemon, request: SearchRequest): Promise<ItemSearchResult> {
  const { status, body } = await daemon.request('/v1/search', { body: request });
  expect(status).toBe(200);
  return body as ItemSearchResult;
}

export async function searchStatusOf(daemon: TestDaemon): Promise<SearchStatus> {
  return (await daemon.request('/v1/search/status')).body as SearchStatus;
}

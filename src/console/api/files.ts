/** The search for files of a mounted directory by letters of their paths. */
import type { FileSearchResult } from '../../supplementary/supplementary-item.ts';
import { request } from './request.ts';
import { type Resource, useResource } from './resource.ts';

/** More letters are refused by the daemon. */
const longestQuery = 256;

/** `limit`: how many files at most. */
type FileSearch = { mountedDirectory: string; query: string; limit: number };

export function searchFiles({ query, ...search }: FileSearch, signal?: AbortSignal): Promise<FileSearchResult> {
  const body = { ...search, query: query.slice(0, longestQuery) };
  return request<FileSearchResult>('/v1/workspace/files/search', { body, signal });
}

/** The files that a search finds. `undefined` searches nothing. */
export function useFiles(search: FileSearch | undefined): Resource<FileSearchResult> {
  return useResource(search && JSON.stringify(search), (signal) => searchFiles(search as FileSearch, signal));
}

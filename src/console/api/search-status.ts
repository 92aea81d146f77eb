import type { SearchStatus } from '../../search/index-verbs.ts';
import { request } from './request.ts';
import { type Resource, type ResourceOptions, useResource } from './resource.ts';

/** The embedding model and what it does now. `concerns`: which events about it count. */
export function useSearchStatus(isWanted: boolean, concerns?: ResourceOptions['concerns']): Resource<SearchStatus> {
  return useResource(
    isWanted ? 'search status' : undefined,
    (signal) => request<SearchStatus>('/v1/search/status', { signal }),
    { events: ['embedder-changed', 'index-progress'], concerns },
  );
}

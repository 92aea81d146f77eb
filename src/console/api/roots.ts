import type { GrantedRoots } from '../../../routes/roots.ts';
import { request } from './request.ts';
import { type Resource, useResource } from './resource.ts';

/** The directories whose files may be read. */
export function useRoots(): Resource<GrantedRoots> {
  return useResource('roots', (signal) => request<GrantedRoots>('/v1/roots', { signal }));
}

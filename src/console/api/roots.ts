import type { z } from 'zod';
import type { GrantedRoots } from '../../../routes/roots.ts';
import { request } from './request.ts';
import { type Resource, useResource } from './resource.ts';

/** The directories whose files may be read. */
export function useRoots(): Resource<z.infer<typeof GrantedRoots>> {
  return useResource('roots', (signal) => request<z.infer<typeof GrantedRoots>>('/v1/roots', { signal }));
}

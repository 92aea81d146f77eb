import type { GrantedRoots } from '../../../routes/roots.ts';
import type { DaemonClient } from './client.ts';

/** What the daemon may read. */
export async function grantedRootsOf({ request }: Pick<DaemonClient, 'request'>): Promise<GrantedRoots['roots']> {
  const { roots } = await request<GrantedRoots>({ method: 'GET', path: '/v1/roots' });
  return roots;
}

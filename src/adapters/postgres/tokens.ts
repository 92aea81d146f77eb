import type { DamagedRows } from '../../ports/store/row-hash.ts';
import type { TokenVerbs } from '../../ports/store/store.ts';
import { hashOfToken, intactTokens } from '../../ports/store/token-rows.ts';
import type { Subject } from './subject.ts';

/** Minted tokens in PostgreSQL. */
export function createPostgresTokens(
  schema: string,
  damaged: DamagedRows,
): Subject<Pick<TokenVerbs, 'list'>, TokenVerbs> {
  const table = `${schema}.tokens`;
  return {
    lock: 'tokens',
    reads: {
      async list({ run }) {
        const { rows } = await run(
          `SELECT id, label, created_at AS "createdAt", digest, hash FROM ${table} WHERE tenant = $1 ORDER BY position`,
        );
        return intactTokens(rows, damaged);
      },
    },
    writes: {
      async add(job, token) {
        job.changes.push({ type: 'tokens-changed' });
        await job.run(
          `INSERT INTO ${table} (tenant, id, label, created_at, digest, hash) VALUES ($1, $2, $3, $4, $5, $6)`,
          ...[token.id, token.label, token.createdAt, token.digest, hashOfToken(token)],
        );
      },
      async remove(job, id) {
        job.changes.push({ type: 'tokens-changed' });
        return (await job.run(`DELETE FROM ${table} WHERE tenant = $1 AND id = $2`, id)).count === 1;
      },
    },
  };
}

import { type DamagedRows, intactRows, rowHash } from '../../ports/store/row-hash.ts';
import type { StoredToken, TokenVerbs } from '../../ports/store/store.ts';
import type { Subject } from './subject.ts';

type Row = StoredToken & { hash: string };

/** Minted tokens in PostgreSQL. */
export function createPostgresTokens(
  schema: string,
  damaged: DamagedRows,
): Subject<Pick<TokenVerbs, 'list'>, TokenVerbs> {
  const table = `${schema}.tokens`;
  const hashOf = ({ id, label, createdAt, digest }: StoredToken) => rowHash(id, label, createdAt, digest);
  return {
    lock: 'tokens',
    reads: {
      async list({ run }) {
        const { rows } = await run(
          `SELECT id, label, created_at AS "createdAt", digest, hash FROM ${table} WHERE tenant = $1 ORDER BY position`,
        );
        const check = { subject: 'tokens', damaged, hashOf, keyOf: ({ id }: Row) => id };
        return intactRows<Row>(rows as Row[], check).map(({ hash: _hash, ...token }) => token);
      },
    },
    writes: {
      async add(job, token) {
        job.changes.push({ type: 'tokens-changed' });
        await job.run(
          `INSERT INTO ${table} (tenant, id, label, created_at, digest, hash) VALUES ($1, $2, $3, $4, $5, $6)`,
          ...[token.id, token.label, token.createdAt, token.digest, hashOf(token)],
        );
      },
      async remove(job, id) {
        job.changes.push({ type: 'tokens-changed' });
        return (await job.run(`DELETE FROM ${table} WHERE tenant = $1 AND id = $2`, id)).count === 1;
      },
    },
  };
}

import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { createRowReader } from '../../ports/store/row-reader.ts';
import type { TokenVerbs } from '../../ports/store/store.ts';
import { tokenColumns, tokenKind, tokenValues } from '../../ports/store/token-rows.ts';
import type { Subject } from './subject.ts';

/** Minted tokens in PostgreSQL. */
export function createPostgresTokens(
  schema: string,
  damaged: DamagedRows,
): Subject<Pick<TokenVerbs, 'list'>, TokenVerbs> {
  const table = `${schema}.tokens`;
  const { readAll } = createRowReader(damaged);
  return {
    lock: 'tokens',
    reads: {
      async list({ run }) {
        const { rows } = await run(`SELECT ${tokenColumns} FROM ${table} WHERE tenant = $1 ORDER BY position`);
        return readAll(rows, tokenKind);
      },
    },
    writes: {
      async add(job, token) {
        job.changes.push({ type: 'tokens-changed' });
        await job.run(
          `INSERT INTO ${table} (tenant, ${tokenColumns}) VALUES ($1, $2, $3, $4, $5, $6)`,
          ...tokenValues(token),
        );
      },
      async remove(job, id) {
        job.changes.push({ type: 'tokens-changed' });
        return (await job.run(`DELETE FROM ${table} WHERE tenant = $1 AND id = $2`, id)).count === 1;
      },
    },
  };
}

import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { createRowReader } from '../../ports/store/row-reader.ts';
import type { StoredSupplementaryItem, SupplementaryVerbs } from '../../ports/store/supplementary.ts';
import { supplementaryColumns, supplementaryKind, supplementaryValues } from '../../ports/store/supplementary-rows.ts';
import type { Job } from './job.ts';
import type { Subject } from './subject.ts';

/** Supplementary context in PostgreSQL. Paths can be longer than a key may be, so the index contains their hash. */
export function createPostgresSupplementary(
  schema: string,
  damaged: DamagedRows,
): Subject<Pick<SupplementaryVerbs, 'list'>, SupplementaryVerbs> {
  const table = `${schema}.supplementary_items`;
  const ofDirectory = 'tenant = $1 AND md5(mounted_directory) = md5($2) AND mounted_directory = $2';
  const { readAll } = createRowReader(damaged);
  const add = (job: Job, mountedDirectory: string, items: readonly StoredSupplementaryItem[]): void => {
    const column = (name: keyof StoredSupplementaryItem) => items.map((item) => item[name]);
    job.send(
      `INSERT INTO ${table} (tenant, mounted_directory, id, kind, path, added_at, hash)
       SELECT $1, $2, id, kind, path, added_at, hash
       FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
         WITH ORDINALITY AS given (id, kind, path, added_at, hash, number) ORDER BY number`,
      ...[mountedDirectory, column('id'), column('kind'), column('path'), column('addedAt')],
      items.map((item) => supplementaryValues(mountedDirectory, item).at(-1)),
    );
  };
  const tell = (job: Job, mountedDirectory: string): void => {
    job.changes.push({ type: 'supplementary-changed', mountedDirectory });
  };
  return {
    lock: 'supplementary',
    reads: {
      async list({ run }, mountedDirectory) {
        const { rows } = await run(
          `SELECT ${supplementaryColumns} FROM ${table} WHERE ${ofDirectory} ORDER BY position`,
          mountedDirectory,
        );
        return readAll(rows, supplementaryKind);
      },
    },
    writes: {
      async append(job, mountedDirectory, item) {
        add(job, mountedDirectory, [item]);
        tell(job, mountedDirectory);
      },
      async replace(job, mountedDirectory, items) {
        job.send(`DELETE FROM ${table} WHERE ${ofDirectory}`, mountedDirectory);
        if (items.length > 0) add(job, mountedDirectory, items);
        tell(job, mountedDirectory);
      },
      async remove(job, id) {
        const { rows } = await job.run(
          `DELETE FROM ${table} WHERE tenant = $1 AND id = $2 RETURNING mounted_directory AS "mountedDirectory"`,
          id,
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        tell(job, `${row.mountedDirectory}`);
        return `${row.mountedDirectory}`;
      },
    },
  };
}

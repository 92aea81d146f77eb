/** How rows are read: each is checked, and damaged ones are recorded and never returned (S-72). */
import { ContextdError } from '../../errors.ts';
import { type DamagedRows, rowHash, type StoredValue } from './row-hash.ts';
import { hashedColumns, intactValues, type Row } from './rows.ts';
import type { Page, PageBounds } from './session.ts';

/**
 * What is in the rows of a table. `subject`: its name in messages about damage. `key` identifies a row. `read` gets the
 * values of the columns that the hash covers, in their order.
 */
export type RowKind<Entry> = {
  table: string;
  subject: string;
  key(row: Row): string;
  read(values: readonly StoredValue[]): Entry;
};

/** The columns that the hash covers, and the hash: to select them, and to insert what `withHash` returns. */
export function columnsOf(table: string): string {
  return [...hashedColumns(table), 'hash'].join(', ');
}

/** The values of the columns that the hash covers, in their order, and the hash. */
export function withHash(...values: readonly StoredValue[]): StoredValue[] {
  return [...values, rowHash(...values)];
}

export function createRowReader(damaged: DamagedRows) {
  const readRow = <Entry>(row: Row, { table, subject, key, read }: RowKind<Entry>): Entry | undefined => {
    const values = intactValues(table, row);
    if (values !== undefined) return read(values);
    damaged.note(subject, key(row));
    return undefined;
  };
  /** Throws `unavailable` for a damaged row. */
  const readOne = <Entry>(row: Row | undefined, kind: RowKind<Entry>): Entry | undefined => {
    const entry = row && readRow(row, kind);
    if (row !== undefined && entry === undefined) throw damage();
    return entry;
  };
  /** Leaves damaged rows out. */
  const readAll = <Entry>(rows: readonly Row[], kind: RowKind<Entry>): Entry[] =>
    rows.map((row) => readRow(row, kind)).filter((entry) => entry !== undefined);
  /** Counts damaged rows. Never reads more rows than asked for. A row's `position` is its place in the order. */
  const readPage = <Entry>(rows: Iterable<Row>, bounds: PageBounds, kind: RowKind<Entry>): Page<Entry> => {
    const page: Page<Entry> = { entries: [], damaged: 0 };
    let bytesLeft = bounds.maxBytes;
    let last = 0;
    for (const row of rows) {
      const seen = page.entries.length + page.damaged;
      bytesLeft -= String(row.data ?? row.state).length;
      if (seen >= bounds.limit || (seen > 0 && bytesLeft < 0)) return { ...page, next: last };
      last = Number(row.position);
      const entry = readRow(row, kind);
      if (entry === undefined) page.damaged += 1;
      else page.entries.push(entry);
    }
    return page;
  };
  return { readOne, readAll, readPage };
}

export function damage(): ContextdError {
  return new ContextdError('unavailable', 'The stored data is damaged and cannot be used. The disk may be failing.');
}

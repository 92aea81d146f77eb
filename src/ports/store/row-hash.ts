/** A hash in each row with data of users, so that damage that SQLite does not notice is never returned (S-72). */
import { hash } from 'node:crypto';
import type { Warning } from '../../warnings.ts';

/** What SQLite stores. */
export type StoredValue = string | number | bigint | Uint8Array | null;

/** SHA-256, hexadecimal, of the values in order. Different lists of values are always hashed as different bytes. */
export function rowHash(...values: readonly StoredValue[]): string {
  // For rows of this size, hashing everything at once takes half the time.
  let text = '';
  for (const value of values) {
    if (!isText(value)) return hash('sha256', Buffer.concat(values.flatMap(framedBytes)));
    text += framedText(value);
  }
  return hash('sha256', text);
}

type Text = Exclude<StoredValue, Uint8Array>;

function isText(value: StoredValue): value is Text {
  return !(value instanceof Uint8Array);
}

function framedText(value: Text): string {
  const kind = value === null ? 'null' : typeof value === 'bigint' ? 'number' : typeof value;
  const text = String(value);
  return `${kind}:${Buffer.byteLength(text)}:${text}`;
}

function framedBytes(value: StoredValue): Uint8Array[] {
  return isText(value) ? [Buffer.from(framedText(value))] : [Buffer.from(`object:${value.length}:`), value];
}

/** Counts the damaged rows that were found since the start, by subject. */
export type DamagedRows = {
  /** `key` identifies the row, so that it counts only once. */
  note(subject: string, key: string): void;
  warnings(): Warning[];
};

export function createDamagedRows(): DamagedRows {
  const keys = new Map<string, Set<string>>();
  return {
    note(subject, key) {
      const known = keys.get(subject) ?? new Set();
      // Limits the memory, however many rows are damaged.
      if (known.size < 10_000) keys.set(subject, known.add(key));
    },
    warnings: () =>
      [...keys].map(([subject, { size }]) => ({
        code: 'database_rows_damaged',
        message: `${size} stored ${size === 1 ? 'entry' : 'entries'} of ${subject} ${size === 1 ? 'does not match its checksum and is' : 'do not match their checksums and are'} left out. The disk may be failing.`,
      })),
  };
}

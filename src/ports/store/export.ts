/**
 * The file with all state. It is JSON Lines, so that an untrusted file is never opened as a database. The first line is
 * a header, then each line is a row, and the last line has the number of rows and the SHA-256 of all bytes before it.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ContextdError } from '../../errors.ts';
import { fixedLimits } from '../../settings.ts';
import { isIntact } from './rows.ts';
import type { StateExport } from './store.ts';

/** Increased when readers must change. The rows belong to the tables after the first `schema` migrations. */
const exportVersion = 1;

export const ExportHeader = z.object({
  format: z.literal('contextd-export'),
  formatVersion: z.int().min(1),
  schema: z.int().min(1),
  writtenBy: z.string().max(200),
  createdAt: z.string().max(100),
});
export type ExportHeader = z.infer<typeof ExportHeader>;

type ExportedValue = string | number | null;
export type ExportedRow = Record<string, ExportedValue>;

const ExportLine = z.strictObject({
  table: z.string(),
  row: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});

/** By table: the number of rows, and of rows that were left out because they were damaged. */
export type ExportCounts = { rows: Record<string, number>; damaged: Record<string, number> };

const counts = z.record(z.string(), z.int().min(1));
const ExportEnd = z.strictObject({
  end: z.literal(true),
  rows: counts,
  damaged: counts,
  sha256: z.string().regex(/^[0-9a-f]{64}$/u),
});

type ExportAbout = Omit<ExportHeader, 'format' | 'formatVersion'>;

/** A row of a table, or `undefined` if it is damaged. */
export type ExportEntry = { table: string; row: ExportedRow | undefined };

/** A chunk ends with the line that makes it this long. */
const chunkLength = 256 * 1024;

/**
 * Writes a file in chunks of whole lines. `add` returns a chunk when it is long enough, before that an empty text. `end`
 * returns the rest, with the last line.
 */
export function beginExport(about: ExportAbout): { add(entry: ExportEntry): string; end(): string } {
  const hash = createHash('sha256');
  const found: ExportCounts = { rows: {}, damaged: {} };
  let chunk = '';
  const write = (value: unknown): void => {
    const line = `${JSON.stringify(value)}\n`;
    hash.update(line);
    chunk += line;
  };
  write({ format: 'contextd-export', formatVersion: exportVersion, ...about } satisfies ExportHeader);
  return {
    add({ table, row }) {
      count(row === undefined ? found.damaged : found.rows, table);
      if (row !== undefined) write({ table, row });
      if (chunk.length < chunkLength) return '';
      const whole = chunk;
      chunk = '';
      return whole;
    },
    end: () => `${chunk}${JSON.stringify({ end: true, ...found, sha256: hash.digest('hex') })}\n`,
  };
}

/** The chunks of a file with all these rows, which are available now. */
export function* writeExport(about: ExportAbout, rows: Iterable<ExportEntry>): Generator<string> {
  const { add, end } = beginExport(about);
  for (const row of rows) {
    const chunk = add(row);
    if (chunk !== '') yield chunk;
  }
  yield end();
}

/** Throws `limit_exceeded` while an export is running. */
export function oneAtATime(exportState: StateExport): StateExport {
  let isRunning = false;
  return async function* exportAlone(about) {
    if (isRunning) throw new ContextdError('limit_exceeded', 'An export is under way already.');
    isRunning = true;
    try {
      yield* exportState(about);
    } finally {
      isRunning = false;
    }
  };
}

function count(counts: Record<string, number>, table: string): void {
  counts[table] = (counts[table] ?? 0) + 1;
}

const maxHeaderBytes = 4 * 1024;

/** The file was written by a newer contextd. */
export class NewerExport extends Error {}

type ExportReader = {
  header(header: ExportHeader): void;
  /** `where`: the line, for messages. If it throws, reading ends. */
  row(table: string, row: ExportedRow, where: string): void;
};

/**
 * Reads a file and passes on its rows. Only when this returns is the file known to be complete. Throws
 * `invalid_request` if it is not an export, or was cut off or changed, and `NewerExport` for a newer format.
 */
export async function readExport(chunks: AsyncIterable<Uint8Array>, reader: ExportReader): Promise<ExportCounts> {
  const hash = createHash('sha256');
  const seen: Record<string, number> = {};
  let number = 0;
  let end: z.infer<typeof ExportEnd> | undefined;
  for await (const bytes of linesOf(chunks)) {
    number += 1;
    const where = `line ${number}`;
    if (end !== undefined) throw refuse('something follows its last line');
    const value = parseLine(bytes);
    if (number === 1) reader.header(parseHeader(value));
    else if (isObject(value) && value.end === true) {
      const parsed = ExportEnd.safeParse(value);
      if (!parsed.success) throw refuse(`${where} is not the end of one`);
      end = parsed.data;
      continue;
    } else {
      const parsed = ExportLine.safeParse(value);
      if (!parsed.success) throw refuse(`${where} is damaged`);
      reader.row(parsed.data.table, parsed.data.row, where);
      count(seen, parsed.data.table);
    }
    hash.update(bytes).update('\n');
  }
  if (number === 0) throw notAnExport();
  if (end === undefined) throw refuse('it was cut off: its last line is missing');
  const { rows, damaged, sha256 } = end;
  const isSame = sha256 === hash.digest('hex') && JSON.stringify(sorted(rows)) === JSON.stringify(sorted(seen));
  if (!isSame) throw refuse('it was changed or damaged: its checksum is another');
  return { rows, damaged };
}

/** What is wrong with a row. Undefined if nothing is wrong. */
export type FaultOf = (table: string, row: ExportedRow) => string | undefined;

/** The same for a row that was read: it must also have the columns of its table, and fit its hash. */
export function faultOfRow(
  table: string,
  row: ExportedRow,
  { columns, faultOf }: { columns: readonly string[]; faultOf: FaultOf },
): string | undefined {
  const isComplete = columns.every((column) => Object.hasOwn(row, column));
  if (!isComplete || Object.keys(row).length !== columns.length) return 'it has other columns';
  return isIntact(table, row) ? faultOf(table, row) : 'its checksum is wrong';
}

function parseHeader(value: unknown): ExportHeader {
  if (!isObject(value) || value.format !== 'contextd-export') throw notAnExport();
  const { formatVersion } = value;
  if (typeof formatVersion === 'number' && formatVersion > exportVersion)
    throw new NewerExport(`its format is ${formatVersion}, this one knows ${exportVersion}`);
  const header = ExportHeader.safeParse(value);
  if (!header.success) throw refuse('line 1 is damaged');
  return header.data;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const sorted = (counts: Record<string, number>) => Object.entries(counts).sort();

/** `undefined` if it is not JSON in UTF-8. */
function parseLine(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Lines without line breaks. Text after the last line break is a line that was cut off. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let isFirst = true;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...pieces, chunk.subarray(start, end)]);
      if (isFirst && line.length > maxHeaderBytes) throw notAnExport();
      yield line;
      [pieces, length, isFirst, start] = [[], 0, false, end + 1];
    }
    pieces.push(chunk.subarray(start));
    length += chunk.length - start;
    if (isFirst && length > maxHeaderBytes) throw notAnExport();
    if (length > fixedLimits.exports.lineBytes) throw refuse('a line of it is too long');
  }
  if (length > 0) throw isFirst ? notAnExport() : refuse('it was cut off in the middle of a line');
}

function notAnExport(): ContextdError {
  return new ContextdError('invalid_request', 'The file is not an export of contextd.');
}

/** Says, for people, why a file is refused. */
export function refuse(why: string): ContextdError {
  return new ContextdError('invalid_request', `The file cannot be imported: ${why}.`);
}

/** Turns the answer of an embedding server into vectors that can be compared (SS-09). */
import { fixedLimits } from '../../settings.ts';

type Expected = { texts: number; dimensions: number | undefined };
export type EndpointVectors = { dimensions: number; vectors: Float32Array };

/** Bytes for one number, and for everything else of the answer. More than any server needs. */
const bytesOfNumber = 40;
const bytesBeside = 64 * 1024;

/** The max bytes of an answer. */
export function maxBytesOf({ texts, dimensions = fixedLimits.search.endpointDimensions }: Expected): number {
  return bytesBeside + texts * dimensions * bytesOfNumber;
}

/** Reads an answer in the OpenAI format and scales each vector to length 1. Throws an error that says what is wrong. */
export function readVectors(answer: string, { texts, dimensions: known }: Expected): EndpointVectors {
  const rows = rowsIn(answer);
  if (rows.length !== texts) throw new Error(`it has ${rows.length} vectors for ${texts} texts`);
  const found = lengthOf(rows[0]);
  const dimensions = known ?? found;
  if (found > 0 && found !== dimensions)
    throw new Error(
      `its vectors have ${found} numbers, not ${dimensions} as before; if it has another model now, restart the daemon`,
    );
  if (dimensions < 1 || dimensions > fixedLimits.search.endpointDimensions)
    throw new Error(`its vectors have ${dimensions} numbers`);
  const vectors = new Float32Array(texts * dimensions);
  const seen = new Set<number>();
  for (const [at, row] of rows.entries()) {
    const index = indexOf(row, at);
    if (index >= texts || seen.size === seen.add(index).size)
      throw new Error('it does not say which vector belongs to which text');
    fill(vectors.subarray(index * dimensions, (index + 1) * dimensions), row);
  }
  return { dimensions, vectors };
}

type Row = { index?: unknown; embedding?: unknown };

function rowsIn(answer: string): readonly Row[] {
  let parsed: { data?: unknown } | null;
  try {
    parsed = JSON.parse(answer) as typeof parsed;
  } catch {
    throw new Error('it is not JSON');
  }
  const rows = typeof parsed === 'object' ? parsed?.data : undefined;
  if (!Array.isArray(rows) || rows.some((row) => typeof row !== 'object' || row === null))
    throw new Error('it has no list of vectors');
  return rows as Row[];
}

function lengthOf(row: Row | undefined): number {
  return Array.isArray(row?.embedding) ? row.embedding.length : 0;
}

/** A server that sends no index keeps the order. */
function indexOf({ index }: Row, at: number): number {
  if (index === undefined) return at;
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0)
    throw new Error('it does not say which vector belongs to which text');
  return index;
}

function fill(vector: Float32Array, { embedding }: Row): void {
  if (!Array.isArray(embedding)) throw new Error('it has a text without a vector');
  if (embedding.length !== vector.length)
    throw new Error(`its vectors have ${embedding.length} numbers, not ${vector.length}`);
  let square = 0;
  for (const value of embedding as unknown[]) {
    if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error('a value of a vector is not a number');
    square += value * value;
  }
  const length = Math.sqrt(square);
  if (!Number.isFinite(length) || length < 1e-20) throw new Error('the length of a vector is zero or too large');
  for (const [at, value] of (embedding as number[]).entries()) vector[at] = value / length;
}

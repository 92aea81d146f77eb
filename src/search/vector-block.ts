/**
 * All vectors in one flat block, for fast comparison (SS-08). They are stored as 16-bit integers: the similarity
 * differs by less than 0.0001 from that of 32-bit floats, which need twice the memory and time.
 */
import { createDotKernel, maxPages, pageBytes, strideStep, unit } from './dot-kernel.ts';

export type VectorBlock = {
  /** Rows in use: 0 to `rows` - 1. */
  readonly rows: number;
  /** Bytes of the block. */
  readonly bytes: number;
  /** Adds a vector of any length, or a row of another block, as the next row. */
  add(vector: Float32Array | Int16Array): void;
  /** The content of a row; valid until the block is changed. */
  row(row: number): Int16Array;
  /** Moves the last row to `row` and shortens the block by one. */
  remove(row: number): void;
  /** The cosine of the angle between each of the rows and the query. */
  compare(query: Float32Array, rows: Uint32Array): Float32Array;
  clear(): void;
};

/** The vector as integers, scaled to the length that stands for 1. */
function directionOf(vector: Float32Array): Int16Array {
  let squares = 0;
  for (const number of vector) squares += number * number;
  const scale = squares > 0 ? unit / Math.sqrt(squares) : 0;
  const direction = new Int16Array(vector.length);
  // Seven times as fast as `Int16Array.from`.
  for (let at = 0; at < vector.length; at += 1) direction[at] = Math.round((vector[at] as number) * scale);
  return direction;
}

/**
 * Rows of any length; multiples of 32 numbers are fastest. `plain`: without WebAssembly, as if its memory cannot be
 * reserved.
 */
export function createVectorBlock(dimensions: number, { plain = false } = {}): VectorBlock {
  const storage = plain ? plainStorage(dimensions) : kernelStorage(dimensions);
  let used = 0;
  return {
    get rows() {
      return used;
    },
    get bytes() {
      return storage.bytes();
    },
    add(vector) {
      if (vector.length !== dimensions)
        throw new RangeError(`A vector has ${vector.length} numbers, not ${dimensions}.`);
      storage.reserve(used + 1);
      storage.row(used).set(vector instanceof Int16Array ? vector : directionOf(vector));
      used += 1;
    },
    row: (row) => storage.row(row),
    remove(row) {
      if (row < 0 || row >= used) throw new RangeError(`There is no row ${row}.`);
      used -= 1;
      if (row !== used) storage.row(row).set(storage.row(used));
    },
    compare(query, rows) {
      if (query.length !== dimensions) throw new RangeError(`A query has ${query.length} numbers, not ${dimensions}.`);
      for (let at = 0; at < rows.length; at += 1)
        if ((rows[at] as number) >= used) throw new RangeError('There is no such row.');
      return storage.compare(directionOf(query), rows);
    },
    clear() {
      used = 0;
      storage.release();
    },
  };
}

type Storage = {
  bytes(): number;
  reserve(rows: number): void;
  row(row: number): Int16Array;
  compare(query: Int16Array, rows: Uint32Array): Float32Array;
  release(): void;
};

/** The block grows by a sixteenth, so that it is never much larger than its content. */
const grown = (needed: number): number => needed + (needed >> 4);

/** Rows to compare in one call. Their numbers and scores are stored before the block. */
const tile = 4_096;

function kernelStorage(dimensions: number): Storage {
  const stride = 2 * dimensions;
  // The memory reserves addresses, so none is created for a length that WebAssembly cannot compare.
  const made = stride % strideStep === 0 ? tryKernel() : undefined;
  if (made === undefined) return plainStorage(dimensions);
  let { memory, dot } = made;
  const at = { rows: 0, scores: 4 * tile, query: 8 * tile, block: 8 * tile + pageBytes };
  const pagesFor = (bytes: number): number => Math.ceil(bytes / pageBytes);
  const prepare = () => memory.grow(pagesFor(at.block) - 1);
  prepare();
  const integers = (start: number) => new Int16Array(memory.buffer, start, dimensions);
  return {
    bytes: () => memory.buffer.byteLength,
    reserve(rows) {
      if (at.block + rows * stride <= memory.buffer.byteLength) return;
      const pages = Math.min(maxPages, pagesFor(at.block + grown(rows * stride)));
      memory.grow(pages - memory.buffer.byteLength / pageBytes);
    },
    row: (row) => integers(at.block + row * stride),
    compare(query, rows) {
      const scores = new Float32Array(rows.length);
      integers(at.query).set(query);
      for (let start = 0; start < rows.length; start += tile) {
        const part = rows.subarray(start, start + tile);
        new Uint32Array(memory.buffer, at.rows, part.length).set(part);
        dot(at.rows, part.length, at.query, at.scores, at.block, stride);
        scores.set(new Float32Array(memory.buffer, at.scores, part.length), start);
      }
      return scores;
    },
    release() {
      // This memory cannot shrink. The old one is freed when nothing refers to it.
      ({ memory, dot } = tryKernel() ?? { memory, dot });
      if (memory.buffer.byteLength === pageBytes) prepare();
    },
  };
}

function tryKernel() {
  try {
    return createDotKernel();
  } catch {
    return undefined;
  }
}

function plainStorage(dimensions: number): Storage {
  let block = new Int16Array(0);
  const row = (index: number) => block.subarray(index * dimensions, (index + 1) * dimensions);
  return {
    bytes: () => block.byteLength,
    reserve(rows) {
      if (rows * dimensions <= block.length) return;
      const larger = new Int16Array(grown(rows + 15) * dimensions);
      larger.set(block);
      block = larger;
    },
    row,
    compare: (query, rows) =>
      Float32Array.from(rows, (index) => {
        const start = index * dimensions;
        let sum = 0;
        for (let column = 0; column < dimensions; column += 1)
          sum += (block[start + column] as number) * (query[column] as number);
        return sum / unit ** 2;
      }),
    release() {
      block = new Int16Array(0);
    },
  };
}

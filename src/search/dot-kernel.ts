/**
 * Computes the dot products of many vectors with one vector, eight numbers at a time. This is a WebAssembly function,
 * written here instruction by instruction, because no engine turns a loop over an `Int16Array` into vector
 * instructions.
 */

/** The used part of `WebAssembly`. Its types in TypeScript come only with those of a browser. */
export type KernelMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
type WebAssemblyPart = {
  Memory: new (limits: { initial: number; maximum: number }) => KernelMemory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: unknown };
};
const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyPart }).WebAssembly;

/** The integer that stands for 1. A row or query of length 1 has this length in integers. */
export const unit = 32_767;
/** Bytes that are compared in one turn. */
export const strideStep = 64;
export const pageBytes = 65_536;
/** The max memory of 32-bit addresses. */
export const maxPages = 65_536;

/**
 * For each of the `count` row numbers (32 bit) at `rows`, writes the dot product of that row and `query` (16-bit
 * integers), in units, to `out` (32-bit floats). Row `n` begins at `base + n * stride`; all are byte addresses, and
 * `stride` is a multiple of `strideStep`. Rows and queries are at most a unit long, so that no sum exceeds 32 bits.
 */
// biome-ignore lint/complexity/useMaxParams: a function of WebAssembly takes only numbers
type DotKernel = (rows: number, count: number, query: number, out: number, base: number, stride: number) => void;

/** The kernel and its memory. The memory reserves addresses for its max size. Throws if there are not enough. */
export function createDotKernel(): { memory: KernelMemory; dot: DotKernel } {
  const memory = new Memory({ initial: 1, maximum: maxPages });
  const { exports } = new Instance(new Module(kernelModule()), { contextd: { memory } });
  return { memory, dot: (exports as { dot: DotKernel }).dot };
}

// Names of parameters and local variables, by their index.
const [rows, count, query, out, base, stride, row, column, end] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const sums = [9, 10, 11, 12] as const;

const types = { i32: 0x7f, v128: 0x7b, function: 0x60, nothing: 0x40 };
const block = [0x02, types.nothing];
const loop = [0x03, types.nothing];
const close = [0x0b];
const getLocal = (local: number) => [0x20, local];
const setLocal = (local: number) => [0x21, local];
const teeLocal = (local: number) => [0x22, local];
const branchIf = (depth: number) => [0x0d, depth];
const integer = (value: number) => [0x41, ...signedLeb(value)];
const loadInteger = [0x28, 2, 0];
const storeFloat = [0x38, 2, 0];
const isZero = [0x45];
const differs = [0x47];
const add = [0x6a];
const subtract = [0x6b];
const multiply = [0x6c];
const toFloat = [0xb2];
const float = (value: number) => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)];
const multiplyFloats = [0x94];
const vector = (operation: number, ...rest: number[]) => [0xfd, ...unsignedLeb(operation), ...rest];
const loadVector = (offset: number) => vector(0, 4, offset);
const zeroVector = vector(12, ...new Array<number>(16).fill(0));
const lane = (index: number) => vector(27, index);
const addVectors = vector(174);
/** Eight products of 16-bit integers, of which each two neighbours are added. */
const multiplyVectors = vector(186);
const advance = (local: number, bytes: number) => [...getLocal(local), ...integer(bytes), ...add, ...setLocal(local)];

/** Adds 32 numbers in each turn, to four independent sums, so that no addition waits for another one. */
const innerLoop = [
  ...loop,
  ...sums.flatMap((sum, at) => [
    ...getLocal(sum),
    ...[...getLocal(row), ...loadVector(16 * at), ...getLocal(column), ...loadVector(16 * at), ...multiplyVectors],
    ...[...addVectors, ...setLocal(sum)],
  ]),
  ...advance(column, strideStep),
  ...advance(row, strideStep),
  ...[...getLocal(row), ...getLocal(end), ...differs, ...branchIf(0)],
  ...close,
];

const total = [
  ...[...getLocal(sums[0]), ...getLocal(sums[1]), ...addVectors],
  ...[...getLocal(sums[2]), ...getLocal(sums[3]), ...addVectors, ...addVectors, ...setLocal(sums[0])],
  ...[0, 1, 2, 3].flatMap((index) => [...getLocal(sums[0]), ...lane(index), ...(index === 0 ? [] : add)]),
  ...[...toFloat, ...float(1 / unit ** 2), ...multiplyFloats],
];

const body = [
  ...block,
  ...[...getLocal(count), ...isZero, ...branchIf(0)],
  ...loop,
  ...[...getLocal(base), ...getLocal(rows), ...loadInteger, ...getLocal(stride), ...multiply, ...add],
  ...[...teeLocal(row), ...getLocal(stride), ...add, ...setLocal(end)],
  ...[...getLocal(query), ...setLocal(column)],
  ...sums.flatMap((sum) => [...zeroVector, ...setLocal(sum)]),
  ...innerLoop,
  ...[...getLocal(out), ...total, ...storeFloat],
  ...advance(rows, 4),
  ...advance(out, 4),
  ...[...getLocal(count), ...integer(1), ...subtract, ...teeLocal(count), ...branchIf(0)],
  ...close,
  ...close,
  ...close,
];

/** The module in the binary format of WebAssembly: types, an import, a function, an export, code. */
function kernelModule(): Uint8Array {
  const locals = [2, 3, types.i32, 4, types.v128];
  const code = [...locals, ...body];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, types.function, 6, ...new Array<number>(6).fill(types.i32), 0]),
    ...section(2, [1, ...name('contextd'), ...name('memory'), 2, 1, ...unsignedLeb(1), ...unsignedLeb(maxPages)]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('dot'), 0, 0]),
    ...section(10, [1, ...unsignedLeb(code.length), ...code]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsignedLeb(content.length), ...content];
}

function name(text: string): number[] {
  return [text.length, ...Buffer.from(text)];
}

function unsignedLeb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsignedLeb(value >>> 7)];
}

function signedLeb(value: number): number[] {
  const rest = value >> 7;
  const isLast = rest === ((value & 64) === 0 ? 0 : -1);
  return isLast ? [value & 127] : [(value & 127) | 128, ...signedLeb(rest)];
}

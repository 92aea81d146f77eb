/** What the types of Node.js leave out. `pages`: of 64 KiB. */
type Constructors = {
  Memory: new (pages: { initial: number; maximum: number }) => object;
  RuntimeError: new () => Error;
};

export const { Memory, RuntimeError } = (globalThis as unknown as { WebAssembly: Constructors }).WebAssembly;

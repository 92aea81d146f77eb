import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void;

/** Collects what JavaScript does not refer to any more. */
export function collectGarbage(): void {
  collect();
  // What only the finalisers of the first time let go of.
  collect();
}

/** Bytes that JavaScript refers to, its buffers included, and no memory of WebAssembly. */
export function memoryInUse(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

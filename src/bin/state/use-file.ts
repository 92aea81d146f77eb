import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';

/**
 * Opens a file for reading and returns what `use` returns. Does not wait for a writer, even if the file is a pipe.
 * `flags`: for `open`, in addition.
 */
export function useFile<Result>(path: string, use: (descriptor: number, stat: Stats) => Result, flags = 0): Result {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    return use(descriptor, fstatSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

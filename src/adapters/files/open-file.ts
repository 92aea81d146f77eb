/**
 * An opened file or directory. Each call is synchronous where that is quick: crossing threads costs several times as
 * much as most calls.
 */
import {
  type BigIntStats,
  close,
  closeSync,
  constants,
  type Dirent,
  fstat,
  fstatSync,
  open,
  openSync,
  read,
  readdir,
  readdirSync,
  readSync,
} from 'node:fs';
import type { LocalLooks } from './local-look.ts';

const bigint = { bigint: true } as const;
/** libuv always adds `O_CLOEXEC`. */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
/** More bytes than this are read in a thread. */
const quickBytes = 256 * 1024;

export type Entries = Dirent<string | Buffer>[];
type Soon<T> = T | Promise<T>;

export type OpenFile = Readonly<{
  descriptor: number;
  stat(): Soon<BigIntStats>;
  /** Fills `buffer` with the bytes from `position` on. Returns how many came. */
  read(buffer: Buffer, position: number): Soon<number>;
  /** All entries of a directory, which is read by this path. */
  list(path: string, encoding: 'utf8' | 'buffer'): Soon<Entries>;
  close(): Promise<void>;
}>;

/** Opens a path without following a link at its end and without waiting for a writer. `place` is the path. */
export async function openFile(place: string, look: LocalLooks['look']): Promise<OpenFile> {
  /** On a local file system the kernel mostly has the answer in memory, or reads little. */
  const soon = <T>(now: () => T, later: () => Promise<T>): Soon<T> =>
    look(place, { follows: false, hasTurn: true, now, later });
  const descriptor = await soon(
    () => openSync(place, openFlags),
    () => answerOf<number>((done) => open(place, openFlags, done)),
  );
  return {
    descriptor,
    stat: () =>
      soon(
        () => fstatSync(descriptor, bigint),
        () => answerOf<BigIntStats>((done) => fstat(descriptor, bigint, done)),
      ),
    read(buffer, position) {
      const { length } = buffer;
      const later = () => answerOf<number>((done) => read(descriptor, buffer, 0, length, position, done));
      return length > quickBytes ? later() : soon(() => readSync(descriptor, buffer, 0, length, position), later);
    },
    list(path, encoding) {
      // The declared types know 'buffer' only as a literal.
      const options = { encoding: encoding as 'utf8', withFileTypes: true } as const;
      return soon<Entries>(
        () => readdirSync(path, options),
        () => answerOf<Entries>((done) => readdir(path, options, done)),
      );
    },
    async close() {
      try {
        await soon(
          () => closeSync(descriptor),
          () => answerOf<void>((done) => close(descriptor, done)),
        );
      } catch {}
    },
  };
}

/** The answer of a call with a callback, which costs half as much as one with a promise. */
export function answerOf<T>(call: (done: (error: Error | null, answer: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, answer) => (error === null || error === undefined ? resolve(answer) : reject(error)));
  });
}

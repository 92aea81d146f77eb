// Long because it has all interfaces between the engine and the world outside.
/**
 * The interfaces between the engine and the world outside. Terms, as in docs/requirements.md:
 * *mounted directory*, *AI working directory*, *context directory* (`<dir>/<clientContextPath>`), *owner* (the
 * directory that holds a context directory), *granted root* (a directory the user allows to be read).
 *
 * Every path in these interfaces is absolute, uses `/` as its separator, and has no `.`, `..` or trailing `/`.
 * Expected errors of a file system are returned, not thrown.
 */

import type { FieldError } from '../errors.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Warning } from '../warnings.ts';
import type { ParsedSource, SourceLanguage } from './parsed-source.ts';
import type { TokenEncoding } from './token-encoding.ts';

/** The kind of a path, without following links. */
export type PathKind = 'file' | 'directory' | 'symlink' | 'other';

/**
 * Why a path could not be used. `not_found`: also if it was just removed; `unreadable`: no permission; `symlink`: a
 * link, at the path or on the way to it, that is not followed; `outside_roots`: the real path is not in a root;
 * `pseudo_file`: of the kernel (`/proc`, `/sys`, `/dev`); `io_error`: anything else, such as a file that kept changing
 * while it was read, or a disk that does not answer.
 */
export type FileRefusal = {
  ok: false;
  code:
    | 'not_found'
    | 'unreadable'
    | 'symlink'
    | 'not_regular_file'
    | 'not_directory'
    | 'outside_roots'
    | 'pseudo_file'
    | 'io_error';
};

/**
 * A path at one moment. `signature` changes when content or metadata may have changed (device, inode, size, both change
 * times in nanoseconds). `changedAtMs`: the later of the two change times, in milliseconds since 1970; a signature soon
 * after it cannot be trusted yet. `identity`: device and inode, the same for all hard links and mounts of a file.
 */
export type FileStat = {
  ok: true;
  kind: PathKind;
  size: number;
  signature: string;
  changedAtMs: number;
  identity: string;
};

/** An entry of a directory. A name that is not valid UTF-8 is marked `undecodable`, and cannot be opened. */
export type DirectoryEntry = { name: string; kind: PathKind; undecodable?: true };

/**
 * Entries sorted by name (code units). `truncated`: there are more than `maxEntries`; the file system decides which
 * ones are left out. The kind of a link is `symlink` even if links are followed. `stat`: of the directory before it was
 * listed.
 */
export type DirectoryListing = { ok: true; entries: DirectoryEntry[]; truncated: boolean; stat: FileStat };

/**
 * The first `maxBytes` of a regular file. `size` is the size of the whole file in bytes as far as it is known;
 * `truncated` is true when more than `maxBytes` could be read; `stat` describes the file at a moment when these were
 * its bytes.
 */
export type FileContent = { ok: true; bytes: Uint8Array; size: number; truncated: boolean; stat: FileStat };

/** SHA-256 of a whole file, hexadecimal. `stat`: of the file while it had this content. */
type FileHash = { ok: true; sha256: string; stat: FileStat };

/**
 * A directory that the user allows to be read. `path`: as the user wrote it (absolute, normalized). `realPath`: the
 * same directory with links resolved.
 */
export type Root = { path: string; realPath: string };

/** `followSymlinks`: follow links whose target is in one of `roots`. Otherwise all links are refused. */
export type ReachOptions = { roots: readonly Root[]; followSymlinks: boolean };

/**
 * Reads the file system. Implemented by `adapters/files/node-files.ts` and, for tests, `test/support/memory-files.ts`.
 */
export interface Files {
  /** The user's home directory. */
  homeDirectory(): string;
  /** Describes a path, without following links. Opens nothing. */
  stat(absolutePath: string): Promise<FileStat | FileRefusal>;
  /** Like `stat`, but without a promise if the answer is known. */
  statSoon(absolutePath: string): FileStat | FileRefusal | Promise<FileStat | FileRefusal>;
  /** Whether a path without links always is the real one. Not if the file system ignores letter case. */
  readonly namesAreExact: boolean;
  /** An existing path with all links resolved, or a refusal. */
  realPath(absolutePath: string): Promise<{ ok: true; realPath: string } | FileRefusal>;
  /** The entries of a directory whose real path is in one of `roots`. */
  list(absolutePath: string, options: ReachOptions & { maxEntries: number }): Promise<DirectoryListing | FileRefusal>;
  /**
   * The first bytes of a regular file whose real path is in one of `roots`. Does not block, or follow refused links.
   */
  read(absolutePath: string, options: ReachOptions & { maxBytes: number }): Promise<FileContent | FileRefusal>;
  /** The hash of a regular file of any size, opened like in `read`, and read in parts. `too_slow` after `maxMs`. */
  hash(
    absolutePath: string,
    options: ReachOptions & { maxMs: number },
  ): Promise<FileHash | FileRefusal | { ok: false; code: 'too_slow' }>;
}

/** The paths that were asked about with `stat` and `realPath`. */
export type SeenPaths = Readonly<Record<'stat' | 'realPath', readonly string[]>>;

/**
 * Leases on what was seen of the disk, by the object that holds it. While one is valid, nothing of it has changed.
 * Implemented by `adapters/files/kernel-leases.ts`.
 */
export interface Leases {
  /** Whether nothing has changed, in any change that had returned before the call. False without a lease. */
  hold(looks: object): Promise<boolean>;
  /**
   * Watches these paths, if it is asked for often. The caller looks at them, and calls the result if all is as it was.
   * `sinceMs`: before the first of these looks (`performance.now()`). There is a lease if the paths were watched by then
   * already. Undefined if they are not watched.
   */
  take(looks: object, seen: SeenPaths, sinceMs: number): (() => void) | undefined;
  close(): void;
}

/**
 * Why a file could not be written. `changed`: the present file is not what the caller expects; `no_space`: the disk or
 * the quota is full; `read_only`: the file system accepts no changes.
 */
export type WriteRefusal = { ok: false; code: FileRefusal['code'] | 'changed' | 'no_space' | 'read_only' };

/**
 * Writes the files of a workspace that users edit with contextd. Implemented by `adapters/files/node-file-writer.ts`.
 */
export interface FileWriter {
  /**
   * Writes a whole file atomically, also in case of a crash. Replaces only regular files, keeps their mode, and follows
   * no links. A new file gets the read permissions of its directory. Right before the write, `isExpected` is called
   * with the first `maxBytes` of the present file, or with `undefined` if there is none. The directory must exist, or
   * with `makesDirectory` the one above it.
   */
  replace(
    absolutePath: string,
    bytes: Uint8Array,
    options: {
      roots: readonly Root[];
      maxBytes: number;
      isExpected(present: Uint8Array | undefined): boolean;
      makesDirectory?: boolean;
    },
  ): Promise<{ ok: true } | WriteRefusal>;
  /** Removes a regular file. Follows no links. Calls `isExpected` like `replace`. */
  remove(
    absolutePath: string,
    options: { roots: readonly Root[]; maxBytes: number; isExpected(present: Uint8Array | undefined): boolean },
  ): Promise<{ ok: true } | WriteRefusal>;
}

/** What a watch does with a path: nothing, watch a directory only to find others (`pass`), or `report` its changes. */
export type WatchDecision = 'ignore' | 'pass' | 'report';

/** A change of an entry. A `passed` directory was not reported itself; its entries changed before they were watched. */
export type SeenChange = { path: string; change: 'added' | 'changed' | 'removed'; passed?: true };

/**
 * Why changes may have been missed: the system has no more watches, so that directories are polled from now on; there
 * were more changes than the queue of the system holds; or there are more directories than may be watched.
 */
export type WatchTrouble = 'polling' | 'overflow' | 'too_many_directories';

export type WatchOptions = {
  /** Called for everything below the added directories. `kind` is `undefined` if it is not known yet. */
  decide(path: string, kind: 'file' | 'directory' | undefined): WatchDecision;
  maxDirectories: number;
  onChange(change: SeenChange): void;
  onTrouble(trouble: WatchTrouble): void;
};

export type Watch = {
  /**
   * Watches directories, given by their real paths, and below them what `decide` allows. A directory that does not
   * exist yet is reported when it is created. Follows no links. Also reports changes since `sinceMs`.
   */
  add(directories: readonly string[], sinceMs: number): void;
  /** Number of watched directories. */
  readonly directories: number;
  /** Reports no more changes after the call. Resolves when all resources are freed. */
  close(): Promise<void>;
};

/**
 * Reports changes on disk. Implemented by `adapters/files/chokidar-watcher.ts` and, for tests,
 * `test/support/memory-watcher.ts`.
 */
export interface Watcher {
  watch(options: WatchOptions): Watch;
}

/** Counts tokens, outside of the main thread if this takes long. Rejects if counting is not possible. */
export interface TokenCounter {
  /** The tokens of each text. Special tokens count like normal text. */
  count(texts: readonly string[], encoding: TokenEncoding): Promise<number[]>;
  dispose(): void;
}

/**
 * Finds imports and definitions in source text, in a separate process: a text that crashes the parser, or needs too
 * much memory or time, affects only its own answer. Rejects with a `ParseFailure`.
 */
export interface SourceParser {
  parse(source: { language: SourceLanguage; text: string }): Promise<ParsedSource>;
  /** How often the process was started, and how often it crashed or was ended because it took too long. */
  figures(): { starts: number; failures: number };
  dispose(): void;
}

/** The state of the embedding model. `stopped`: not needed now. */
export const embedderStates = ['stopped', 'downloading', 'loading', 'ready', 'failed'] as const;

/** `detail`: why it failed or would fail, for people, in whole sentences. */
export type EmbedderStatus = { state: (typeof embedderStates)[number]; detail?: string };

/** A vector of length 1 with `dimensions` numbers per text. Vectors of different identities cannot be compared. */
export type Embeddings = { identity: string; dimensions: number; vectors: Float32Array };

/** What a text is embedded for. Many models distinguish this. */
export type TextUse = 'question' | 'document';

/**
 * Turns texts into vectors: in a separate process that is started when needed (SS-03, S-79,
 * `adapters/embedding/transformers-embedder.ts`), or by a server that the user named (SS-09,
 * `adapters/embedding/endpoint-embedder.ts`). Rejects with an `EmbeddingFailure`.
 */
export interface Embedder {
  /** The name of the model, for people. */
  readonly model: string;
  /** `undefined` before the first answer of a server. Does not change after it. */
  readonly dimensions: number | undefined;
  /** The server that gets all texts. Absent if they stay in the daemon and its processes. */
  readonly endpoint?: string;
  /** Whether it can be used without a download. */
  isPresent(): boolean;
  status(): EmbedderStatus;
  /** Called whenever the status changes. */
  onChange(listener: (status: EmbedderStatus) => void): void;
  /** Gets the model ready, with a download if needed and allowed. `onProgress` gets its bytes. */
  prepare(onProgress: (done: number, total: number) => void): Promise<void>;
  /** One vector per text. Uses the network only for `endpoint`. Default of `use`: `document`. */
  embed(texts: readonly string[], use?: TextUse): Promise<Embeddings>;
  dispose(): void;
}

/** Why there are no vectors. The message is for people, in whole sentences. */
export class EmbeddingFailure extends Error {
  override readonly name = 'EmbeddingFailure';
}

/**
 * Time in milliseconds. `now` is the wall clock, since 1970. `elapsed` is monotonic, from an arbitrary start. `worked`
 * is the processor time of this thread, if it is known. It does not depend on how busy the machine is.
 */
export interface Clock {
  now(): number;
  elapsed(): number;
  worked?(): number;
}

/** Structured log lines, without secrets. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A tool of an MCP server. `inputSchema` is the JSON Schema of its arguments, as the server gave it. */
export type ListedTool = Readonly<{ serverName: string; name: string; description: string; inputSchema: unknown }>;

/** Where MCP servers are defined: in the configurations of a directory, in an agent, or both. The agent's own win. */
export type ToolPlace = { agentId?: string; mountedDirectory?: string; workingDirectory?: string };

/** A server that the user approved. `missing`: code and sentence why its tools are not known or not used. */
export type ToolServer = Readonly<{ name: string; missing?: MissingTools; withheld?: MissingTools }>;
type MissingTools = Readonly<{ code: WarningCode; detail: string }>;

/** `warnings`: why servers may be missing, such as a configuration that cannot be read. */
export type ToolListing = Readonly<{
  tools: readonly ListedTool[];
  servers: readonly ToolServer[];
  warnings?: readonly Warning[];
}>;

export const noTools: ToolListing = Object.freeze({ tools: [], servers: [] });

/** The known tools of approved MCP servers, whether these run or not. Starts no server. */
export interface ToolSource {
  /** The same object as long as nothing changed. */
  listTools(place: ToolPlace): Promise<ToolListing>;
}

/** Checks values against untrusted JSON Schemas, which may need any time and memory. Never rejects. */
export interface SchemaChecker {
  /** `unknown`: the schema is invalid, or the check takes too much time or memory, or cannot begin. */
  check(
    schema: Readonly<Record<string, unknown>>,
    value: unknown,
  ): Promise<
    | { outcome: 'valid' }
    /** The pointers are for the value. */
    | { outcome: 'invalid'; errors: readonly FieldError[] }
    | { outcome: 'unknown'; detail: string }
  >;
  dispose(): void;
}

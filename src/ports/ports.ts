// Long because it holds every interface through which the engine meets the world.
/**
 * Terminology, then the interfaces through which the engine meets the world. Words are those of docs/requirements.md:
 * *mounted directory*, *AI working directory*, *context directory* (`<dir>/<clientContextPath>`), *owner* (the directory
 * that holds a context directory), *granted root* (a directory the user allows to be read).
 *
 * Every path in these interfaces is absolute, uses `/` as its separator, and has no `.`, `..` or trailing `/`.
 * Nothing here throws for what a file system can be expected to do: refusals are values.
 */

import type { FieldError } from '../errors.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Warning } from '../warnings.ts';
import type { ParsedSource, SourceLanguage } from './parsed-source.ts';
import type { TokenEncoding } from './token-encoding.ts';

/** What lies at a path, links not followed. */
export type FileKind = 'file' | 'directory' | 'symlink' | 'other';

/**
 * Why a path could not be used. `not_found` covers whatever vanished; `unreadable` is a permission; `symlink` a link
 * (at the path or on the way to it) that is not followed; `outside_roots` a path that really lies elsewhere;
 * `pseudo_file` one of the kernel's (`/proc`, `/sys`, `/dev`); `io_error` anything else, such as a file that never
 * stopped changing while it was read, or a disk that does not answer.
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
 * A path as it was at one moment. `signature` changes whenever content or metadata may have changed (device, inode,
 * size, both change times in nanoseconds); `changedAtMs` is the later of the two change times, in milliseconds since
 * 1970, and tells a reader whether the signature can already be trusted. `identity` is device and inode: the same for
 * every name that leads to one file or directory, by hard links and by mounts.
 */
export type FileStat = {
  ok: true;
  kind: FileKind;
  size: number;
  signature: string;
  changedAtMs: number;
  identity: string;
};

/** One entry of a directory. A name that is not valid UTF-8 is reported `undecodable` and cannot be opened. */
export type DirectoryEntry = { name: string; kind: FileKind; undecodable?: true };

/**
 * Entries sorted by name (code units). `truncated` when there are more than `maxEntries`; which ones are then left out
 * is up to the file system. The kind of a link stays `symlink`, also when links are followed. `stat` describes the
 * directory before it was listed.
 */
export type DirectoryListing = { ok: true; entries: DirectoryEntry[]; truncated: boolean; stat: FileStat };

/**
 * The first `maxBytes` of a regular file. `size` is the size of the whole file in bytes as far as it is known;
 * `truncated` is true when more than `maxBytes` could be read; `stat` describes the file at a moment when these were its bytes.
 */
export type FileContent = { ok: true; bytes: Uint8Array; size: number; truncated: boolean; stat: FileStat };

/** The SHA-256 of a whole file, hexadecimal; `stat` describes the file at a moment when it was of this content. */
type FileHash = { ok: true; sha256: string; stat: FileStat };

/**
 * A directory the user allows to be read. `path` is how the user wrote it (absolute, normalised), `realPath` where it
 * really lies; both name the same directory.
 */
export type Root = { path: string; realPath: string };

/** `followSymlinks`: follow links whose target lies in one of `roots`; otherwise every link is refused. */
export type ReachOptions = { roots: readonly Root[]; followSymlinks: boolean };

/** The file system, reading only. Implemented by `adapters/files/node-files.ts` and, for tests, `test/support/memory-files.ts`. */
export interface Files {
  /** The user's home directory. */
  homeDirectory(): string;
  /** What lies at the path, links not followed. Never opens anything. */
  stat(absolutePath: string): Promise<FileStat | FileRefusal>;
  /** As `stat`, and no promise where that takes no time. */
  statSoon(absolutePath: string): FileStat | FileRefusal | Promise<FileStat | FileRefusal>;
  /** Whether a path on which there is no link is the real one. Elsewhere letter case may differ. */
  readonly namesAreExact: boolean;
  /** Where an existing path really lies, all links resolved, or a refusal. */
  realPath(absolutePath: string): Promise<{ ok: true; realPath: string } | FileRefusal>;
  /** The entries of a directory that really lies in one of `roots`. */
  list(absolutePath: string, options: ReachOptions & { maxEntries: number }): Promise<DirectoryListing | FileRefusal>;
  /** The first bytes of a regular file that really lies in one of `roots`; opening never blocks and never follows a refused link. */
  read(absolutePath: string, options: ReachOptions & { maxBytes: number }): Promise<FileContent | FileRefusal>;
  /** The hash of a regular file of any size, opened as by `read` and never held as a whole; `too_slow` after `maxMs`. */
  hash(
    absolutePath: string,
    options: ReachOptions & { maxMs: number },
  ): Promise<FileHash | FileRefusal | { ok: false; code: 'too_slow' }>;
}

/**
 * Why a file could not be written. `changed`: what lies there is not what the caller expects; `no_space`: the disk or the
 * quota is full; `read_only`: the file system takes no changes.
 */
export type WriteRefusal = { ok: false; code: FileRefusal['code'] | 'changed' | 'no_space' | 'read_only' };

/** Writes the few files of a workspace that a user manages through contextd. Implemented by `adapters/files/node-file-writer.ts`. */
export interface FileWriter {
  /**
   * Puts a whole file, in a directory that exists, in place of what lies there: whoever reads sees the old one or the new
   * one, also after a crash. Only a regular file is ever replaced, its mode stays, and no link is followed anywhere. A new
   * file may be read by whom its directory may. `isExpected` is asked last of all about the first `maxBytes` of the present
   * file, or about nothing. With `makesDirectory` the directory is made where there is nothing at its path; the one above
   * it must exist.
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
  /** Removes a regular file; no link is followed anywhere. `isExpected` is asked last of all, as by `replace`. */
  remove(
    absolutePath: string,
    options: { roots: readonly Root[]; maxBytes: number; isExpected(present: Uint8Array | undefined): boolean },
  ): Promise<{ ok: true } | WriteRefusal>;
}

/** What a watch does with a path: nothing, `pass` through a directory on the way to others, or `report` its changes. */
export type WatchDecision = 'ignore' | 'pass' | 'report';

/** What happened to an entry. A `passed` directory has itself not been reported; its entries changed before they were watched. */
export type SeenChange = { path: string; change: 'added' | 'changed' | 'removed'; passed?: true };

/**
 * Why changes may have gone unnoticed: the system has no more watches and the directories are polled from now on, more
 * happened at once than the system queues, or more directories were found than may be watched.
 */
export type WatchTrouble = 'polling' | 'overflow' | 'too_many_directories';

export type WatchOptions = {
  /** Asked for everything below the added directories; `kind` is undefined where it is not known yet. */
  decide(path: string, kind: 'file' | 'directory' | undefined): WatchDecision;
  maxDirectories: number;
  onChange(change: SeenChange): void;
  onTrouble(trouble: WatchTrouble): void;
};

export type Watch = {
  /**
   * Watches directories that are given by their real paths; one that does not exist yet is reported when it does. What
   * `decide` lets in below them is watched too, links never followed. What changed since `sinceMs` is reported as well.
   */
  add(directories: readonly string[], sinceMs: number): void;
  /** Number of directories that are watched. */
  readonly directories: number;
  /** No change is reported after the call; resolves when every resource is given back. */
  close(): Promise<void>;
};

/** Tells what changes on disk. Implemented by `adapters/files/chokidar-watcher.ts` and, for tests, `test/support/memory-watcher.ts`. */
export interface Watcher {
  watch(options: WatchOptions): Watch;
}

/** Counts tokens, off the main thread where that matters. Rejects when counting is not possible. */
export interface TokenCounter {
  /** Tokens of each text; special tokens count as the text they are written with. */
  count(texts: readonly string[], encoding: TokenEncoding): Promise<number[]>;
  dispose(): void;
}

/**
 * Reads imports and definitions out of source text, in a process of its own: what a text does to a parser (crash, memory,
 * time) costs that text's answer only. Rejects with a `ParseFailure`.
 */
export interface SourceParser {
  parse(source: { language: SourceLanguage; text: string }): Promise<ParsedSource>;
  /** How often the process was started, and how often it broke down or was ended because it took too long. */
  figures(): { starts: number; failures: number };
  dispose(): void;
}

/** What the embedding model does. `stopped`: not needed now. */
export const embedderStates = ['stopped', 'downloading', 'loading', 'ready', 'failed'] as const;

/** `detail` says why it failed, or that it would, for people, as whole sentences. */
export type EmbedderStatus = { state: (typeof embedderStates)[number]; detail?: string };

/** `vectors` holds `dimensions` numbers for each text, of length 1. Those of different identities cannot be compared. */
export type Embeddings = { identity: string; dimensions: number; vectors: Float32Array };

/** What a text is embedded for: many models are told. */
export type TextUse = 'question' | 'document';

/**
 * Turns texts into vectors: in a process of its own that starts at first need (SS-03, S-79,
 * `adapters/embedding/transformers-embedder.ts`), or by a server that the user named (SS-09,
 * `adapters/embedding/endpoint-embedder.ts`). Rejects with an `EmbeddingFailure`.
 */
export interface Embedder {
  /** What the vectors are made with, as people know it. */
  readonly model: string;
  /** Undefined before the first answer of a server. After that, it does not change. */
  readonly dimensions: number | undefined;
  /** The server that all texts are sent to; absent when they stay in the daemon and its processes. */
  readonly endpoint?: string;
  /** Whether it can be used as it is, without a download. */
  isPresent(): boolean;
  status(): EmbedderStatus;
  /** Called whenever the status changes. */
  onChange(listener: (status: EmbedderStatus) => void): void;
  /** Makes sure that the model works, by a download where that is needed and allowed; `onProgress` counts its bytes. */
  prepare(onProgress: (done: number, total: number) => void): Promise<void>;
  /** One vector for each text. Uses no network but that of `endpoint`. `use` is `document` unless it is given. */
  embed(texts: readonly string[], use?: TextUse): Promise<Embeddings>;
  dispose(): void;
}

/** Why there are no vectors; the message is for people, as whole sentences. */
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

/** Structured log lines, secrets never. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A tool of an MCP server. `inputSchema` is the JSON Schema of its arguments, as the server gave it. */
export type ListedTool = Readonly<{ serverName: string; name: string; description: string; inputSchema: unknown }>;

/** Where tools come from: the servers of an agent, and those that the configurations of a directory define. */
export type ToolPlace = { agentId?: string; mountedDirectory?: string; workingDirectory?: string };

/** A server that the user approved. `missing` says, as a code and a sentence, why its tools are not known or not used. */
export type ToolServer = Readonly<{ name: string; missing?: Readonly<{ code: WarningCode; detail: string }> }>;

/** `warnings`: why servers may be missing, such as a configuration that cannot be read. */
export type ToolListing = Readonly<{
  tools: readonly ListedTool[];
  servers: readonly ToolServer[];
  warnings?: readonly Warning[];
}>;

/** The tools of the MCP servers that the user approved, as they are known, whether the servers run or not. Starts none. */
export interface ToolSource {
  /** The same object as before as long as nothing changed. */
  listTools(place: ToolPlace): Promise<ToolListing>;
}

/** Checks values against JSON Schemas of strangers, which may take any time and memory. Never rejects. */
export interface SchemaChecker {
  /** `unknown`: the schema is broken, or checking it takes too much. */
  check(
    schema: Readonly<Record<string, unknown>>,
    value: unknown,
  ): Promise<
    | { outcome: 'valid' }
    /** Pointers lead into the value. */
    | { outcome: 'invalid'; errors: readonly FieldError[] }
    | { outcome: 'unknown'; detail: string }
  >;
  dispose(): void;
}

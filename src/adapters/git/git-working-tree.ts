/**
 * Compares the working tree with the last commit, by git. git lists files that may differ, and returns committed
 * contents. Files of the working tree are not read here: the gate reads them and decides which may be read.
 */
import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ChangedFile, Comparison, ComparisonRefusal, WorkingTree } from '../../ports/working-tree.ts';
import { fixedLimits } from '../../settings.ts';
import { compareText } from '../../texts/compare-text.ts';
import { findRepository, type Repository } from './find-repository.ts';
import { createGit, type RunGit } from './run-git.ts';

const limits = fixedLimits.changes;

/** `environment`: where git is. */
export function createGitWorkingTree(environment: Readonly<Record<string, string | undefined>>): WorkingTree {
  const git = createGit(environment);
  return {
    async compare(directory, { also, signal }) {
      const real = await realpath(directory).catch(() => undefined);
      const repository = real === undefined ? undefined : await findRepository(real);
      if (real === undefined || repository === undefined) return { ok: false, code: 'no_repository' };
      if (!repository.ok) return repository;
      return list({ directory, real, repository, also, signal, run: git(repository) });
    },
  };
}

type Listing = {
  /** The path as requested. `real` is its real path. */
  directory: string;
  real: string;
  repository: Repository;
  also: readonly string[];
  signal: AbortSignal | undefined;
  run: RunGit;
};

async function list(listing: Listing): Promise<Comparison | ComparisonRefusal> {
  const { directory, real, repository, also, signal, run } = listing;
  const { workingTree, commit, exclude } = repository;
  const below = relative(workingTree, real) || '.';
  const options = { maxBytes: limits.listBytes, signal };
  const patterns = exclude === undefined ? [] : [`--exclude-from=${exclude}`];
  const named = also.map((path) => relative(workingTree, join(real, relative(directory, path))));
  const [tracked, untracked, asked] = await Promise.all([
    run(
      ['diff-index', '--raw', '-z', '--no-abbrev', '--no-renames', '--ignore-submodules=all', commit, '--', below],
      options,
    ),
    run(['ls-files', '-z', '--others', '--exclude-standard', ...patterns, '--', below], options),
    named.length === 0 ? undefined : run(['ls-tree', '-z', commit, '--', ...named], options),
  ]);
  if (tracked.isMissing) return { ok: false, code: 'no_git' };
  if (tracked.output === undefined) return { ok: false, code: 'failed' };
  const place = (name: string): string => join(directory, relative(real, join(workingTree, name)));
  const found = new Map<string, ChangedFile>();
  const add = (file: ChangedFile): void => void (found.has(file.path) || found.set(file.path, file));
  for (const { name, ...each } of readRaw(tracked.output)) add({ path: place(name), ...each });
  for (const name of readNames(untracked.output)) if (!name.endsWith('/')) add({ path: place(name), change: 'added' });
  // Also one that is removed on disk: its unsaved text is there.
  for (const { name, blob } of readTree(asked?.output))
    found.set(place(name), { path: place(name), change: 'modified', blob });
  const changed = [...found.values()].sort((a, b) => compareText(a.path, b.path));
  return {
    ok: true,
    changed: changed.slice(0, limits.files),
    truncated: changed.length > limits.files || untracked.output === undefined,
    readBlobs: (blobs) => readBlobs(blobs, { signal, run }),
  };
}

/**
 * `:<mode> <mode> <blob> <blob> <letter>`, then the name. Links and submodules are skipped, because they have no text.
 */
function* readRaw(output: Buffer): Generator<Omit<ChangedFile, 'path'> & { name: string }> {
  const fields = output.toString('utf8').split('\0');
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [before = '', now = '', blob = '', , letter = ''] = (fields[at] ?? '').slice(1).split(' ');
    const name = fields[at + 1] ?? '';
    const isText = [before, now].every((mode) => mode === '000000' || mode.startsWith('100'));
    if (!isText) continue;
    if (letter === 'A') yield { name, change: 'added' };
    else yield { name, change: letter === 'D' ? 'removed' : 'modified', blob };
  }
}

function readNames(output: Buffer | undefined): string[] {
  return (
    output
      ?.toString('utf8')
      .split('\0')
      .filter((name) => name !== '') ?? []
  );
}

/** `<mode> <type> <blob>`, a tab, then the name. */
function* readTree(output: Buffer | undefined): Generator<{ name: string; blob: string }> {
  for (const line of readNames(output)) {
    const tab = line.indexOf('\t');
    const [mode = '', , blob = ''] = line.slice(0, tab).split(' ');
    if (mode.startsWith('100')) yield { name: line.slice(tab + 1), blob };
  }
}

async function readBlobs(
  blobs: ReadonlyMap<string, number>,
  { signal, run }: Pick<Listing, 'signal' | 'run'>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const read = new Map<string, Uint8Array>();
  const asked = [...blobs.keys()];
  if (asked.length === 0) return read;
  const input = (wanted: readonly string[]): string => `${wanted.join('\n')}\n`;
  const sizes = await run(['cat-file', '--batch-check', '--buffer'], {
    input: input(asked),
    maxBytes: limits.listBytes,
    signal,
  });
  let left = limits.blobBytes;
  const fitting = (sizes.output?.toString('latin1').split('\n') ?? []).flatMap((line) => {
    const [blob = '', type, size = ''] = line.split(' ');
    if (type !== 'blob' || Number(size) > (blobs.get(blob) ?? 0) || Number(size) > left) return [];
    left -= Number(size);
    return [blob];
  });
  if (fitting.length === 0) return read;
  const all = await run(['cat-file', '--batch', '--buffer'], {
    input: input(fitting),
    signal,
    maxBytes: limits.blobBytes + fitting.length * 128,
  });
  for (let at = 0, output = all.output ?? Buffer.alloc(0); at < output.length; ) {
    const end = output.indexOf(10, at);
    const [blob = '', , size = ''] = output.toString('latin1', at, end).split(' ');
    read.set(blob, output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return read;
}

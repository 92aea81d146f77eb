/**
 * Shows how files differ from the last commit. Both texts, the present and the committed one, are read through the
 * gate.
 */
import type { FileSnapshot, Unsaved } from '../access/gate.ts';
import { relativePath } from '../access/paths.ts';
import type { World } from '../access/world.ts';
import { leavingWarnings } from '../context/leaving-text.ts';
import { refusalReason } from '../context/path-rules.ts';
import type { EngineCore } from '../engine-core.ts';
import { createPause, type Pause } from '../pace/turns.ts';
import type { ChangedFile, ComparisonRefusal, WorkingTree } from '../ports/working-tree.ts';
import { overLimit } from '../retrieval/delivery.ts';
import { createReader } from '../retrieval/fetch.ts';
import { fixedLimits } from '../settings.ts';
import { compareText } from '../texts/compare-text.ts';
import { decodeText } from '../texts/decode-text.ts';
import { isNotebook } from '../texts/notebook.ts';
import type { Reason, Warning } from '../warnings.ts';
import type { OpenDocument } from './context-request.ts';
import type { OmittedContext } from './context-result.ts';
import { differenceOf } from './difference.ts';
import type { GatheredItem } from './gather-items.ts';
import { findRenames, type NamedText } from './renames.ts';

const limits = fixedLimits.changes;

/** `about`: warnings about the shown files, by path. */
type Changes = {
  items: readonly GatheredItem[];
  omitted: readonly OmittedContext[];
  warnings: readonly Warning[];
  about: ReadonlyMap<string, readonly Warning[]>;
};

export const noChanges: Changes = { items: [], omitted: [], warnings: [], about: new Map() };

type Question = {
  documents: readonly OpenDocument[];
  unsaved: Unsaved;
  signal: AbortSignal | undefined;
  core: Pick<EngineCore, 'openWorkspace' | 'clock'>;
  workingTree: WorkingTree | undefined;
};

export async function changesFor(asked: string, question: Question): Promise<Changes> {
  const { documents, unsaved, signal, core, workingTree } = question;
  const { mountedDirectory, world } = await core.openWorkspace(asked, { unsaved });
  const also = documents.flatMap(({ path, content }) => (content === undefined ? [] : [path]));
  const comparison = await workingTree?.compare(mountedDirectory, { also, signal });
  if (comparison === undefined) return { ...noChanges, warnings: [unavailable('no_git', mountedDirectory)] };
  if (!comparison.ok) return { ...noChanges, warnings: [unavailable(comparison.code, mountedDirectory)] };
  const { changed, truncated } = comparison;
  const asCode = new Set(documents.filter(isNotebookAsCode).map(({ path }) => path));
  const blobs = new Map<string, number>();
  for (const { path, blob } of changed)
    if (blob !== undefined) blobs.set(blob, Math.max(maxBytesOf(path), blobs.get(blob) ?? 0));
  const committed = await comparison.readBlobs(blobs);
  const found = await compareAll(changed, {
    world,
    committed,
    asCode,
    clock: core.clock,
    isOver: () => signal?.aborted === true,
  });
  const open = new Map(documents.map(({ path }, at) => [path, documents.length - at]));
  const warnings = truncated ? [tooMany(mountedDirectory)] : [];
  return {
    items: found.differing.map(({ path, content }) => ({
      kind: 'changes',
      name: relativePath(mountedDirectory, path),
      path,
      content,
      truncated: false,
      language: 'diff',
      reason: { code: 'changed' },
      weight: open.get(path) ?? 0,
    })),
    omitted: found.omitted.map(({ path, reason }) => ({ kind: 'changes', path, reason })),
    warnings: [...warnings, ...world.reach.policies.warnings()],
    about: found.about,
  };
}

function isNotebookAsCode({ path, content }: OpenDocument): boolean {
  return content !== undefined && isNotebook(path) && !content.trimStart().startsWith('{');
}

/** Of a notebook, only the cells are compared. */
function maxBytesOf(path: string): number {
  return isNotebook(path) ? fixedLimits.notebooks.bytes : limits.comparedBytes;
}

type Comparing = {
  world: World;
  committed: ReadonlyMap<string, Uint8Array>;
  /** Notebooks of which only the code was sent. */
  asCode: ReadonlySet<string>;
  clock: Pick<EngineCore['clock'], 'elapsed'>;
  isOver(): boolean;
};

async function compareAll(changed: readonly ChangedFile[], { world, committed, asCode, clock, isOver }: Comparing) {
  const read = createReader(world);
  const pause = createPause();
  const readBoth: ReadBoth = async (file) =>
    asCode.has(file.path) ? tooDifferent : readSides(file, { world, committed, read });
  const sorted = changed.toSorted((a, b) => compareText(a.path, b.path));
  const renames = await renamesAmong(sorted, { readBoth, pause, isOver });
  const differing: { path: string; content: string }[] = [];
  const omitted: { path: string; reason: Reason }[] = [];
  const about = new Map<string, readonly Warning[]>();
  const endMs = clock.elapsed() + limits.compareAllMs;
  let bytesLeft = world.limits.answerBytes;
  for (const file of sorted) {
    if (isOver()) break;
    const { path } = file;
    if (renames.moved.has(path)) continue;
    const from = renames.fromOf.get(path);
    const sides = from === undefined ? await readBoth(file) : await readRenamed(from, file, readBoth);
    if ('code' in sides) {
      omitted.push({ path, reason: sides });
      continue;
    }
    await pause();
    const maxMs = Math.min(limits.compareMs, endMs - clock.elapsed());
    const names = namesOf(file, from, world.mountedDirectory);
    const content = maxMs <= 0 ? undefined : await differenceOf(names, { ...sides, maxMs });
    if (content === undefined) omitted.push({ path, reason: tooDifferent });
    if (content === undefined || content === '') continue;
    bytesLeft -= Buffer.byteLength(content);
    if (bytesLeft < 0) {
      omitted.push({ path, reason: overLimit });
      continue;
    }
    differing.push({ path, content });
    about.set(
      path,
      sides.snapshots.flatMap((snapshot) => leavingWarnings(snapshot)),
    );
  }
  return { differing, omitted, about };
}

const tooDifferent: Reason = { code: 'limit_reached', detail: 'it is too large, or too different, to be compared' };

type Sides = { before: string; now: string; snapshots: FileSnapshot[] };

type ReadBoth = (file: ChangedFile) => Promise<Sides | Reason>;

/** `fromOf`: the removed file by the path of the added one that it became. `moved`: the paths of such removed files. */
async function renamesAmong(
  changed: readonly ChangedFile[],
  { readBoth, pause, isOver }: { readBoth: ReadBoth; pause: Pause } & Pick<Comparing, 'isOver'>,
) {
  const textsOf = async (change: ChangedFile['change'], side: 'before' | 'now'): Promise<NamedText[]> => {
    const texts: NamedText[] = [];
    let left = limits.renamedCharacters;
    for (const file of changed.filter((each) => each.change === change)) {
      if (isOver()) break;
      const sides = await readBoth(file);
      if ('code' in sides) continue;
      left -= sides[side].length;
      if (left < 0) break;
      texts.push({ path: file.path, text: sides[side] });
    }
    return texts;
  };
  const removed = await textsOf('removed', 'before');
  const found = removed.length === 0 ? new Map() : await findRenames(removed, await textsOf('added', 'now'), pause);
  const byPath = new Map(changed.map((file) => [file.path, file]));
  const fromOf = new Map(Array.from(found, ([to, from]) => [to, byPath.get(from) as ChangedFile]));
  return { fromOf, moved: new Set(found.values()) };
}

async function readRenamed(from: ChangedFile, to: ChangedFile, readBoth: ReadBoth): Promise<Sides | Reason> {
  const [old, present] = [await readBoth(from), await readBoth(to)];
  if ('code' in old || 'code' in present) return 'code' in present ? present : (old as Reason);
  return { before: old.before, now: present.now, snapshots: [...present.snapshots, ...old.snapshots] };
}

function namesOf({ path, change }: ChangedFile, from: ChangedFile | undefined, mountedDirectory: string) {
  const name = relativePath(mountedDirectory, path);
  return {
    before: from ? relativePath(mountedDirectory, from.path) : change === 'added' ? undefined : name,
    now: change === 'removed' ? undefined : name,
  };
}

/**
 * Both texts of a file, or the reason why they cannot be shown. The gate reads the committed text as if it were the
 * unsaved text of the file.
 */
async function readSides(
  { path, change, blob }: ChangedFile,
  { world, committed, read }: Pick<Comparing, 'world' | 'committed'> & { read: ReturnType<typeof createReader> },
): Promise<Sides | Reason> {
  const now = change === 'removed' ? undefined : await read(path);
  if (now !== undefined && 'code' in now) return now;
  if (now?.truncated === true) return tooDifferent;
  let before: FileSnapshot | undefined;
  if (blob !== undefined) {
    const bytes = committed.get(blob);
    if (bytes === undefined) return tooDifferent;
    const decoded = decodeText(bytes, false);
    if ('problem' in decoded) return refusalReason(decoded.problem);
    const gate = world.gate.withUnsaved(new Map([[path, decoded.text]]));
    const content = await gate.read(path, { ...world.reach, maxBytes: world.limits.fileBytes });
    if (!content.ok) return refusalReason(content.code, content.detail);
    before = content.snapshot;
    if (before.truncated) return tooDifferent;
  }
  return {
    before: before?.text ?? '',
    now: now?.text ?? '',
    snapshots: [now, before].filter((each) => each !== undefined),
  };
}

const why: Readonly<Record<ComparisonRefusal['code'], string>> = {
  no_repository: 'it is not in a git repository.',
  no_commit: 'its git repository has no commit yet.',
  untrusted:
    'its .git belongs to another user, or leads to a repository, or to objects of one, that does not name this working tree.',
  unsupported: 'its git repository keeps its branches in a reftable, which is not read.',
  no_git: 'git is not installed.',
  failed: 'git could not compare it in time.',
};

function unavailable(code: ComparisonRefusal['code'], path: string): Warning {
  return { code: 'changes_unavailable', message: `The changes in this directory cannot be shown: ${why[code]}`, path };
}

function tooMany(path: string): Warning {
  const message = `Not all files that differ from the last commit are here: there are more than ${limits.files}, or git could not list them in time.`;
  return { code: 'limit_changes', message, path };
}

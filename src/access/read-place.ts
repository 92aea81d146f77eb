/** Reads one file for the gate: decides by its names, and revalidates cached content (CC-36). */
import { nextTurn } from '../pace/turns.ts';
import type { Files, ReachOptions } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { isNotebook } from '../texts/notebook.ts';
import type { ContentPolicy } from './content-policy.ts';
import { type GateRefusal, type GateState, keptAs, locate, outsideRoots } from './gate-state.ts';
import { isFirstOfMany, keepBy, type Many } from './many.ts';
import { parentPath } from './paths.ts';
import { liesInRoots, placesInRoots, realNamesOf } from './reach.ts';
import { realPlaceOf } from './real-place.ts';
import { refuseNames } from './refused-names.ts';
import { isSettled } from './settled.ts';
import { type FileSnapshot, sameContent, takeSnapshot } from './snapshots.ts';

export type Read = { ok: true; snapshot: FileSnapshot } | GateRefusal;

/**
 * What a file is read for. `isContent`: its text may be delivered. `sensitiveAs`: the one pattern that does not prevent
 * it.
 */
type Purpose = { policies?: ContentPolicy | undefined; isContent?: boolean; sensitiveAs?: string | undefined };

/** Reads files through the gate. `unsaved` texts stand for the files of these paths. `realPath` knows these too. */
export function createPlaceReader(gate: GateState, unsaved: ReadonlyMap<string, string>, realPath: Files['realPath']) {
  return async (
    path: string,
    options: Reading['options'],
    { policies, isContent = false, sensitiveAs }: Purpose = {},
  ): Promise<Read> => {
    const located = await locate(gate, path, { ...options, realPath });
    if (!located.ok) return located;
    const { place } = located;
    const text = unsaved.get(path) ?? unsaved.get(place);
    // If a link was followed, both its name and its target must be allowed.
    const refusal = await refuseNames(place === path ? [path] : [path, place], {
      realNames: realNamesOf(place, options.roots),
      isContent,
      clientContextPath: gate.clientContextPath,
      policies,
      isToCome: text !== undefined,
      sensitiveAs,
    });
    if (refusal) {
      if (refusal.code !== 'not_found') gate.counted.readsBlocked += 1;
      return refusal;
    }
    const reading = { path, place, options };
    return text === undefined ? readSaved(gate, reading) : takeUnsaved(gate, text, reading);
  };
}

/** `place`: the path without links. */
type Reading = { path: string; place: string; options: ReachOptions & Many & { maxBytes: number } };

/** Reads from the disk, unless the file is unchanged since it was kept. */
async function readSaved(gate: GateState, reading: Reading): Promise<Read> {
  const { path, place, options } = reading;
  const key = `${options.maxBytes}:${keptAs(path, place)}`;
  const kept = gate.contents.get(key);
  if (!isFirstOfMany(kept, options)) {
    const stat = await gate.files.stat(place);
    // Opening it would fail too, but this saves opening it.
    if (stat.ok && stat.kind === 'symlink') return { ok: false, code: 'symlink' };
    const isSame = stat.ok && kept?.settled && stat.signature === kept.signature;
    if (isSame && (await isWithoutLink(gate, reading))) return { ok: true, snapshot: kept.snapshot };
  }
  gate.counted.filesRead += 1;
  const readThis = () => readFile(gate, reading);
  const read = isNotebook(place) ? await gate.notebookTurns(readThis) : await readThis();
  if (!read.ok) return read;
  const { stat, settled } = read;
  const isDenied = await gate.isDeniedAs(place, stat);
  if (isDenied || !settled) gate.spoil();
  if (isDenied) return outsideRoots;
  const snapshot = sameOr(read.snapshot, key, gate);
  gate.contents[keepBy(options)](key, { signature: stat.signature, settled, snapshot }, weightOf(snapshot));
  return { ok: true, snapshot };
}

/**
 * Whether no link has taken the place of a directory on the way: the file behind it would look the same. A search has
 * just listed the directories on the way to its files.
 */
async function isWithoutLink({ files }: GateState, { place, options }: Reading): Promise<boolean> {
  if (options.followSymlinks || options.isOneOfMany) return true;
  const directory = parentPath(place);
  const real = await files.realPath(directory);
  return real.ok && placesInRoots(directory, options.roots).includes(real.realPath);
}

/** The snapshot that is kept now, if it has the same content: identity stands for content. */
function sameOr(fresh: FileSnapshot, key: string, { contents }: GateState): FileSnapshot {
  const before = contents.get(key)?.snapshot;
  return before && sameContent(before, fresh) ? before : fresh;
}

/**
 * A notebook is larger than its cells because of its outputs, and gets a turn of the event loop in which it is parsed.
 */
async function readFile(gate: GateState, { path, place, options: { roots, maxBytes } }: Reading) {
  const readBytes = isNotebook(place) ? Math.max(maxBytes, fixedLimits.notebooks.bytes) : maxBytes;
  const content = await gate.files.read(place, { roots, maxBytes: readBytes, followSymlinks: false });
  if (!content.ok) return content;
  const { stat } = content;
  const settled = isSettled(stat, gate.clock);
  if (isNotebook(place)) await nextTurn();
  return { ok: true, stat, settled, snapshot: takeSnapshot({ path, place, maxBytes }, content) } as const;
}

/** The approximate memory, in bytes. Text with only ASCII characters takes one byte for each. */
function weightOf({ text = '', bytes, truncated }: FileSnapshot): number {
  return 600 + (truncated || bytes > text.length ? 2 : 1) * text.length;
}

/** Reads an unsaved text instead of a file, which may not exist yet. Never reads it through a link (S-37). */
async function takeUnsaved(gate: GateState, text: string, { path, place, options }: Reading): Promise<Read> {
  const { roots, maxBytes } = options;
  const real = (await realPlaceOf(place, gate.files.realPath)) ?? place;
  if (!liesInRoots(real, roots)) return outsideRoots;
  if (real !== place && !realNamesOf(place, roots).includes(real)) return { ok: false, code: 'symlink' };
  const stat = await gate.files.stat(place);
  if (!stat.ok && stat.code !== 'not_found') return stat;
  if (stat.ok && stat.kind !== 'file') return { ok: false, code: 'not_regular_file' };
  if (stat.ok && (await gate.isDeniedAs(place, stat))) return outsideRoots;
  const bytes = Buffer.from(text);
  const fresh = takeSnapshot({ path, place, maxBytes }, { bytes, size: bytes.length, truncated: false });
  const key = `unsaved:${maxBytes}:${path}`;
  const snapshot = sameOr(fresh, key, gate);
  gate.contents.set(key, { signature: '', settled: false, snapshot }, weightOf(snapshot));
  return { ok: true, snapshot };
}

/** The files with content of all AI working directories, in the order of the answer, with their names. */
import type { FileSnapshot } from '../access/gate.ts';
import { parentPath, relativePath } from '../access/paths.ts';
import { type Step, stepOf, type Trace } from '../access/trace.ts';
import type { World } from '../access/world.ts';
import { createPause } from '../pace/turns.ts';
import { compareText } from '../texts/compare-text.ts';
import { positionAt } from '../texts/source-tree.ts';
import type { Reason, Warning } from '../warnings.ts';
import type { Candidate } from './candidate.ts';
import { type Duplicate, findDuplicates } from './duplicates.ts';
import type { ReadFile } from './front-matter.ts';
import type { Imports } from './imports.ts';
import type { LoadedContext } from './load-context.ts';
import { type RequestPlace, shownPath } from './normalize-request.ts';
import type { ParsedFile, ParsedFiles } from './parsed-file.ts';
import { isBlockedBy } from './read-contents.ts';

/** `standsFor`: duplicates that are left out because this file has the same text. */
export type ReadableFile = {
  candidate: Candidate;
  snapshot: FileSnapshot;
  parsed: ParsedFile;
  name: string;
  standsFor?: readonly Candidate[];
};

/**
 * Files with content, in order (CC-34). `excluded` gets the others, with reasons. A file that one AI working directory
 * excludes and another includes is included.
 */
export async function collectReadable(
  loaded: LoadedContext,
  parsedFiles: ParsedFiles,
  world: World,
): Promise<{
  ordered: ReadableFile[];
  excluded: Map<string, Reason>;
  duplicates: ReadonlyMap<string, Duplicate>;
  warnings: Warning[];
}> {
  const { trace } = world;
  const unparsed = await parseContents(loaded, parsedFiles, world);
  const readable = new Map<string, ReadableFile>();
  const excluded = new Map<string, Reason>();
  const pause = createPause();
  for (const { candidates, ruledOut } of loaded.chains) {
    for (const candidate of candidates) {
      const turn = pause();
      if (turn) await turn;
      const { path } = candidate;
      const known = readable.get(path);
      const reason =
        ruledOut.get(path) ??
        (known ? undefined : decideByContent(candidate, loaded, { parsedFiles, unparsed, trace }));
      if (reason) {
        if (!known) excluded.set(path, excluded.get(path) ?? reason);
        continue;
      }
      excluded.delete(path);
      if (known && !isBetterPlace(candidate, known.candidate)) continue;
      const snapshot = loaded.contents.get(path) as FileSnapshot;
      if (!known && snapshot.truncated) trace?.step(path, sizeStep(snapshot, world.limits.fileBytes));
      readable.set(path, {
        candidate,
        snapshot,
        parsed: parsedFiles.parse(snapshot, candidate.read),
        name: candidate.name,
      });
    }
  }
  const message = `Parsing context files stops after ${world.limits.parseMs} ms and a little more for each file. ${unparsed.size} are left out this time.`;
  const warnings: Warning[] = unparsed.size === 0 ? [] : [{ code: 'limit_parse_time', message }];
  const ordered = orderFiles([...readable.values()], loaded.imports);
  const duplicates = await findDuplicates(ordered, world.mountedDirectory);
  for (const [path, { reason }] of duplicates) {
    excluded.set(path, reason);
    trace?.step(path, stepOf('duplicate', reason));
  }
  const standing = ordered.filter(({ candidate }) => !duplicates.has(candidate.path));
  return { ordered: standing, excluded, duplicates, warnings };
}

/** Parses files within the time limit, the most specific first. Returns the paths of files that were not parsed. */
async function parseContents(loaded: LoadedContext, parsedFiles: ParsedFiles, world: World): Promise<Set<string>> {
  const { parsing } = world.allowances;
  const unparsed = new Set<string>();
  const pause = createPause();
  const readers = new Map<string, ReadFile>();
  for (const { candidates } of loaded.chains) {
    for (const { path, read } of candidates) {
      if (loaded.contents.has(path)) readers.set(path, read);
      const turn = pause();
      if (turn) await turn;
    }
  }
  parsing.extend(loaded.contents.size * world.limits.parseMsOfFile);
  for (const [path, content] of loaded.contents) {
    if (!('sha256' in content) || content.problem) continue;
    const read = readers.get(path);
    if (read === undefined || parsedFiles.isKnown(content, read)) continue;
    if (parsing.isOver()) unparsed.add(path);
    else parsing.spend(() => parsedFiles.parse(content, read));
    await parsing.pause();
  }
  return unparsed;
}

const tooLate: Reason = { code: 'limit_reached', detail: 'parsing context files takes too long' };
/** Decisions by the content, or by its absence. */
function decideByContent(
  { path, read }: Candidate,
  loaded: LoadedContext,
  context: { parsedFiles: ParsedFiles; unparsed: ReadonlySet<string>; trace: Trace | undefined },
): Reason | undefined {
  const content = loaded.contents.get(path) ?? { code: 'unreadable' };
  const reason = context.unparsed.has(path) ? tooLate : 'sha256' in content ? problemReason(content) : content;
  // What a policy or an ignore file decides is a step already.
  if (!isBlockedBy(reason?.code)) context.trace?.step(path, stepOf('content', reason));
  if (reason || !('sha256' in content)) return reason;
  const { disabled, disabledBy = '`disabled: true`' } = context.parsedFiles.parse(content, read).source;
  const detail = `${disabledBy} in its front matter`;
  const disabledReason: Reason | undefined = disabled ? { code: 'disabled', detail } : undefined;
  context.trace?.step(path, stepOf('disabled', disabledReason));
  return disabledReason;
}

/** CC-35: where a file was cut, and how much is not used. */
function sizeStep({ text = '', bytes }: FileSnapshot, limit: number): Step {
  const { line } = positionAt(text, text.length);
  const detail = `cut in line ${line}, at the limit of ${limit} bytes; the file has ${bytes}, so ${bytes - limit} are left out`;
  return { rule: 'size', outcome: 'truncated', detail };
}

function problemReason(content: FileSnapshot): Reason | undefined {
  return content.problem && { code: content.problem };
}

function isBetterPlace(candidate: Candidate, known: Candidate): boolean {
  if (candidate.source !== known.source) return known.source === 'import' || candidate.source === 'context-directory';
  if ((candidate.isForeign ?? false) !== (known.isForeign ?? false)) return !candidate.isForeign;
  if ((candidate.isBelow ?? false) !== (known.isBelow ?? false)) return !candidate.isBelow;
  return candidate.directory.depth > known.directory.depth;
}

/** A file that is only imported follows its importer, in the order in which the imports were found. */
function orderFiles(files: readonly ReadableFile[], imports: Imports): ReadableFile[] {
  const sorted = files.toSorted(compareFiles);
  if (imports.size === 0) return sorted;
  const byPath = new Map(files.map((file) => [file.candidate.path, file]));
  const importedBy = new Map<string | undefined, ReadableFile[]>();
  const append = (importer: string | undefined, file: ReadableFile): void => {
    importedBy.set(importer, [...(importedBy.get(importer) ?? []), file]);
  };
  const isOnlyImported = ({ candidate }: ReadableFile): boolean =>
    candidate.source === 'import' && byPath.has(imports.get(candidate.path)?.[0]?.path ?? '');
  for (const file of sorted) if (!isOnlyImported(file)) append(undefined, file);
  for (const [path, [first]] of imports) {
    const file = byPath.get(path);
    if (file && isOnlyImported(file)) append(first?.path, file);
  }
  const ordered: ReadableFile[] = [];
  const waiting = (importedBy.get(undefined) ?? []).toReversed();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    ordered.push(file);
    waiting.push(...(importedBy.get(file.candidate.path) ?? []).toReversed());
  }
  return ordered;
}

/** FM-05: files of other tools are the least specific ones of their directory. */
const orderOfSources: readonly Candidate['source'][] = ['format', 'import', 'context-directory', 'include'];

/** CC-34: global, mounted, ancestors, working directory; own files before included ones; by priority, then by path. */
function compareFiles(a: ReadableFile, b: ReadableFile): number {
  const { directory: directoryA, source: sourceA, path: pathA } = a.candidate;
  const { directory: directoryB, source: sourceB, path: pathB } = b.candidate;
  return (
    directoryA.depth - directoryB.depth ||
    compareText(directoryA.owner, directoryB.owner) ||
    orderOfSources.indexOf(sourceA) - orderOfSources.indexOf(sourceB) ||
    compareText(a.candidate.format ?? '', b.candidate.format ?? '') ||
    a.parsed.source.priority - b.parsed.source.priority ||
    compareText(pathA, pathB)
  );
}

/** In the order of places. Each file comes before the files that are a part of it. */
function comparePlaces({ candidate: a }: ReadableFile, { candidate: b }: ReadableFile): number {
  const byPlace = a.directory.depth - b.directory.depth || compareText(a.directory.owner, b.directory.owner);
  return byPlace || Number(a.partOf !== undefined) - Number(b.partOf !== undefined);
}

/** Names from front matter win over names from paths. A name that is taken is not given again (AG-03). */
export function giveNames(ordered: readonly ReadableFile[], place: RequestPlace): Warning[] {
  const warnings: Warning[] = [];
  const taken = new Set<string>();
  const byPath = new Map(ordered.map((file) => [file.candidate.path, file]));
  for (const file of ordered.toSorted(comparePlaces)) {
    const { path, partOf } = file.candidate;
    const wanted = file.parsed.source.name;
    // Two tools that know the same skill by the same name are no mistake.
    if (wanted !== undefined && taken.has(wanted) && file.candidate.format === undefined) {
      const message = `The name "${wanted}" already belongs to a file before this one. The path of this file is used as its name.`;
      warnings.push({ code: 'duplicate_name', message, path });
    }
    const whole = byPath.get(partOf ?? '');
    const nameInWhole = whole && `${whole.name}/${relativePath(parentPath(whole.candidate.path), path)}`;
    const choices = [wanted, nameInWhole ?? file.candidate.name, shownRelativePath(file.candidate, place), path];
    file.name = choices.find((name) => name !== undefined && !taken.has(name)) ?? path;
    taken.add(file.name);
  }
  return warnings;
}

/** Relative to the mounted directory. In the global scope, `~/…` if it is in the home directory, otherwise absolute. */
export function shownRelativePath(candidate: Candidate, place: RequestPlace): string {
  const { path, directory } = candidate;
  return directory.scope === 'global' ? shownPath(path, place) : relativePath(place.mountedDirectory, path);
}

/** Reads the files and directories in granted roots that count for a server (S-18, S-22). */

import { hash } from 'node:crypto';
import { baseName } from '../access/paths.ts';
import { isInRoots, liesInRoots } from '../access/reach.ts';
import type { World } from '../access/world.ts';
import type { FileRefusal } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { compareText } from '../texts/compare-text.ts';
import { percentDecoded } from '../texts/percent-decoded.ts';
import { fieldsOf } from './entry-files.ts';

/**
 * `path`: the real path. `sha256`: the hash of the content or of the fields that count, or the reason why there is
 * none. `signature`: changes with every write, also with one that is undone.
 */
type NamedFile = { path: string; sha256: string; signature: string };

/** `links`: places whose names are in granted roots but whose real paths are outside, with these real paths. */
export type NamedFiles =
  | { files: NamedFile[]; directories: string[]; links: [path: string, target: string][] }
  | { problem: string };

/**
 * Hashes files. For `package.json`, only the fields that matter to its reader. Directories are listed without their
 * content. The target of a link out of the roots is not read; only its path counts.
 */
export async function hashPlaces(
  places: readonly string[],
  { world, elapsed, readBy }: { world: World; elapsed(): number; readBy: 'node' | 'runner' },
): Promise<NamedFiles> {
  const { gate, reach } = world;
  const { files: maxFiles, filesMs } = fixedLimits.mcpApprovals;
  const deadline = elapsed() + filesMs;
  const found = new Map<string, NamedFile>();
  const directories = new Set<string>();
  const links = new Map<string, string>();
  for (const path of new Set(places)) {
    // It is unknown whether there is a file. If there is one, it would run when the disk works again.
    const unknown = { problem: `${path} cannot be read, so contextd cannot tell whether it changes.` };
    const real = await gate.realPath(path);
    if (!real.ok && isUnknown(real.code) && isInRoots(path, reach.roots)) return unknown;
    if (!real.ok || found.has(real.realPath)) continue;
    const { realPath } = real;
    if (!liesInRoots(realPath, reach.roots)) {
      if (isInRoots(path, reach.roots)) links.set(path, realPath);
      continue;
    }
    const stat = await gate.stat(realPath);
    if (!stat.ok && isUnknown(stat.code)) return unknown;
    if (stat.ok && stat.kind === 'directory') directories.add(realPath);
    if (!stat.ok || stat.kind !== 'file') continue;
    const hashed = await gate.hash(realPath, { ...reach, followSymlinks: false, maxMs: deadline - elapsed() });
    if (!hashed.ok && hashed.code === 'too_slow')
      return {
        problem: `${realPath} cannot be checked for changes: reading all files takes longer than ${filesMs / 1000} s.`,
      };
    const fields = baseName(realPath) === 'package.json' ? await fieldsOf(realPath, readBy, world) : undefined;
    const sha256 = fields === undefined ? undefined : hash('sha256', fields);
    const content = hashed.ok ? hashed.sha256 : hashed.code;
    found.set(realPath, { path: realPath, sha256: sha256 ?? content, signature: hashed.ok ? hashed.signature : '' });
    if (found.size > maxFiles) return { problem: 'Its arguments name too many files.' };
  }
  const files = [...found.values()].sort((a, b) => compareText(a.path, b.path));
  return { files, directories: [...directories], links: [...links].sort(([a], [b]) => compareText(a, b)) };
}

/** The places that are in granted roots by name only, because a link above them leads out. */
export async function leadingOut(places: readonly string[], { gate, reach }: World): Promise<string[]> {
  const found: string[] = [];
  for (const path of places.filter((each) => isInRoots(each, reach.roots))) {
    const real = await gate.realPath(path);
    if (real.ok && !liesInRoots(real.realPath, reach.roots)) found.push(path);
  }
  return found;
}

/**
 * The names of files that a text of a command line may contain: the whole text, the part after `=`, quoted parts,
 * single words.
 */
export function namesIn(text: string): string[] {
  const parts = text.split(/[\s'"`;|&()<>=,:]+/u);
  const quoted = [...text.matchAll(/'([^']*)'|"([^"]*)"/gu)].map(([, single, double]) => single ?? double ?? '');
  const url = /^file:\/\/(?<path>\/.*)$/u.exec(text)?.groups?.path;
  const plain = [
    text,
    text.slice(text.indexOf('=') + 1),
    ...parts,
    ...quoted,
    ...(url === undefined ? [] : [percentDecoded(url)]),
  ];
  return [...new Set(plain)].filter((name) => name !== '' && name.length <= 4096 && !name.includes('\0'));
}

/** A path that cannot be checked may be a file when the disk works again. */
export function isUnknown(code: FileRefusal['code']): boolean {
  return code === 'io_error' || code === 'unreadable';
}

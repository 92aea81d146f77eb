/**
 * Finds links at places of formats that lead to nothing, out of the roots, or to files that are not read (FM-06;
 * AP-08).
 */
import { baseName, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { liesInRoots } from '../access/reach.ts';
import { howToFollow } from '../access/refusal-words.ts';
import type { FoundEntry } from '../access/walk.ts';
import type { World } from '../access/world.ts';
import { type FormatAt, formatsBehind } from '../context/formats/format-at.ts';
import { ruleFormats } from '../context/formats/formats.ts';
import type { Warning } from '../warnings.ts';
import type { Tree } from './checked-tree.ts';
import { type CheckedRuleFile, keepOwn } from './rule-files.ts';
import { folderOf } from './rule-places.ts';

type Run = { files: readonly CheckedRuleFile[]; tree: Tree; world: World };

export async function checkRuleLinks(refused: readonly FoundEntry[], run: Run): Promise<Warning[]> {
  const found: Warning[] = [];
  const links = refused.flatMap(({ path, refusal }) => {
    const [at] = refusal === 'symlink' || refusal === 'outside_roots' ? formatsBehind(path, run.tree) : [];
    return at === undefined ? [] : [{ path, at, owner: at.owner }];
  });
  for (const { path, at } of await keepOwn(links, run.tree, run.world)) {
    if (run.world.isLate()) break;
    const told = await checkLink(path, at, run);
    if (told) found.push({ ...told, path, line: 1, column: 1 });
  }
  for (const { path, source } of run.files) {
    if (run.world.isLate()) break;
    const target = linkIn(source.body, path);
    if (target === undefined || (await run.world.gate.stat(target)).ok) continue;
    const message = `This file contains only the path of another file, ${relativePath(run.tree.mountedDirectory, target)}, which does not exist.`;
    found.push({ code: 'broken_link', message, path, line: source.bodyLine, column: 1 });
  }
  return found;
}

async function checkLink(
  path: string,
  at: FormatAt,
  { files, world }: Run,
): Promise<Pick<Warning, 'code' | 'message'> | undefined> {
  const { gate, reach, placing } = world;
  const { place, format } = at;
  const { tool } = format;
  const folder = folderOf(path, at);
  const isHeld = folder === undefined || place.holds?.(relativePath(folder, path)) !== false;
  // If each rule has its own folder, links directly below the place are such folders.
  const isFolderOfOne = place.withFolder === true && folder === parentPath(path);
  const real = await gate.realPath(path);
  if (!real.ok) {
    const message = `This link leads to nothing that can be read, so there are no rules of ${tool} here.`;
    return isHeld || isFolderOfOne ? { code: 'broken_link', message } : undefined;
  }
  const stat = await gate.stat(real.realPath);
  const isFolder = stat.ok && stat.kind === 'directory';
  if (isFolder ? place.withFolder === true && folder !== undefined && !isFolderOfOne : !isHeld) return undefined;
  if (!liesInRoots(real.realPath, reach.roots))
    return {
      code: 'outside_roots',
      message: `This link leads outside the granted roots; rules of ${tool} behind it are not used.`,
    };
  if (isFolder && place.firstOf.some((name) => !name.endsWith('/') && joinPath(at.owner, name) === path))
    return { code: 'broken_link', message: `This link leads to a directory, so there are no rules of ${tool} here.` };
  const target = await placing(real.realPath);
  const isFollowed = !isFolder && folder === undefined;
  const isRead = files.some((file) => {
    const isBehind = isInside(target, file.path) || isInside(folderOf(file.path, file) ?? file.path, target);
    return file.path === target || (isFolder && isBehind);
  });
  if (isFollowed || isRead) return undefined;
  const message = `This is a symbolic link, which is not followed. Rules of ${tool} behind it are not used. ${howToFollow}`;
  return { code: 'symlink', message };
}

const fixedNames = new Set(ruleFormats.flatMap(({ places }) => places.flatMap(({ firstOf }) => firstOf.map(baseName))));

/**
 * The target of a link that was checked out as a file, on a system without links: its only line is the path of a file
 * that a tool reads.
 */
function linkIn(body: string, path: string): string | undefined {
  const text = body.trim();
  if (text.length > 255 || /[\s\0@]/u.test(text) || !fixedNames.has(baseName(text))) return undefined;
  return joinPath(parentPath(path), text);
}

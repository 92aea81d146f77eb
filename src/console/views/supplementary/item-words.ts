/** The words for the state of a list item. */

import { wordsOfExclusion } from '../../../context/reason-words.ts';
import type { RetrieveResult } from '../../../retrieval/retrieve-result.ts';
import type { SupplementaryItem, SupplementaryKind } from '../../../supplementary/supplementary-item.ts';
import { shortenPaths } from '../../../texts/short-paths.ts';
import type { Reason } from '../../../warnings.ts';
import { count, countOf } from '../../elements/text.tsx';

const words: Record<string, string> = {
  outside_roots: 'it lies in no granted directory',
  not_found: 'it is not there',
  symlink: 'it is a symbolic link, and links are not followed',
  unreadable: 'it may not be read',
  not_regular_file: 'it is not a file',
  not_directory: 'it is not a folder',
  io_error: 'it cannot be read',
};

/** Why an item cannot be used now. Paths inside the mounted directory are shown relative to it. */
export function wordsOfDisabled(reason: Reason, mountedDirectory: string): string {
  return words[reason.code] ?? shortenPaths(wordsOfExclusion(reason), mountedDirectory);
}

/** By item id: how the item repeats another item of the list. */
export function repetitionsOf(items: readonly SupplementaryItem[]): Map<string, string> {
  const repetitions = new Map<string, string>();
  const byPath = new Map<string, SupplementaryItem>();
  const folders = new Map(items.flatMap((item) => (item.kind === 'folder' ? [[item.path, item] as const] : [])));
  for (const item of items) {
    const first = byPath.get(item.path);
    if (first === undefined) byPath.set(item.path, item);
    else repetitions.set(item.id, `a duplicate: already added as a ${first.kind}`);
    for (let at = parentOf(item.path); at !== undefined; at = parentOf(at)) {
      const folder = folders.get(at);
      if (folder === undefined) continue;
      const name = folder.relativePath === '.' ? 'the mounted directory' : `${folder.relativePath}/`;
      if (!repetitions.has(item.id)) repetitions.set(item.id, `inside ${name}, which is added with all its files`);
      break;
    }
  }
  return repetitions;
}

function parentOf(path: string): string | undefined {
  return path === '/' ? undefined : path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** What one item of the list contributes to a prompt. */
export type Share = { files: number; tokens: number; leftOut: number };

/** By item id. A file that several items contain counts for the first of them. */
export function sharesOf(items: readonly SupplementaryItem[], result: RetrieveResult): Map<string, Share> {
  const shares = new Map(items.map(({ id }) => [id, { files: 0, tokens: 0, leftOut: 0 }]));
  const firstOf = new Map<string, { id: string; at: number }>();
  for (const [at, { id, path }] of items.entries()) if (!firstOf.has(path)) firstOf.set(path, { id, at });
  const shareOf = (path: string): Share | undefined => {
    let owner = firstOf.get(path);
    for (let above = parentOf(path); above !== undefined; above = parentOf(above)) {
      const folder = firstOf.get(above);
      if (folder !== undefined && (owner === undefined || folder.at < owner.at)) owner = folder;
    }
    return owner === undefined ? undefined : shares.get(owner.id);
  };
  for (const { origin, path, tokens } of result.items) {
    const share = origin === 'supplementary' ? shareOf(path) : undefined;
    if (share === undefined) continue;
    share.files += 1;
    share.tokens += tokens;
  }
  for (const { origin, path } of result.omitted) {
    const share = origin === 'supplementary' ? shareOf(path) : undefined;
    if (share !== undefined) share.leftOut += 1;
  }
  return shares;
}

/**
 * `12 files, 1 left out`. A file that is included as a whole needs no words. The active document is never included
 * itself.
 */
export function wordsOfShare({ files, leftOut }: Share, kind: SupplementaryKind, isActive: boolean): string {
  if (isActive) return 'active document';
  if (kind !== 'folder' && leftOut > 0) return 'left out';
  if (kind !== 'folder') return files === 0 ? 'counted above' : '';
  return `${countOf(files, 'file')}${leftOut === 0 ? '' : `, ${count(leftOut)} left out`}`;
}

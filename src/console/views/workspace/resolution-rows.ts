/** The lines of the list: files under the directory that owns them, in the order of the answer, then what was left out. */
import type { ContextFile, Scope } from '../../../context/context-file.ts';
import type { ExcludedFile, ResolveResult } from '../../../context/resolve-result.ts';

export const shows = ['all', 'active', 'available', 'excluded', 'text'] as const;
export type Show = (typeof shows)[number];

export type Row =
  | { kind: 'group'; key: string; scope: Scope; owner: string; files: number; active: number; tokens: number }
  | { kind: 'excluded-group'; key: string; files: number }
  | { kind: 'file'; key: string; file: ContextFile }
  | { kind: 'excluded'; key: string; file: ExcludedFile };

/** `find` is a part of a path or name, in any case. */
export function rowsOf(result: ResolveResult, options: { show: Show; find: string }): Row[] {
  const { show } = options;
  const find = options.find.trim().toLowerCase();
  const rows: Row[] = [];
  let group: Extract<Row, { kind: 'group' }> | undefined;
  for (const file of show === 'excluded' ? [] : result.files) {
    if ((show === 'active' || show === 'available') && file.state !== show) continue;
    if (find !== '' && !file.path.toLowerCase().includes(find) && !file.name.toLowerCase().includes(find)) continue;
    if (group?.owner !== file.owner || group.scope !== file.scope) {
      const { scope, owner } = file;
      group = { kind: 'group', key: `before ${file.path}`, scope, owner, files: 0, active: 0, tokens: 0 };
      rows.push(group);
    }
    group.files += 1;
    if (file.state === 'active') {
      group.active += 1;
      group.tokens += file.tokens;
    }
    rows.push({ kind: 'file', key: file.path, file });
  }
  if (show !== 'all' && show !== 'excluded') return rows;
  const excluded = result.excluded.filter(({ path }) => path.toLowerCase().includes(find));
  if (excluded.length > 0) rows.push({ kind: 'excluded-group', key: 'excluded', files: excluded.length });
  // A file may be left out in several places.
  for (const [index, file] of excluded.entries()) rows.push({ kind: 'excluded', key: `${index} ${file.path}`, file });
  return rows;
}

/** A path without the mounted directory in front, when it lies there. */
export function relativeTo(mountedDirectory: string, path: string): string {
  if (path === mountedDirectory) return '.';
  const inside = mountedDirectory === '/' ? '/' : `${mountedDirectory}/`;
  return path.startsWith(inside) ? path.slice(inside.length) : path;
}

/** Words with the paths in them shown relative to the mounted directory. */
export function withoutDirectory(words: string, mountedDirectory: string): string {
  return mountedDirectory === '/' ? words : words.replaceAll(`${mountedDirectory}/`, '');
}

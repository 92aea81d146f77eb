/** Names that are given twice: servers and context files (CC-32, AG-03, AP-08). */
import type { Warning } from '../warnings.ts';
import { areOnOneWay, type TreeDirectory, type TreeFile } from './checked-tree.ts';

/** A server that a weaker configuration on the same way defines too: the nearer definition wins whole. `directories` from the top down. */
export function duplicateServerWarnings(directories: readonly TreeDirectory[]): Warning[] {
  const warnings: Warning[] = [];
  const seen = new Map<string, { owner: string; path: string; line: number }[]>();
  for (const { loaded, configs } of directories) {
    const { owner } = loaded.directory;
    for (const { checked } of configs)
      for (const { name, place } of checked.servers) {
        const others = seen.get(name) ?? [];
        const weaker = others.findLast((other) => areOnOneWay(other.owner, owner) && other.path !== place.path);
        if (weaker) {
          const message = `"${name}" is also defined in ${weaker.path}:${weaker.line}, which has no effect here. Remove one, or rename it.`;
          warnings.push({ code: 'duplicate_server', message, ...place });
        }
        seen.set(name, [...others, { owner, path: place.path, line: place.line }]);
      }
  }
  return warnings;
}

/** A name in front matter that another file has too, where both can be delivered at once. */
export function duplicateNameWarnings(files: readonly TreeFile[]): Warning[] {
  const warnings: Warning[] = [];
  const seen = new Map<string, TreeFile[]>();
  for (const file of files) {
    const { name } = file.checked.source;
    const place = file.checked.namePlace;
    if (name === undefined || place === undefined) continue;
    const others = seen.get(name) ?? [];
    const other = others.find(({ owner }) => areOnOneWay(owner, file.owner));
    if (other) {
      const message = `${other.path} has the name "${name}" too. Only one file can be mentioned by it; rename the other.`;
      warnings.push({ code: 'duplicate_name', message, ...place });
    }
    seen.set(name, [...others, file]);
  }
  return warnings;
}

import { baseName, parentPath } from '../../src/access/paths.ts';
import { misplacedCode, placesInRoots } from '../../src/access/reach.ts';
import type { FileWriter } from '../../src/ports/ports.ts';
import type { MemoryFiles } from './memory-files.ts';

/** Writes into a file system in memory. */
export function createMemoryFileWriter(files: MemoryFiles): FileWriter {
  const change = async (
    absolutePath: string,
    { roots, maxBytes, isExpected, makesDirectory }: Parameters<FileWriter['replace']>[2],
    apply: (target: string) => void,
  ): ReturnType<FileWriter['remove']> => {
    const [place] = placesInRoots(absolutePath, roots);
    if (place === undefined) return { ok: false, code: 'outside_roots' };
    const parent = parentPath(place);
    if (makesDirectory === true) {
      const above = await files.realPath(parentPath(parent));
      const isFree = (await files.stat(parent)).ok === false;
      if (isFree && above.ok && above.realPath === parentPath(parent)) files.makeDirectory(parent);
    }
    const real = await files.realPath(parent);
    if (!real.ok) return real;
    const reach = { roots, followSymlinks: false };
    if (real.realPath !== parentPath(place)) return { ok: false, code: misplacedCode(real.realPath, reach) };
    const directory = await files.stat(real.realPath);
    if (directory.ok && directory.kind !== 'directory') return { ok: false, code: 'not_directory' };
    const target = `${real.realPath}/${baseName(place)}`;
    const present = await files.read(target, { ...reach, maxBytes });
    if (!present.ok && present.code !== 'not_found') return present;
    if (!isExpected(present.ok ? present.bytes : undefined)) return { ok: false, code: 'changed' };
    apply(target);
    return { ok: true };
  };
  return {
    replace: (path, bytes, options) => change(path, options, (target) => files.write(target, bytes)),
    remove: (path, options) => change(path, options, (target) => files.remove(target)),
  };
}

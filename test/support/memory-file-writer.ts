import { baseName, parentPath } from '../../src/paths.ts';
import type { FileWriter } from '../../src/ports.ts';
import { misplacedCode, placesInRoots } from '../../src/reach.ts';
import type { MemoryFiles } from './memory-files.ts';

/** Writes into a file system in memory. */
export function createMemoryFileWriter(files: MemoryFiles): FileWriter {
  return {
    async replace(absolutePath, bytes, { roots, maxBytes, isExpected }) {
      const [place] = placesInRoots(absolutePath, roots);
      if (place === undefined) return { ok: false, code: 'outside_roots' };
      const real = await files.realPath(parentPath(place));
      if (!real.ok) return real;
      const reach = { roots, followSymlinks: false };
      if (real.realPath !== parentPath(place)) return { ok: false, code: misplacedCode(real.realPath, reach) };
      const directory = await files.stat(real.realPath);
      if (directory.ok && directory.kind !== 'directory') return { ok: false, code: 'not_directory' };
      const target = `${real.realPath}/${baseName(place)}`;
      const present = await files.read(target, { ...reach, maxBytes });
      if (!present.ok && present.code !== 'not_found') return present;
      if (!isExpected(present.ok ? present.bytes : undefined)) return { ok: false, code: 'changed' };
      files.write(target, bytes);
      return { ok: true };
    },
  };
}

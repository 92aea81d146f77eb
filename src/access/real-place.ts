/** The real place of a path, even if the path does not exist. */
import type { Files } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { joinPath, parentPath, relativePath } from './paths.ts';

/**
 * Resolves the nearest existing directory above the path. `mayLook` is asked before each look; a path needs at most as
 * many looks as it has directories. Returns undefined if `mayLook` refuses first.
 */
export async function realPlaceOf(
  absolutePath: string,
  look: Files['realPath'],
  mayLook: () => boolean = countdown(fixedLimits.context.placeLooks),
): Promise<string | undefined> {
  for (let above = absolutePath; mayLook(); above = parentPath(above)) {
    const real = await look(above);
    if (real.ok) return joinPath(real.realPath, relativePath(above, absolutePath));
    if (above === '/') break;
  }
  return undefined;
}

function countdown(times: number): () => boolean {
  let left = times;
  return () => left-- > 0;
}

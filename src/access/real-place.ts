/** Where a path lies or would lie, whatever is there. */
import type { Files } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { joinPath, parentPath, relativePath } from './paths.ts';

/**
 * By the nearest directory above it that is there. `mayLook` is asked before each look, of which there are as many as a path
 * has directories; undefined when it says no first.
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

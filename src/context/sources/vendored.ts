/** Folders into which Go and Composer copy packages. Other folders are called `vendor`, too. */
import { baseName } from '../../access/paths.ts';

/** One of these files is in such a folder. */
export const packageMarks = ['modules.txt', 'autoload.php'];

/** `has`: whether the directory has a file with the name. */
export async function holdsPackages(
  directory: string,
  has: (name: string) => boolean | Promise<boolean>,
): Promise<boolean> {
  if (baseName(directory) !== 'vendor') return false;
  for (const mark of packageMarks) if (await has(mark)) return true;
  return false;
}

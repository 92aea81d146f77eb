/** The order in which a search by words reads the files of a workspace (RT-02). */
import type { Pause } from '../pace/turns.ts';
import type { FileListing } from '../supplementary/file-index.ts';

const neverText =
  /\.(?:png|jpe?g|gif|webp|ico|pdf|zip|gz|tgz|wasm|woff2?|ttf|otf|mp[34]|webm|mov|so|dylib|dll|exe|class|jar|sqlite|db|lock|map|snap|min\.\w+)$/iu;

/** Written by package managers. Others end with `.lock`. */
const installed =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go(?:\.work)?\.sum|\.terraform\.lock\.hcl|packages\.lock\.json|package\.resolved)$/iu;

/**
 * Files that may be text: first those with a word of the query in their path, then the nearest ones. In the same order,
 * the files of directories for which `isLast` is true follow.
 */
export async function nearestFirst(
  { folders }: FileListing,
  place: { query: string; near: string; isLast(directory: string): boolean; pause: Pause },
): Promise<string[]> {
  const { query, near, isLast, pause } = place;
  const asked = query.slice(0, 1_000).toLowerCase();
  const words = asked.match(/[\p{L}\p{N}]{4,}/gu) ?? [];
  const orders = [createOrder(), createOrder()] as const;
  const here = segmentsOf(near);
  let seen = 0;
  for (const { directory, files } of folders) {
    const there = segmentsOf(directory);
    const parting = here.findIndex((segment, at) => there[at] !== segment);
    const shared = parting < 0 ? here.length : parting;
    const distance = here.length + there.length - 2 * shared;
    const { named, byDistance } = orders[isLast(directory) ? 1 : 0];
    for (const name of files) {
      seen += 1;
      if (seen % 512 === 0) await pause();
      if (neverText.test(name) || installed.test(name)) continue;
      const lower = name.toLowerCase();
      if (words.some((word) => lower.includes(word))) named.push(name);
      else {
        byDistance[distance] ??= [];
        byDistance[distance].push(name);
      }
    }
  }
  return orders.flatMap(({ named, byDistance }) => [...named, ...byDistance.flat()]);
}

function createOrder(): { named: string[]; byDistance: string[][] } {
  return { named: [], byDistance: [] };
}

function segmentsOf(directory: string): string[] {
  return directory === '' || directory === '.' ? [] : directory.split('/');
}

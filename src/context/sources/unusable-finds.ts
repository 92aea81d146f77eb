/** What a pattern finds but cannot use, in words. */
import type { FoundEntry } from '../../access/walk.ts';
import { isIncludable } from '../candidate.ts';

/** `ofAnyType`: whether files of any type are meant. */
export type Meant = Readonly<{ pattern: string; ofAnyType?: true }>;

export function isMeant({ ofAnyType, pattern }: Meant, path: string): boolean {
  return ofAnyType === true || isIncludable(path, pattern);
}

type UnusableFind = Readonly<{
  code: 'unsupported_type' | 'outside_roots' | 'symlink';
  one: string;
  many: string;
  isSuch(found: FoundEntry, asked: Meant): boolean;
}>;

const supported = 'of a type that is not supported (.md, .mdc and .txt are)';

/** In the order of the warnings. `one` and `many` follow "finds". */
export const unusableFinds: readonly UnusableFind[] = [
  {
    code: 'unsupported_type',
    one: `1 file ${supported}`,
    many: `files ${supported}`,
    isSuch: ({ path, refusal, isDirectory }, asked) => !isDirectory && !isReported(refusal) && !isMeant(asked, path),
  },
  {
    code: 'outside_roots',
    one: 'a symbolic link that leads outside the granted roots, or to nothing',
    many: 'symbolic links that lead outside the granted roots, or to nothing',
    isSuch: ({ refusal }) => refusal === 'outside_roots',
  },
  {
    code: 'symlink',
    one: 'a symbolic link that leads to nothing that can be read',
    many: 'symbolic links that lead to nothing that can be read',
    isSuch: ({ linkIs }) => linkIs === 'nowhere',
  },
  {
    code: 'symlink',
    one: 'a symbolic link, which is not followed',
    many: 'symbolic links, which are not followed',
    isSuch: ({ refusal, linkIs }) => refusal === 'symlink' && linkIs !== 'nowhere',
  },
];

/** Whether an entry is reported for another reason than its type. */
function isReported(refusal: FoundEntry['refusal']): boolean {
  return refusal === 'symlink' || refusal === 'outside_roots' || refusal === 'unreadable';
}

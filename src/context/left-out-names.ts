/** Names of files that are left out, so that these names do not mean other files (CC-28). */
import { once } from '../pace/once-for-each.ts';
import { withoutAt } from '../texts/short-names.ts';
import type { Reason } from '../warnings.ts';
import type { Candidate } from './candidate.ts';
import type { LoadedContext } from './load-context.ts';
import type { RequestPlace } from './normalize-request.ts';
import type { ParsedFiles } from './parsed-file.ts';
import { shownRelativePath } from './readable.ts';

/** Whether a mention is the name or the path of a file that is left out. */
export type IsLeftOut = (mention: string) => boolean;

/** A duplicate does not count as left out, because the other file has its text. */
export function createIsLeftOut(
  excluded: ReadonlyMap<string, Reason>,
  { chains, contents }: LoadedContext,
  { place, parsedFiles }: { place: RequestPlace; parsedFiles: ParsedFiles },
): IsLeftOut {
  const leftOut: { candidate: Candidate; ownName: string | undefined }[] = [];
  for (const { candidates } of chains)
    for (const candidate of candidates) {
      const code = excluded.get(candidate.path)?.code;
      if (code === undefined || code === 'duplicate') continue;
      const content = code === 'disabled' ? contents.get(candidate.path) : undefined;
      const isRead = content !== undefined && 'sha256' in content;
      const ownName = isRead ? parsedFiles.parse(content, candidate.read).source.name : undefined;
      leftOut.push({ candidate, ownName });
    }
  const { mountedDirectory, homeDirectory } = place;
  const namesOf = ({ candidate, ownName = candidate.name }: (typeof leftOut)[number]): string[] => [
    ...[ownName, candidate.name, candidate.path],
    shownRelativePath(candidate, { mountedDirectory, homeDirectory }),
  ];
  const names = once(() => new Set(leftOut.flatMap(namesOf)));
  return (mention) => names().has(mention) || names().has(withoutAt(mention));
}

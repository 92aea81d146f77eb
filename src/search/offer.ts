/** How much of what search selected goes along: short items whole, of long ones what the question is about (CC-28, RQ-01). */
import type { OfferedPart } from '../context/offered-part.ts';
import { fixedLimits } from '../settings.ts';
import { findSection } from './find-section.ts';
import type { SearchItem } from './search-item.ts';

const { wholeCharacters } = fixedLimits.search;

/**
 * Nothing where the item goes whole: it is short, it is a tool, or it has no description to be offered by, or one as long. Whatever is better
 * than all others by far is not asked about.
 */
export function offerItem(query: string, { type, description, text }: SearchItem): OfferedPart | undefined {
  if (type === 'tool' || text.length <= wholeCharacters) return undefined;
  const section = findSection(query, text);
  if (section !== undefined) return { part: 'section', ...section };
  return description.trim() === '' || description.length > wholeCharacters ? undefined : { part: 'description' };
}

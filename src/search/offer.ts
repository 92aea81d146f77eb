/**
 * Decides how much of a selected item is delivered: a short item whole, and the part of a long item that the question
 * is about (CC-28, RQ-01).
 */
import type { OfferedPart } from '../context/offered-part.ts';
import { fixedLimits } from '../settings.ts';
import { findSection } from './find-section.ts';
import type { SearchItem } from './search-item.ts';

const { wholeCharacters } = fixedLimits.search;

/**
 * Undefined if the item is delivered whole: it is short or a tool, or no section fits and its description is missing or
 * too long. Not called for an item that is better than all others by far.
 */
export function offerItem(query: string, { type, description, text }: SearchItem): OfferedPart | undefined {
  if (type === 'tool' || text.length <= wholeCharacters) return undefined;
  const section = findSection(query, text);
  if (section !== undefined) return { part: 'section', ...section };
  return description.trim() === '' || description.length > wholeCharacters ? undefined : { part: 'description' };
}

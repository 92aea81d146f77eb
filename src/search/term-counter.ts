/** Counts the terms of one document after another, in typed arrays. An object for each term takes twice the time. */
import { randomInt } from 'node:crypto';
import { fixedLimits } from '../settings.ts';
import type { CountedDocument } from './keyword-document.ts';
import { hashesOf } from './terms.ts';
import { withRoom } from './with-room.ts';

const maxTerms = fixedLimits.search.documentTerms;
/** There are more than three slots for each term. */
const slotBits = 15;
/** Random, so that a text cannot choose the slots of its terms. */
const [spreadLow, spreadHigh] = [randomInt(2 ** 31) * 2 + 1, randomInt(2 ** 31) * 2 + 1];

function slotOf(hash: number): number {
  return (Math.imul(hash | 0, spreadLow) + Math.imul(hash / 0x1_0000_0000, spreadHigh)) >>> (32 - slotBits);
}

/** Numbers the terms from 0, by their hashes. */
function createTermNumbers() {
  /** 0, or 1 + the number of a term. */
  const slots = new Uint16Array(2 ** slotBits);
  const hashes = new Float64Array(maxTerms);
  let count = 0;
  return {
    /** -1 if there is no room for another term. */
    of(hash: number): number {
      let slot = slotOf(hash);
      for (; slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
        const term = (slots[slot] as number) - 1;
        if (hashes[term] === hash) return term;
      }
      if (count === maxTerms) return -1;
      hashes[count] = hash;
      count += 1;
      slots[slot] = count;
      return count - 1;
    },
    sorted: (): Float64Array => hashes.slice(0, count).sort(),
    clear(): void {
      slots.fill(0);
      count = 0;
    },
  };
}

/** `countField` and `countPassage` return the number of terms. Passages come in order. */
export function createTermCounter() {
  const numbers = createTermNumbers();
  const times = { name: new Uint16Array(maxTerms), description: new Uint16Array(maxTerms) };
  const passagesOf = new Uint32Array(maxTerms);
  /** Three numbers for each passage with a term: the term, the passage, how often. */
  let uses = new Uint32Array(3 * 4_096);
  /** The index in `uses` of the last passage with each term. */
  const lastUse = new Uint32Array(maxTerms);
  let end = 0;

  const countUse = (term: number, passage: number): void => {
    const last = lastUse[term] as number;
    if (passagesOf[term] !== 0 && uses[last + 1] === passage) {
      uses[last + 2] = (uses[last + 2] as number) + 1;
      return;
    }
    uses = withRoom(uses, end + 3);
    uses[end] = term;
    uses[end + 1] = passage;
    uses[end + 2] = 1;
    lastUse[term] = end;
    passagesOf[term] = (passagesOf[term] as number) + 1;
    end += 3;
  };

  return {
    countField(text: string, field: 'name' | 'description'): number {
      const said = hashesOf(text);
      for (let at = 0; at < said.length; at += 1) {
        const term = numbers.of(said[at] as number);
        if (term >= 0) times[field][term] = (times[field][term] as number) + 1;
      }
      return said.length;
    },
    countPassage(text: string, passage: number): number {
      const said = hashesOf(text);
      for (let at = 0; at < said.length; at += 1) {
        const term = numbers.of(said[at] as number);
        if (term >= 0) countUse(term, passage);
      }
      return said.length;
    },
    /** The counts since the last call. */
    take(): Pick<CountedDocument, 'terms' | 'places' | 'postings' | 'weight'> {
      const terms = numbers.sorted();
      const places = new Uint32Array(terms.length);
      const postings = new Uint16Array(3 * terms.length + (2 * end) / 3);
      /** The place in `postings` for the next passage of each term. */
      const next = lastUse;
      let to = 0;
      for (let place = 0; place < terms.length; place += 1) {
        const term = numbers.of(terms[place] as number);
        places[place] = to;
        postings[to] = times.name[term] as number;
        postings[to + 1] = times.description[term] as number;
        postings[to + 2] = passagesOf[term] as number;
        next[term] = to + 3;
        to += 3 + 2 * (passagesOf[term] as number);
      }
      for (let use = 0; use < end; use += 3) {
        const term = uses[use] as number;
        to = next[term] as number;
        postings[to] = Math.min(uses[use + 1] as number, 0xffff);
        postings[to + 1] = Math.min(uses[use + 2] as number, 0xffff);
        next[term] = to + 2;
      }
      for (const counts of [times.name, times.description, passagesOf]) counts.fill(0, 0, terms.length);
      numbers.clear();
      end = 0;
      return { terms, places, postings, weight: 300 + 12 * terms.length + 2 * postings.length };
    },
  };
}

/** The parts into which a search by words divides a text (RT-02). */
import { shorten } from '../texts/shorten.ts';

/** A part ends at an empty line after `min` lines, and always after `max` lines. */
const partLines = { min: 20, max: 40 };
/** A part of several lines is not longer. */
const maxCharacters = 4_000;
/** Programs write longer lines: data, and code in one line. They are in no part. */
const maxLine = 8_000;

/** `start` and `end` are lines, counted from 0; `end` is not included. */
export type PartRange = Readonly<{ start: number; end: number }>;

/** The parts of a text in their order, without empty ones. */
export function splitParts(whole: string): (PartRange & { text: string })[] {
  const lines = whole.split('\n');
  const parts: (PartRange & { text: string })[] = [];
  let start = 0;
  let characters = 0;
  const endBefore = (end: number, next = end): void => {
    const text = lines.slice(start, end).join('\n');
    if (text.trim() !== '') parts.push({ start, end, text });
    start = next;
    characters = 0;
  };
  for (const [at, line] of lines.entries()) {
    if (line.length > maxLine) {
      endBefore(at, at + 1);
      continue;
    }
    if (characters + line.length > maxCharacters) endBefore(at);
    characters += line.length + 1;
    const length = at + 1 - start;
    const isBreak = length >= partLines.min && line.trim() === '';
    if (isBreak || length === partLines.max) endBefore(at + 1);
  }
  endBefore(lines.length);
  return parts;
}

/** Shown of a text that has no part. */
export function beginningOf(text: string): string {
  return shorten(text, maxCharacters);
}

/** Whether a part has all of a text that is short enough to be shown whole. */
export function isShort(text: string): boolean {
  return text.length <= maxCharacters && text.split('\n').length <= partLines.max;
}

export function textOf(text: string, { start, end }: PartRange): string {
  return text.split('\n').slice(start, end).join('\n');
}

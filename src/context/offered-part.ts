/** The part of a long item that is delivered if search selected it, and what people and models are told about it. */
import { z } from 'zod';
import { visibleText } from '../texts/visible-text.ts';

export const Part = z.enum(['description', 'section']).meta({
  id: 'Part',
  description:
    'The part of a long item that is delivered if search selected the item: its description, or the section that matches the question. The text of the part says how large the whole item is and how to get it.',
});
type Part = z.infer<typeof Part>;

/** As `Expand`, for parameters, which have their own descriptions. */
export const expandChoice = z.union([z.enum(['all']), z.array(z.string().min(1).max(4096)).max(256)]);

export const Expand = expandChoice.meta({
  id: 'Expand',
  description:
    'Long items to deliver whole if search selects them: names, relative paths, absolute paths, or `all`. Unlike `mentions`, this does not select any item.',
});
export type Expand = z.infer<typeof Expand>;

/** `text` is the section with its heading. */
export type OfferedPart = Readonly<
  { part: Extract<Part, 'description'> } | { part: Extract<Part, 'section'>; heading: string; text: string }
>;

type Whole = { name: string; path?: string | undefined; description: string; wholeTokens: number };

/** For people. */
export function wordsOfPart(offered: OfferedPart, wholeTokens: number): string {
  return `only its ${shownPart(offered)} is delivered, of ${numberOf(wholeTokens)} in all; ask for it by name`;
}

/** For models: the text of the part, and how to get the rest. */
export function textOfPart(offered: OfferedPart, { name, path, description, wholeTokens }: Whole): string {
  const said = (offered.part === 'section' ? offered.text : description).trim();
  const way = path === undefined ? 'ask for it by name' : `ask for it by name, or read ${visibleText(path)}`;
  return `${said}\n\n(This is only the ${shownPart(offered)} of “${visibleText(name)}”. All of it has ${numberOf(wholeTokens)}: ${way}.)\n`;
}

/** Splits such a text into the part and the note about it. The note stays if the part is cut. */
export function splitOffNote(text: string): [said: string, note: string] {
  const at = text.lastIndexOf('\n\n');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 2)];
}

function shownPart(offered: OfferedPart): string {
  return offered.part === 'section' ? `section “${visibleText(offered.heading)}”` : 'description';
}

function numberOf(tokens: number): string {
  return `${tokens.toLocaleString('en-US')} tokens`;
}

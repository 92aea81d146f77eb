/** What values of configurations have in common. */
import { z } from 'zod';

export const isText = 'must be text, in quotes';
// biome-ignore lint/suspicious/noControlCharactersInRegex: schemas publish it; not all languages know `\0` or `\p{Cc}`.
export const singleLine = /^[^\x00\r\n]*$/u;
export const onSingleLine = 'must not contain a line break or a NUL character';
export const Flag = z.boolean('must be true or false, without quotes');

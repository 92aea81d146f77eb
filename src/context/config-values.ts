/** What values of configurations have in common. */
import { z } from 'zod';

export const isText = 'must be text, in quotes';
export const singleLine = /^[^\0\r\n]*$/u;
export const onSingleLine = 'must not contain a line break or a NUL character';
export const Flag = z.boolean('must be true or false, without quotes');

/** Token encodings for counting. */
import { z } from 'zod';

export const tokenEncodings = [
  'o200k_base',
  'o200k_harmony',
  'cl100k_base',
  'p50k_base',
  'p50k_edit',
  'r50k_base',
] as const;
/** Of requests that name none. */
export const defaultEncoding = 'o200k_base';
export const TokenEncoding = z
  .enum(tokenEncodings)
  .meta({ id: 'TokenEncoding', description: `Tokenizer that counts the tokens. Default: \`${defaultEncoding}\`.` });
export type TokenEncoding = z.infer<typeof TokenEncoding>;

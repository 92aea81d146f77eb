/** Writes values as YAML that all readers understand in the same way. */
import { stringify } from 'yaml';

/** Patterns that need no quotes for tools that read to the end of the line. */
const patternText = /^[\w*?.{}[\]!@()+~/,|-]+$/u;

/** One or more lines for each key. Patterns of the `bare` keys get no quotes, although YAML requires them. */
export function writeKeys(keys: Readonly<Record<string, unknown>>, bare: readonly string[] = []): string {
  return Object.entries(keys)
    .map(([key, value]) => {
      if (bare.includes(key) && typeof value === 'string' && patternText.test(value)) return `${key}: ${value}\n`;
      const options = { version: '1.2', schema: 'core', lineWidth: 0, blockQuote: false } as const;
      return stringify(new Map([[key, value]]), { ...options, aliasDuplicateObjects: false });
    })
    .join('');
}

/** Values as YAML that any reader takes for the same values. */
import { stringify } from 'yaml';

/** What may stand without quotes in patterns, for tools that read to the end of the line. */
const patternText = /^[\w*?.{}[\]!@()+~/,|-]+$/u;

/** One line or more for each key. Patterns of the `bare` keys have no quotes, which YAML would want. */
export function writeKeys(keys: Readonly<Record<string, unknown>>, bare: readonly string[] = []): string {
  return Object.entries(keys)
    .map(([key, value]) => {
      if (bare.includes(key) && typeof value === 'string' && patternText.test(value)) return `${key}: ${value}\n`;
      const options = { version: '1.2', schema: 'core', lineWidth: 0, blockQuote: false } as const;
      return stringify(new Map([[key, value]]), { ...options, aliasDuplicateObjects: false });
    })
    .join('');
}

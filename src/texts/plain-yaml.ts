/** Reads YAML that has only one-line texts, as most front matter has. The library takes four times as long. */
import type { SourceMap, SourceNode } from './source-tree.ts';

const line =
  /([A-Za-z][\w-]{0,63}): (?:"([^"\\\p{Cc}\ufeff]*)"|'([^'\p{Cc}\ufeff]*)'|([A-Za-z][^#:\p{Cc}\ufeff]*))(?:\n|$)/uy;
/** With more keys, a text could exceed the limits of lines and tokens. */
const maxKeys = 100;
/** Values that begin with a letter and are not text in the core schema. */
const noText = /^(?:null|true|false)$/iu;

/** Returns the same as the library. Undefined for any other YAML, valid or not. */
export function readPlainYaml(text: string): SourceNode | undefined {
  const value: SourceMap = new Map();
  line.lastIndex = 0;
  while (line.lastIndex < text.length) {
    const offset = line.lastIndex;
    const [, key, inDoubleQuotes, inQuotes, plain] = line.exec(text) ?? [];
    if (
      key === undefined ||
      value.has(key) ||
      value.size === maxKeys ||
      noText.test(plain ?? '') ||
      plain?.endsWith(' ')
    )
      return undefined;
    const said = plain ?? inDoubleQuotes ?? (inQuotes as string);
    value.set(key, { offset, node: { offset: offset + key.length + 2, value: said, text: said } });
  }
  return value.size === 0 ? undefined : { offset: 0, value };
}

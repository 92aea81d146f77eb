import type { ParsedSource } from '../../texts/source-tree.ts';

/** The parser is loaded when there is a list in TOML. */
export async function parseToml(text: string): Promise<ParsedSource> {
  const { parseTomlSource } = await import('../../texts/toml-source.ts');
  return parseTomlSource(text);
}

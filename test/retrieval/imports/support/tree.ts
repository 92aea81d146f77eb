/** Imports of a file in a tree of texts, extracted by the real parser and resolved by the rules of its language. */
import { createTreeSitterExtractor } from '../../../../src/adapters/tree-sitter-extractor.ts';
import type { ParsedSource, SourceLanguage } from '../../../../src/parsed-source.ts';
import type { Lookup } from '../../../../src/retrieval/imports/import.ts';
import { importResolverOf, languageOf } from '../../../../src/retrieval/imports/languages.ts';

export const root = '/w';

/** A workspace of files; `asked` counts what was asked of it. */
export function lookupIn(tree: Record<string, string>): Lookup & { asked: { count: number } } {
  const paths = Object.keys(tree).map((path) => `${root}/${path}`);
  const asked = { count: 0 };
  const textOf = async (path: string): Promise<string | undefined> => {
    asked.count += 1;
    return tree[path.slice(root.length + 1)];
  };
  return {
    asked,
    mountedDirectory: root,
    async kindOf(path) {
      asked.count += 1;
      if (paths.includes(path)) return 'file';
      return path === root || paths.some((each) => each.startsWith(`${path}/`)) ? 'directory' : undefined;
    },
    async namesIn(directory) {
      asked.count += 1;
      const inside = paths.filter((path) => path.startsWith(`${directory}/`));
      return [...new Set(inside.map((path) => path.slice(directory.length + 1).split('/')[0] ?? ''))].sort();
    },
    textOf,
    async derive(path, make) {
      const text = await textOf(path);
      return text === undefined ? undefined : make(text);
    },
  };
}

export async function parse(language: SourceLanguage, text: string): Promise<ParsedSource> {
  return (await createTreeSitterExtractor(language))(text);
}

/** For each import `specifier`, or `specifier{names}` where it is written more than once: `path` or `path#names` of its targets, or why there is none. */
export async function importsOf(
  path: string,
  tree: Record<string, string>,
  lookup: Lookup = lookupIn(tree),
): Promise<Record<string, string[] | string>> {
  const language = languageOf(path);
  const resolve = language && (await importResolverOf(language));
  if (language === undefined || resolve === undefined) throw new Error(`no rules for ${path}`);
  const { imports } = await parse(language, tree[path] ?? '');
  const found: Record<string, string[] | string> = {};
  for (const resolved of await resolve(imports, { path: `${root}/${path}`, language }, lookup)) {
    const { specifier, names } = resolved.statement;
    const key = specifier in found ? `${specifier}{${names.join(',')}}` : specifier;
    found[key] =
      'none' in resolved
        ? resolved.none
        : resolved.targets.map(
            (target) =>
              `${target.path.slice(root.length + 1)}${target.names.length > 0 ? `#${target.names.join(',')}` : ''}`,
          );
  }
  return found;
}

/** Imports of a file in a tree of texts, extracted by the real parser and resolved by the rules of its language. */
import { createTreeSitterExtractor } from '../../../../src/adapters/source/tree-sitter-extractor.ts';
import { inTurns } from '../../../../src/pace/turns.ts';
import type { ParsedSource, SourceLanguage } from '../../../../src/ports/parsed-source.ts';
import type { Lookup } from '../../../../src/retrieval/imports/import.ts';
import { importResolverOf, languageOf } from '../../../../src/retrieval/imports/languages.ts';

export const root = '/w';

/** A workspace of files; `asked` counts what was asked of it. */
export function lookupIn(tree: Record<string, string>): Lookup & { asked: { count: number } } {
  const paths = Object.keys(tree).map((path) => `${root}/${path}`);
  const files = new Set(paths);
  const directories = new Map<string, Set<string>>([[root, new Set()]]);
  for (const path of paths)
    for (let at = path.lastIndexOf('/'); at >= root.length; at = path.lastIndexOf('/', at - 1)) {
      const names = directories.get(path.slice(0, at)) ?? new Set();
      names.add(path.slice(at + 1).split('/', 1)[0] ?? '');
      directories.set(path.slice(0, at), names);
    }
  const asked = { count: 0 };
  const derive: Lookup['derive'] = async (path, make) => {
    asked.count += 1;
    const text = tree[path.slice(root.length + 1)];
    return text === undefined ? undefined : make(text);
  };
  return {
    asked,
    mountedDirectory: root,
    isExhausted: () => false,
    isBehindLink: () => false,
    async kindOf(path) {
      asked.count += 1;
      if (files.has(path)) return 'file';
      return directories.has(path) ? 'directory' : undefined;
    },
    async namesIn(directory) {
      asked.count += 1;
      return [...(directories.get(directory) ?? [])].sort();
    },
    derive,
    deriveSource: async (path, make) => {
      const steps = await derive(path, make);
      return steps && inTurns(steps, () => undefined);
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

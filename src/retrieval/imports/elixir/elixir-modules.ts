/** Finds the files of Elixir modules by their names: `Shop.Cart.LineItem` is in a file `line_item.ex` (RT-02). */
import { baseName, relativePath } from '../../../access/paths.ts';
import { onceForEach } from '../../../pace/once-for-each.ts';
import { fixedLimits } from '../../../settings.ts';
import { afterLast } from '../../../texts/after-last.ts';
import type { Lookup } from '../import.ts';
import { joinWords } from '../plain-reading.ts';
import { filesBelow } from '../source-files.ts';
import { readElixirDeclared } from './elixir-declared.ts';
import { elixirSourceDirectories } from './elixir-project.ts';

const limits = fixedLimits.projects.elixir;

/** `names`: what the module defines. Undefined if its file must not be read. */
export type FoundModule = Readonly<{ path: string; names: ReadonlySet<string> | undefined }>;

export type ElixirModules = Readonly<{
  find(module: string): Promise<FoundModule | undefined>;
  /** Whether a file of the workspace is named after the beginning of the name. */
  isOurs(module: string): boolean;
}>;

/** `words`: the parts, each once. */
type Candidate = { path: string; parts: readonly string[]; words: ReadonlySet<string> };

export async function openElixirModules(path: string, lookup: Lookup): Promise<ElixirModules> {
  const { code, tests } = await elixirSourceDirectories(path, lookup);
  const roots = [...code, ...tests];
  const starts = roots.map((directory, project) => ({ directory, project }));
  const rules = {
    limits,
    roots: new Set(roots),
    isForeign: () => false,
    isLeftOut: (name: string) => outside.has(name),
  };
  const files = await filesBelow(starts, { ending: '.ex', ...rules }, lookup);
  const scripts = await filesBelow(starts.slice(code.length), { ending: '.exs', ...rules }, lookup);
  const all: Candidate[] = [];
  const tops = new Set<string>();
  const helpers = scripts.filter(({ path: each }) => !each.endsWith('_test.exs'));
  for (const { path: each, project } of [...files, ...helpers]) {
    const root = roots[project] ?? '';
    const parts = relativePath(root, each.slice(0, each.lastIndexOf('.')))
      .split('/')
      .map(joinWords);
    if (baseName(root) === 'lib' && parts[0] !== 'mix') tops.add(parts[0] ?? '');
    all.push({ path: each, parts, words: new Set(parts) });
  }
  const index: Index = {
    byName: Map.groupBy(all, ({ parts }) => parts.at(-1) ?? ''),
    byDirectory: Map.groupBy(all, ({ parts }) => parts.at(-2) ?? ''),
  };
  const isOurs = (module: string): boolean => tops.has(joinWords(module.split('.', 1)[0] ?? ''));
  const find = onceForEach(async (module: string): Promise<FoundModule | undefined> => {
    for (const candidates of candidatesOf(module, index, isOurs(module))) {
      const found = await findIn(candidates, module, lookup);
      if (found !== undefined) return found;
    }
    return undefined;
  });
  return { find, isOurs };
}

type Index = Readonly<{ byName: Map<string, Candidate[]>; byDirectory: Map<string, Candidate[]> }>;

const outside = new Set(['node_modules', 'deps', '_build', 'assets', 'priv', 'fixtures']);

/**
 * Files named after the module, after one that it may be inside, or after the last words of its name; files beside, and
 * what starts the tests.
 */
function* candidatesOf(module: string, { byName, byDirectory }: Index, isOurs: boolean): Iterable<Candidate[]> {
  const parts = module.split('.').map(joinWords);
  for (let end = parts.length; end > Math.max(0, parts.length - limits.nested); end -= 1)
    yield best(byName.get(parts[end - 1] ?? '') ?? [], parts.slice(0, end));
  const words = afterLast(module, '.').split(/(?=\p{Lu})/u);
  if (isOurs && words.length > 1) yield best(byName.get(joinWords(words.slice(1).join(''))) ?? [], parts);
  if (isOurs) yield best(byDirectory.get(parts.at(-2) ?? '') ?? [], parts);
  yield best(byName.get('testhelper') ?? [], parts);
}

/** Those whose directories have most of the module's parts, then those with few other directories. */
function best(candidates: readonly Candidate[], parts: readonly string[]): Candidate[] {
  const wanted = new Set(parts);
  const missing = ({ parts: given, words }: Candidate): number => {
    const lost = parts.filter((part) => !words.has(part)).length;
    return lost * 100 + given.filter((part) => !wanted.has(part)).length;
  };
  return candidates
    .slice(0, limits.sameName)
    .map((each) => ({ each, order: missing(each) }))
    .sort((a, b) => a.order - b.order)
    .slice(0, limits.candidates)
    .map(({ each }) => each);
}

async function findIn(
  candidates: readonly Candidate[],
  module: string,
  lookup: Lookup,
): Promise<FoundModule | undefined> {
  const expected = module.split('.').map(joinWords).join('/');
  for (const { path, parts } of candidates) {
    const declared = await lookup.deriveSource(path, readElixirDeclared);
    if (declared === undefined && parts.join('/') === expected) return { path, names: undefined };
    const names = declared?.modules.get(module);
    if (names !== undefined) return { path, names };
  }
  return undefined;
}

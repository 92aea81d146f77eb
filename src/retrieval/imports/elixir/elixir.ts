/**
 * Elixir: modules that a file names, by directives or in its code, found by the names of files; of each module what the
 * file uses, also what it gets by `import` and `use` (RT-02).
 */
import { createPause } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import { afterLast } from '../../../texts/after-last.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { resolved } from '../places.ts';
import { listOf } from '../plain-reading.ts';
import { readElixirDeclared } from './elixir-declared.ts';
import { type ElixirModules, type FoundModule, openElixirModules } from './elixir-modules.ts';

const limits = fixedLimits.projects.elixir;

export const resolveElixirImports: ImportResolver = async (imports, file, lookup) => {
  const modules = await openElixirModules(file.path, lookup);
  const given = await givenByUse(imports, modules, lookup);
  const uses = usesOf(imports, given.aliases);
  const own = new Set(imports.flatMap(({ form, names }) => (form === 'own' ? names : [])));
  const asked: Asked = { own, modules, uses };
  const pause = createPause();
  const answers: ResolvedImport[] = [];
  for (const statement of imports.filter(isDirective)) {
    await pause();
    answers.push(await resolveDirective(statement, asked));
  }
  const directly = new Set(imports.filter(isDirective).map(({ specifier }) => specifier));
  const others = [...uses].slice(0, limits.used).filter(([module]) => !directly.has(module));
  // Elixir itself or a package has those that are not found.
  for (const statement of imports.filter(({ form }) => form === 'modules'))
    answers.push(resolved(statement, await usedTargets(others, modules)));
  const called = imports.find(({ form }) => form?.startsWith('use'))?.names ?? [];
  for (const statement of imports.filter(({ form }) => form === 'own'))
    answers.push(resolved(statement, await givenTargets(given.imports, called, modules)));
  return answers;
};

/** What code uses of modules without a directive. */
async function usedTargets(
  uses: readonly (readonly [module: string, names: readonly string[]])[],
  modules: ElixirModules,
): Promise<(ImportTarget | undefined)[]> {
  const pause = createPause();
  const targets: (ImportTarget | undefined)[] = [];
  for (const [module, names] of uses) {
    await pause();
    targets.push(targetOf(module, names, await modules.find(module)));
  }
  return targets;
}

/** What the file calls of modules that the modules which it uses import for it. */
async function givenTargets(
  imported: readonly string[],
  called: readonly string[],
  modules: ElixirModules,
): Promise<ImportTarget[]> {
  const targets: ImportTarget[] = [];
  for (const module of imported) {
    const found = await modules.find(module);
    const names = calledOf(found, called);
    if (found && names.length > 0) targets.push({ path: found.path, names: withModule(module, names), guessed: true });
  }
  return targets;
}

type Asked = {
  own: ReadonlySet<string>;
  modules: ElixirModules;
  uses: ReadonlyMap<string, readonly string[]>;
};

function isDirective({ form }: ImportStatement): boolean {
  return form !== 'modules' && form !== 'own';
}

async function resolveDirective(statement: ImportStatement, asked: Asked): Promise<ResolvedImport> {
  const { specifier, form = '', names } = statement;
  const found = await asked.modules.find(specifier);
  if (found === undefined) {
    // The beginning of names, or a module of the file itself.
    if (asked.own.has(specifier) || [...asked.uses.keys()].some((each) => each.startsWith(`${specifier}.`)))
      return { statement, targets: [] };
    return { statement, none: asked.modules.isOurs(specifier) ? 'not_found' : 'outside_workspace' };
  }
  const byName = asked.uses.get(specifier) ?? [];
  if (form === 'import only') return resolved(statement, [targetOf(specifier, [...names, ...byName], found)]);
  const called = form === 'import' || form.startsWith('use') ? calledOf(found, names) : [];
  const used = form.startsWith('use') ? ['__using__', form.slice('use '.length)] : [];
  const wanted = [...used, ...called, ...byName];
  // What is only renamed or required need not be used.
  if (wanted.length === 0 && form !== 'import') return { statement, targets: [] };
  return resolved(statement, [targetOf(specifier, wanted, found)]);
}

/** The module as a whole, with the heads of what it defines, if it defines nothing of what is wanted. */
function targetOf(module: string, wanted: readonly string[], found: FoundModule | undefined): ImportTarget | undefined {
  if (found === undefined) return undefined;
  const there = wanted.filter((name) => found.names?.has(name));
  const isWhole = there.length === 0;
  return { path: found.path, names: isWhole ? [module] : withModule(module, there), guessed: true };
}

function withModule(module: string, names: readonly string[]): string[] {
  return [...new Set(names)].map((name) => `${module}.${name}`);
}

function calledOf(found: FoundModule | undefined, called: readonly string[]): string[] {
  const { names } = found ?? {};
  return names === undefined ? [] : called.filter((name) => names.has(name));
}

/** What a file uses of each module, by the module's full name. */
function usesOf(
  imports: readonly ImportStatement[],
  given: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> {
  const aliases = new Map(given);
  for (const { specifier, form = '' } of imports)
    if (form.startsWith('alias ')) aliases.set(form.slice('alias '.length), specifier);
  const uses = new Map<string, string[]>();
  for (const { members = [] } of imports)
    for (const [name, used] of members) {
      const [first = '', ...rest] = name.split('.');
      const full = [aliases.get(first) ?? first, ...rest].join('.');
      const all = listOf(uses, full);
      for (const each of used) all.push(each);
    }
  return uses;
}

/** What the modules that a file uses, and those that these use, import and alias for it. */
async function givenByUse(
  imports: readonly ImportStatement[],
  modules: ElixirModules,
  lookup: Lookup,
): Promise<{ imports: readonly string[]; aliases: ReadonlyMap<string, string> }> {
  const used = imports.filter(({ form }) => form?.startsWith('use')).map(({ specifier }) => specifier);
  const imported = new Set<string>();
  const aliases = new Map<string, string>();
  const asked = new Set(used.slice(0, limits.uses));
  for (const module of asked) {
    const found = await modules.find(module);
    const isDirect = used.includes(module);
    if (!found?.names?.has('__using__') && !isDirect) continue;
    const declared = found && (await lookup.deriveSource(found.path, readElixirDeclared));
    for (const each of declared?.imports ?? []) {
      imported.add(each);
      if (asked.size < limits.uses) asked.add(each);
    }
    // The later of two that the file itself uses counts.
    for (const [name, full] of declared?.aliases ?? []) if (isDirect || !aliases.has(name)) aliases.set(name, full);
  }
  return { imports: [...imported].filter((each) => each !== afterLast(each, '.') || modules.isOurs(each)), aliases };
}

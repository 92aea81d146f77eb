/**
 * Java: types of packages in the source directories of the project's modules, members of types, and types of the file's
 * own package (RT-02).
 */

import { parentPath } from '../../../access/paths.ts';
import type { Steps } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { firstFile, resolved } from '../places.ts';
import { allMatches, namesIn, withoutComments } from '../plain-reading.ts';
import type { PackageDirectories } from './java-project.ts';
import { type JvmPackages, openJvmPackages, whyNoDeclaration, whyNot } from './jvm-packages.ts';

const limits = fixedLimits.projects.jvm;

export const resolveJavaImports: ImportResolver = async (imports, file, lookup) => {
  const { packages: kotlin, directoriesAt } = await openJvmPackages(imports, file.path, lookup);
  const places: Places = { lookup, kotlin, directoriesAt };
  const explicit = new Set(imports.filter(({ form }) => form === undefined).flatMap(({ names }) => names));
  const answers: ResolvedImport[] = [];
  for (const statement of imports) {
    if (statement.form === 'package' || statement.form === 'wildcard') {
      const used = statement.names.filter((name) => !explicit.has(name));
      const targets = await typesOfPackage(statement, { ...places, used });
      const others = targets.filter(({ path }) => path !== file.path);
      // The own package is not an import that can fail: maybe nothing of it is used.
      if (statement.form === 'package' || others.length > 0) answers.push(resolved(statement, others));
      else answers.push({ statement, none: await whyNot(statement.specifier, kotlin) });
      continue;
    }
    const target = await typeOf(statement, places);
    if (target) answers.push({ statement, targets: [target] });
    else answers.push({ statement, none: await whyNoDeclaration(statement.specifier, kotlin) });
  }
  return answers;
};

/**
 * `a.b.C.D` is the type `D` inside `C`, if there is a file `a/b/C.java`, or a Kotlin file of the package that has `C`.
 */
async function typeOf(statement: ImportStatement, places: Places): Promise<ImportTarget | undefined> {
  const parts = statement.specifier.split('.');
  const members = statement.form === 'static' ? statement.names.filter((name) => name !== '*') : [];
  const outermost = Math.max(0, parts.length - limits.nested);
  for (let end = Math.min(parts.length, limits.depth); end > outermost; end -= 1) {
    const directories = await places.directoriesAt(parts.slice(0, end - 1).join('/'));
    const path = await firstFile(
      directories.map((directory) => `${directory}/${parts[end - 1]}.java`),
      places.lookup,
    );
    const type = parts.slice(end - 1).join('.');
    if (path === undefined) {
      const ofPackage = parts.slice(0, end - 1).join('.');
      const found = await kotlinTypeOf({ ofPackage, type, members }, places.kotlin);
      if (found !== undefined) return found;
      continue;
    }
    if (members.length === 0) return { path, names: [type] };
    const [member = ''] = members;
    const owner = await ownerOf({ path, type }, member, places);
    return { path: owner.path, names: [`${owner.type}.${member}`] };
  }
  return undefined;
}

/** Java knows the functions of a Kotlin file as members of a class that is named after the file. */
async function kotlinTypeOf(
  { ofPackage, type, members }: { ofPackage: string; type: string; members: readonly string[] },
  kotlin: JvmPackages,
): Promise<ImportTarget | undefined> {
  const [name = ''] = type.split('.', 1);
  if (!/^\p{Lu}/u.test(name)) return undefined;
  const path = (await kotlin.find(ofPackage, name))[0]?.path;
  const inside = members.flatMap((member) => [`${type}.${member}`, `${type}.Companion.${member}`]);
  if (path !== undefined) return { path, names: inside.length > 0 ? inside : [type], guessed: true };
  const facade = await kotlin.findFacade(ofPackage, name);
  return facade === undefined ? undefined : { path: facade, names: members };
}

type Owner = { path: string; type: string };
type Places = Readonly<{ lookup: Lookup; kotlin: JvmPackages; directoriesAt: PackageDirectories }>;

/** The class that declares a member: the named class, or the first superclass with something of that name. */
async function ownerOf(named: Owner, member: string, { directoriesAt, lookup }: Places): Promise<Owner> {
  let owner = named;
  for (let above = 0; above < limits.classesAbove; above += 1) {
    if ((await lookup.deriveSource(owner.path, readDeclared))?.has(member)) return owner;
    const parent = await lookup.deriveSource(owner.path, readParent);
    if (parent === undefined) break;
    const beside = `${parentPath(owner.path)}/${parent.name}.java`;
    const [name = '', ...ofPackage] = (parent.imported ?? parent.name).split('.').reverse();
    const directories = await directoriesAt(ofPackage.reverse().join('/'));
    const imported = directories.map((directory) => `${directory}/${name}.java`);
    const path = await firstFile(parent.imported ? imported : [beside, ...imported], lookup);
    if (path === undefined) break;
    owner = { path, type: parent.name };
  }
  return named;
}

/** Names that follow a type and come before the text after a method's or field's name. */
function* readDeclared(text: string): Steps<Set<string>> {
  return yield* namesIn(
    withoutComments(text),
    /(?<![\w>\]])([\w>\]]{1,200})\s{1,200}(\w{1,200})\s{0,200}[(=;,{]/gu,
    ([, before = '']) => !/^(?:return|new|throw|else)$/u.test(before),
  );
}

/** Max length of the text before `extends` in which the name of the class is searched. */
const longestHead = 600;

/** The name after the first `extends` in the head of a class. */
function extendedName(code: string): string | undefined {
  let left = limits.extends;
  for (const { index, 1: name } of code.matchAll(/\bextends\s+(\w{1,200})/gu)) {
    const before = code.slice(Math.max(0, index - longestHead), index);
    if (/\bclass\s+\w/u.test(before.slice(before.lastIndexOf('{') + 1))) return name;
    left -= 1;
    if (left === 0) break;
  }
  return undefined;
}

/** The class that the first class of a file extends. This only leads to files; the parser reads them. */
function* readParent(text: string): Steps<{ name: string; imported: string | undefined } | undefined> {
  const code = withoutComments(text);
  yield;
  const name = extendedName(code);
  yield;
  if (name === undefined) return undefined;
  const imports = yield* allMatches(text, /^[ \t]*import\s+([\w.]{1,1000})\s*;/gmu);
  const imported = imports.map(([, type = '']) => type).find((type) => type.endsWith(`.${name}`));
  return { name, imported };
}

/** The used types that are in a package. `a.b.C.*` means the types inside `C`. */
async function typesOfPackage(
  statement: ImportStatement,
  { used, ...places }: Places & { used: readonly string[] },
): Promise<ImportTarget[]> {
  const wanted = new Map(used.map((name, at) => [name, at]));
  const found = new Map<string, ImportTarget>();
  for (const directory of await places.directoriesAt(statement.specifier.replaceAll('.', '/'))) {
    const names = (await places.lookup.namesIn(directory))
      .filter((file) => file.endsWith('.java'))
      .map((file) => file.slice(0, -'.java'.length))
      .filter((name) => wanted.has(name));
    for (const name of names.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0))) {
      wanted.delete(name);
      found.set(name, { path: `${directory}/${name}.java`, names: [name] });
    }
  }
  const findKotlin = wanted.size > 0 ? await places.kotlin.usedOf(statement.specifier) : undefined;
  for (const name of findKotlin ? wanted.keys() : []) {
    const [declared] = findKotlin?.(name) ?? [];
    if (declared !== undefined) found.set(name, { path: declared.path, names: [name] });
  }
  if (found.size > 0 || statement.form === 'package') return [...found.values()];
  const type = await typeOf(statement, places);
  return type ? [type] : [];
}

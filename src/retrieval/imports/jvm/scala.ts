/**
 * Scala: what packages, package objects and objects declare, and what the file uses of its own packages; from Scala,
 * Java and Kotlin files in the source directories of the build (RT-02).
 */
import { joinPath, parentPath } from '../../../access/paths.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, ImportTarget, ResolvedImport } from '../import.ts';
import { firstFile, resolved } from '../places.ts';
import type { PackageDirectories } from './java-project.ts';
import type { Declared } from './jvm-index.ts';
import { calledName, findUsed, type JvmPackages, openJvmPackages, whyNoDeclaration, whyNot } from './jvm-packages.ts';

const limits = fixedLimits.projects.jvm;

/** `own`: the packages whose names the file sees, the innermost first. `imported`: what its imports call something. */
type Scope = {
  packages: JvmPackages;
  directoriesAt: PackageDirectories;
  own: readonly string[];
  imported: Map<string, string>;
  /** Names that were found: the first package that has a name is meant. */
  known: Set<string>;
};

export const resolveScalaImports: ImportResolver = async (imports, file, lookup) => {
  const own = imports.filter(({ form }) => form === 'package').map(({ specifier }) => specifier);
  const { packages, directoriesAt } = await openJvmPackages(imports, file.path, lookup);
  const scope: Scope = { packages, directoriesAt, own, imported: new Map(), known: new Set() };
  const answers: ResolvedImport[] = [];
  const add = (statement: ImportStatement, found: readonly ImportTarget[]): void => {
    const targets = found.filter(({ path }) => path !== file.path);
    answers.push(resolved(statement, targets));
  };
  for (const statement of imports.filter(({ form }) => form !== 'package' && form !== 'wildcard')) {
    const { specifier } = statement;
    if (specifier.startsWith('$file.')) {
      const path = joinPath(parentPath(file.path), scriptOf(specifier));
      const script = await firstFile([path], lookup);
      answers.push(resolved(statement, [script === undefined ? undefined : { path: script, names: [] }], 'not_found'));
      continue;
    }
    const name = calledName(statement);
    const { targets, isPackage } = await findImported(statement, scope);
    scope.known.add(name).add(`.${name}`);
    if (targets.length > 0 || isPackage) add(statement, targets);
    else answers.push({ statement, none: await whyNoDeclaration(specifier, packages) });
  }
  // What is used of a package says less than what is imported by its name.
  for (const statement of imports.filter(({ form }) => form === 'package'))
    add(statement, await findUsed(statement.names, await packages.usedOf(statement.specifier), scope.known));
  for (const statement of imports.filter(({ form }) => form === 'wildcard')) {
    const { targets, isPackage } = await findWildcard(statement, scope);
    if (targets.length > 0 || isPackage) add(statement, targets);
    else answers.push({ statement, none: await whyNot(statement.specifier, packages) });
  }
  return answers;
};

/** `$file.^.a.b` of Ammonite and Mill: `../a/b.sc`. */
function scriptOf(specifier: string): string {
  const parts = specifier.split('.').slice(1, limits.depth);
  return `./${parts.map((part) => (part === '^' ? '..' : part)).join('/')}.sc`;
}

type Found = { targets: readonly ImportTarget[]; isPackage: boolean };

async function findImported(statement: ImportStatement, scope: Scope): Promise<Found> {
  const { specifier, members } = statement;
  for (const path of await pathsOf(specifier, scope)) {
    const targets = await findDeclared(path, scope.packages);
    const isPackage = targets.length === 0 && (await scope.packages.has(path));
    if (targets.length === 0 && !isPackage) continue;
    scope.imported.set(calledName(statement), path);
    // `a.b` is a package, and the file uses `b.C`.
    const used = isPackage ? (members?.flatMap(([, each]) => each) ?? []) : [];
    return {
      targets: isPackage
        ? await findUsed(used, await scope.packages.usedOf(path), new Set())
        : targets.map(({ path: file, name }) => ({ path: file, names: [name] })),
      isPackage,
    };
  }
  return { targets: [], isPackage: false };
}

async function findWildcard({ specifier, names }: ImportStatement, scope: Scope): Promise<Found> {
  const { packages } = scope;
  for (const path of await pathsOf(specifier, scope)) {
    const used = await packages.usedOf(path);
    const ofPackage = await findUsed(names, used, scope.known);
    const objects = ofPackage.length > 0 ? [] : await findDeclared(path, packages);
    if (objects.length === 0) {
      if (used === undefined && !(await packages.has(path))) continue;
      return { targets: ofPackage, isPackage: true };
    }
    const find = await packages.usedOfObject(
      path,
      objects.map((each) => each.path),
    );
    const inside = await findUsed(names, find, scope.known);
    // It may have more than what can be seen, such as what its values are converted to.
    const targets = inside.length > 0 ? inside : objects.map((each) => ({ path: each.path, names: [each.name] }));
    return { targets, isPackage: false };
  }
  return { targets: [], isPackage: false };
}

/** What a path can mean: something that was imported before, the whole path, or something in a package around. */
async function pathsOf(specifier: string, { packages, directoriesAt, own, imported }: Scope): Promise<string[]> {
  if (specifier.startsWith('_root_.')) return [specifier.slice('_root_.'.length)];
  const [first = ''] = specifier.split('.', 1);
  const before = imported.get(first);
  const found = [...(before === undefined ? [] : [before + specifier.slice(first.length)]), specifier];
  for (const around of own) {
    if (around === '' || specifier.startsWith(`${around}.`)) continue;
    const isThere =
      (await directoriesAt(`${around}.${first}`.replaceAll('.', '/'))).length > 0 ||
      (await packages.find(around, first)).length > 0 ||
      (await packages.has(`${around}.${first}`));
    if (isThere) found.push(`${around}.${specifier}`);
  }
  return found;
}

/** `a.b.C.d` is what `d` names in the object `C`, or inherits, if the package `a.b` has `C`; otherwise the object. */
async function findDeclared(path: string, packages: JvmPackages): Promise<readonly Declared[]> {
  const parts = path.split('.');
  if (parts.length > limits.depth) return [];
  for (let end = parts.length; end > Math.max(0, parts.length - limits.nested); end -= 1) {
    const declared = await packages.find(parts.slice(0, end - 1).join('.'), parts[end - 1] ?? '');
    const member = parts[end];
    if (declared.length === 0 || member === undefined) {
      if (declared.length > 0) return declared;
      continue;
    }
    const paths = declared.map((each) => each.path);
    const inside = (await packages.usedOfObject(parts.slice(0, end).join('.'), paths))(member);
    const isJava = paths.every((each) => each.endsWith('.java'));
    const named = (each: Declared): Declared => ({ ...each, name: [each.name, ...parts.slice(end)].join('.') });
    return isJava ? declared.map(named) : inside.length > 0 && parts.length === end + 1 ? inside : declared;
  }
  return [];
}

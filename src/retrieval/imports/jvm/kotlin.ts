/**
 * Kotlin: types, functions and properties of packages, members of types, and what the file uses of its own package;
 * from Kotlin and Java files in the source directories of the project's modules (RT-02).
 */
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, ImportTarget, ResolvedImport } from '../import.ts';
import { resolved } from '../places.ts';
import { calledName, findUsed, type JvmPackages, openJvmPackages, whyNoDeclaration } from './jvm-packages.ts';

const limits = fixedLimits.projects.jvm;

export const resolveKotlinImports: ImportResolver = async (imports, file, lookup) => {
  const { packages } = await openJvmPackages(imports, file.path, lookup);
  const answers: ResolvedImport[] = [];
  const known = new Set<string>();
  for (const statement of imports.filter((each) => !isOfPackage(each))) {
    const name = calledName(statement);
    known.add(name).add(`.${name}`);
    const found = await findImported(statement.specifier, packages);
    const targets = found.filter(({ path }) => path !== file.path);
    if (found.length > 0) answers.push(resolved(statement, targets));
    else answers.push({ statement, none: await whyNoDeclaration(statement.specifier, packages) });
  }
  // What is used of a package says less than what is imported by its name.
  for (const statement of imports.filter(isOfPackage).toSorted(byOwnFirst)) {
    const found = await findUsed(statement.names, await packages.usedOf(statement.specifier), known);
    const targets = found.filter(({ path }) => path !== file.path);
    // Maybe nothing of it is used.
    if (targets.length > 0 || statement.form === 'package' || (await packages.has(statement.specifier)))
      answers.push(resolved(statement, targets));
    else {
      const type = await findImported(statement.specifier, packages);
      answers.push(resolved(statement, type, 'outside_workspace'));
    }
  }
  return answers;
};

function isOfPackage({ form }: ImportStatement): boolean {
  return form === 'package' || form === 'wildcard';
}

function byOwnFirst(a: ImportStatement, b: ImportStatement): number {
  return Number(b.form === 'package') - Number(a.form === 'package');
}

/** `a.b.C.D` is what `D` names in the type `C`, if the package `a.b` has `C`. */
async function findImported(specifier: string, packages: JvmPackages): Promise<ImportTarget[]> {
  const parts = specifier.split('.');
  if (parts.length > limits.depth) return [];
  for (let end = parts.length; end > Math.max(0, parts.length - limits.nested); end -= 1) {
    const name = parts[end - 1] ?? '';
    // Names of types begin with a capital letter; other names are of packages.
    if (end < parts.length && !/^\p{Lu}/u.test(name)) return [];
    const declared = await packages.find(parts.slice(0, end - 1).join('.'), name);
    if (declared.length > 0)
      return declared.map((each) => ({ path: each.path, names: [[each.name, ...parts.slice(end)].join('.')] }));
  }
  return [];
}

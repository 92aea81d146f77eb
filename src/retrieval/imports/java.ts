/** Java: types of packages in the source directories of a project's modules, members of types, types of the own package (RT-02). */
import { baseName, isInside, parentPath } from '../../paths.ts';
import type { ImportResolver, ImportStatement, ImportTarget, Lookup, ResolvedImport } from './import.ts';
import { javaSourceDirectories } from './java-project.ts';
import { firstFile, resolved } from './places.ts';

export const resolveJavaImports: ImportResolver = async (imports, file, lookup) => {
  const ownPackage = imports.find(({ form }) => form === 'package')?.specifier ?? '';
  const ownRoot = rootOf(file.path, ownPackage);
  const roots = await javaSourceDirectories({ path: file.path, ownRoot }, lookup);
  const explicit = new Set(imports.filter(({ form }) => form === undefined).flatMap(({ names }) => names));
  const answers: ResolvedImport[] = [];
  for (const statement of imports) {
    if (statement.form === 'package' || statement.form === 'wildcard') {
      const used = statement.names.filter((name) => !explicit.has(name));
      const targets = await typesOfPackage(statement, { used, roots, lookup });
      const others = targets.filter(({ path }) => path !== file.path);
      // The own package is no import that could fail: nothing of it may be used.
      if (statement.form === 'package' && others.length === 0) answers.push({ statement, targets: [] });
      else answers.push(resolved(statement, others, await whyNot(statement.specifier, roots, lookup)));
      continue;
    }
    const target = await typeOf(statement, roots, lookup);
    const parent = statement.specifier.slice(0, Math.max(0, statement.specifier.lastIndexOf('.')));
    answers.push(resolved(statement, [target], target ? 'not_found' : await whyNot(parent, roots, lookup)));
  }
  return answers;
};

/** The directory above the one that mirrors the package; the file's own where it does not. */
function rootOf(path: string, ownPackage: string): string {
  const directory = parentPath(path);
  const suffix = ownPackage === '' ? '' : `/${ownPackage.replaceAll('.', '/')}`;
  return suffix !== '' && directory.endsWith(suffix) ? directory.slice(0, -suffix.length) || '/' : directory;
}

/** `a.b.C.D` is the type `D` inside `C` where there is a file `a/b/C.java`. */
async function typeOf(
  statement: ImportStatement,
  roots: readonly string[],
  lookup: Lookup,
): Promise<ImportTarget | undefined> {
  const parts = statement.specifier.split('.');
  const members = statement.form === 'static' ? statement.names.filter((name) => name !== '*') : [];
  for (let end = parts.length; end > 0; end -= 1) {
    const relative = parts.slice(0, end).join('/');
    const path = await firstFile(
      roots.map((root) => `${root}/${relative}.java`),
      lookup,
    );
    if (path === undefined) continue;
    const type = parts.slice(end - 1).join('.');
    return { path, names: members.length > 0 ? members.map((member) => `${type}.${member}`) : [type] };
  }
  return undefined;
}

/** Types that are used and lie in a package; `a.b.C.*` are the types inside `C`. */
async function typesOfPackage(
  statement: ImportStatement,
  { used, roots, lookup }: { used: readonly string[]; roots: readonly string[]; lookup: Lookup },
): Promise<ImportTarget[]> {
  const relative = statement.specifier.replaceAll('.', '/');
  const targets: ImportTarget[] = [];
  for (const root of roots) {
    const names = new Set(await lookup.namesIn(`${root}/${relative}`));
    for (const name of used) {
      const isTaken = targets.some(({ path }) => baseName(path) === `${name}.java`);
      if (names.has(`${name}.java`) && !isTaken)
        targets.push({ path: `${root}/${relative}/${name}.java`, names: [name] });
    }
  }
  if (targets.length > 0 || statement.form === 'package') return targets;
  const type = await typeOf(statement, roots, lookup);
  return type ? [type] : [];
}

/** A package of which there is a directory is the workspace's own. */
async function whyNot(
  ofPackage: string,
  roots: readonly string[],
  lookup: Lookup,
): Promise<'not_found' | 'outside_workspace'> {
  const relative = ofPackage.replaceAll('.', '/');
  for (const root of relative === '' ? [] : roots) {
    const directory = `${root}/${relative}`;
    if (!isInside(lookup.mountedDirectory, directory)) continue;
    if ((await lookup.namesIn(directory)).some((name) => name.endsWith('.java'))) return 'not_found';
  }
  return 'outside_workspace';
}

/** Rust: `mod`, `use` and `extern crate`, through the module trees of the file's crate and its workspace (RT-02). */

import { baseName, joinPath, parentPath } from '../../../access/paths.ts';
import { onceForEach } from '../../../pace/once-for-each.ts';
import { createPause } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportResolver, ResolvedImport } from '../import.ts';
import { firstFile, resolved } from '../places.ts';
import { cratesAround } from './rust-crates.ts';
import { readLinks } from './rust-links.ts';
import { submodule } from './rust-modules.ts';
import { type Asked, asGuess, follow, targetsOf } from './rust-paths.ts';

const limits = fixedLimits.projects.rust;

export const resolveRustImports: ImportResolver = async (imports, file, lookup) => {
  const crates = await cratesAround(file.path, lookup);
  const isAtTop = crates.roots.includes(file.path) || crates.isRoot(file.path) || baseName(file.path) === 'mod.rs';
  const directory = isAtTop ? parentPath(file.path) : file.path.replace(/\.rs$/u, '');
  const paths = imports.flatMap(({ specifier }) => specifier.split('::'));
  const modules = new Set(paths.filter((segment) => /^\p{Ll}/u.test(segment)));
  const withoutModules = onceForEach((names: readonly string[]) => names.filter((name) => !modules.has(name)));
  const own = { path: file.path, directory, roots: crates.roots };
  const asked: Asked = { file, own, crates, lookup, withoutModules, globs: { left: limits.globs } };
  const pause = createPause();
  const answers: ResolvedImport[] = [];
  const taken = new Set<string>();
  for (const statement of imports.filter((each) => !isOnlyNamed(each))) {
    await pause();
    const answer = await resolveOne(statement, asked);
    if ('targets' in answer) for (const { path } of answer.targets) taken.add(path);
    answers.push(answer);
  }
  for (const statement of imports.filter(isOnlyNamed)) answers.push(await resolveOnlyNamed(statement, taken, asked));
  return answers;
};

/** `mod a;` of which the file uses nothing: it only makes the module a part of the crate. */
function isOnlyNamed({ form, names }: ImportStatement): boolean {
  return form?.startsWith('mod') === true && names.length === 0;
}

/** What the module offers to others, or all of it, unless another statement says what is used of it. */
async function resolveOnlyNamed(
  statement: ImportStatement,
  taken: ReadonlySet<string>,
  asked: Asked,
): Promise<ResolvedImport> {
  const path = await fileOfModule(statement, asked);
  if (path === undefined) return { statement, none: 'not_found' };
  if (taken.has(path)) return { statement, targets: [] };
  // Also of a file that cannot be read, so that this is told.
  const { macros = [], offered = [] } = (await asked.lookup.deriveSource(path, readLinks)) ?? {};
  return { statement, targets: [{ path, names: [...macros, ...offered].slice(0, limits.offered), guessed: true }] };
}

async function resolveOne(statement: ImportStatement, asked: Asked): Promise<ResolvedImport> {
  const { specifier, names, members, form } = statement;
  const segments = specifier.split('::').filter(Boolean);
  const aliases = { left: limits.aliases };
  if (form?.startsWith('mod')) {
    const path = await fileOfModule(statement, asked);
    if (path === undefined) return { statement, none: 'not_found' };
    const isDirectory = form !== 'mod' || baseName(path) === 'mod.rs';
    const directory = isDirectory ? parentPath(path) : path.replace(/\.rs$/u, '');
    const way = { segments: [], names, aliases };
    const targets = await targetsOf({ ...asked.own, path, directory }, way, asked);
    return resolved(statement, targets.map(asGuess), 'not_found');
  }
  const visible = new Map(members).get('*');
  const named = names.filter((name) => name !== '*');
  const whole = visible && { names: [...named, ...asked.withoutModules(visible)], searched: new Set<string>() };
  const targets = await follow(asked.own, { segments, names, whole, aliases }, asked);
  if (targets === undefined) return { statement, none: 'outside_workspace' };
  // Imports from the file itself, as in tests, need no file.
  const others = targets.filter(({ path }) => path !== asked.file.path);
  return resolved(statement, others, targets.length > 0 ? undefined : 'not_found');
}

/** The file of `mod a;`, or of `#[path]`: relative to the directory of the file or of the inline module around it. */
async function fileOfModule(
  { specifier, form = '' }: ImportStatement,
  { own, file, lookup }: Asked,
): Promise<string | undefined> {
  const segments = specifier.split('::').filter(Boolean);
  const given = form.slice('mod:'.length);
  const around = segments.slice(0, -1).join('/');
  const inside = joinPath(own.directory, around || '.');
  if (given !== '') return firstFile([joinPath(around === '' ? parentPath(file.path) : inside, given)], lookup);
  return (await submodule({ ...own, directory: inside }, segments.at(-1) ?? '', lookup))?.path;
}

/** Rust: `mod`, `use` and `extern crate`, through the module tree of the file's crate and the crates of its workspace (RT-02). */
import { baseName, joinPath, parentPath } from '../../paths.ts';
import type { ImportingFile, ImportResolver, ImportStatement, ImportTarget, Lookup, ResolvedImport } from './import.ts';
import { firstFile, resolved } from './places.ts';
import { type CratesAround, cratesAround } from './rust-crates.ts';

/** A module: its file, and the directory in which the files of its submodules lie. */
type Module = { path: string; directory: string };
type Asked = { file: ImportingFile; own: Module; crates: CratesAround; lookup: Lookup };

const languageCrates = new Set(['std', 'core', 'alloc', 'proc_macro', 'test']);

export const resolveRustImports: ImportResolver = async (imports, file, lookup) => {
  const crates = await cratesAround(file.path, lookup);
  const asked: Asked = { file, own: moduleOf(file.path, crates), crates, lookup };
  const answers: ResolvedImport[] = [];
  for (const statement of imports) answers.push(await resolveOne(statement, asked));
  return answers;
};

async function resolveOne(statement: ImportStatement, asked: Asked): Promise<ResolvedImport> {
  const { lookup, own, crates, file } = asked;
  const { specifier, names, form } = statement;
  const segments = specifier.split('::').filter(Boolean);
  if (form?.startsWith('mod')) {
    const path = await fileOfModule(segments, form.slice('mod:'.length), asked);
    return resolved(statement, [path === undefined ? undefined : { path, names: [] }], 'not_found');
  }
  const [first = '', ...rest] = segments;
  if (first === 'self' || first === 'super') {
    const targets = await descend([own], { segments, names, ...asked });
    return resolved(
      statement,
      targets.filter(({ path }) => path !== file.path),
      'not_found',
    );
  }
  if (first === 'crate' || first === '$crate') {
    const targets = await descend(crates.roots.map(rootModule), { segments: rest, names, ...asked });
    return resolved(statement, targets, 'not_found');
  }
  // A submodule hides a crate of the same name, and that an installed one.
  if (form !== 'crate' && (await submodule(own, first, lookup)))
    return resolved(statement, await descend([own], { segments, names, ...asked }), 'not_found');
  const crate = crates.byName.get(first);
  if (crate === undefined || languageCrates.has(first)) return { statement, none: 'outside_workspace' };
  const targets = await descend([rootModule(crate.library)], { segments: rest, names, ...asked });
  return resolved(statement, targets, 'not_found');
}

function rootModule(path: string): Module {
  return { path, directory: parentPath(path) };
}

function moduleOf(path: string, { roots, isRoot }: CratesAround): Module {
  const isAtTop = roots.includes(path) || isRoot(path) || baseName(path) === 'mod.rs';
  return { path, directory: isAtTop ? parentPath(path) : path.replace(/\.rs$/u, '') };
}

/** The file of `mod a;`, or of what `#[path]` says: relative to the file's directory, or to that of the inline module around. */
async function fileOfModule(
  segments: readonly string[],
  given: string,
  { own, file, lookup }: Asked,
): Promise<string | undefined> {
  const around = segments.slice(0, -1);
  if (given !== '') {
    const base = around.length > 0 ? joinPath(own.directory, around.join('/')) : parentPath(file.path);
    return firstFile([joinPath(base, given)], lookup);
  }
  return (
    await submodule(
      { ...own, directory: joinPath(own.directory, around.join('/') || '.') },
      segments.at(-1) ?? '',
      lookup,
    )
  )?.path;
}

async function submodule(module: Module, name: string, lookup: Lookup): Promise<Module | undefined> {
  const directory = `${module.directory}/${name}`;
  const path = await firstFile([`${directory}.rs`, `${directory}/mod.rs`], lookup);
  return path === undefined ? undefined : { path, directory };
}

async function parentModule(module: Module, { crates, lookup }: Asked): Promise<Module | undefined> {
  const directory = parentPath(module.directory);
  const root = crates.roots.find((each) => parentPath(each) === directory);
  const path =
    root ??
    (await firstFile(
      [`${directory}.rs`, `${directory}/mod.rs`, `${directory}/lib.rs`, `${directory}/main.rs`],
      lookup,
    ));
  return path === undefined ? undefined : { path, directory };
}

type Way = Asked & { segments: readonly string[]; names: readonly string[] };

/** Down the path as far as there are files; the first start from which the way leads somewhere. */
async function descend(starts: readonly Module[], way: Way): Promise<ImportTarget[]> {
  for (const start of starts) {
    let module: Module | undefined = start;
    let at = 0;
    for (; module && at < way.segments.length; at += 1) {
      const segment = way.segments[at] ?? '';
      if (segment === 'self' || segment === 'crate') continue;
      const next: Module | undefined =
        segment === 'super' ? await parentModule(module, way) : await submodule(module, segment, way.lookup);
      if (next === undefined) break;
      module = next;
    }
    const targets = module ? await targetsOf(module, { ...way, segments: way.segments.slice(at) }) : [];
    if (targets.length > 0) return targets;
  }
  return [];
}

/**
 * What lies further than files reach is in the last of them: an inline module's item is known as `module.Item`, what a
 * type or a module that is re-exported has, by the name of the type or module.
 */
async function targetsOf(module: Module, { segments, names, lookup }: Way): Promise<ImportTarget[]> {
  const [first] = segments;
  const { path } = module;
  if (first !== undefined) {
    const text = await lookup.textOf(path);
    if (text === undefined || !new RegExp(`\\b${first.replaceAll(/\W/gu, '')}\\b`, 'u').test(text)) return [];
    const isInline = new RegExp(`\\bmod\\s+${first.replaceAll(/\W/gu, '')}\\s*\\{`, 'u').test(text);
    const inside = segments.join('.');
    if (isInline)
      return [
        { path, names: names.length > 0 && !names.includes('*') ? names.map((name) => `${inside}.${name}`) : [inside] },
      ];
    return [{ path, names: [first] }];
  }
  if (names.length === 0 || names.includes('*')) return [{ path, names: [] }];
  const targets: ImportTarget[] = [];
  for (const name of names) {
    const below = await submodule(module, name, lookup);
    targets.push(below ? { path: below.path, names: [] } : { path, names: [name] });
  }
  return targets;
}

/** Takes the files that a document imports: whole, or only what is imported from each (RT-02). */
import type { Definition } from '../ports/parsed-source.ts';
import type { Reason } from '../warnings.ts';
import { joinParts, type Part, partOf } from './fetch.ts';
import { beginningOf, headsOf } from './heads.ts';
import { takeDefinitions } from './imported-definitions.ts';
import type { ImportTarget } from './imports/import.ts';
import type { Modules } from './modules.ts';
import type { LeftOut, SourceAccess } from './source-access.ts';

type ImportedFile = { path: string; part?: Part | undefined };

/**
 * Each file once, in the order of the imports. Names are followed through re-exports to the files that define them. In
 * mode `files`, the file that the import names is included too. In mode `definitions`, only the found definitions are
 * taken, with the part that the query `found` in the file. A file that cannot be parsed has no definitions, but can be
 * taken whole. `meant`: paths of files with definitions that are shown whole.
 */
export async function takeImportedFiles(
  targets: readonly ImportTarget[],
  options: {
    mode: 'files' | 'definitions';
    access: SourceAccess;
    modules: Modules;
    /** By path. Undefined for a whole file. */
    found: ReadonlyMap<string, Part | undefined>;
    /** The names of a target whose definitions are shown whole, however long they are. */
    namesMeant?: ((target: ImportTarget) => ReadonlySet<string>) | undefined;
  },
): Promise<{ files: ImportedFile[]; leftOut: LeftOut[]; meant: Set<string> }> {
  const { mode, access, modules, found, namesMeant } = options;
  const taken = await Promise.all(targets.map((target) => takeDefinitions(target, modules)));
  const definitions = new Map<string, Set<Definition>>();
  const whole = new Set<Definition>();
  const isMeant = new Set<string>();
  const leftOut = new Map<string, Reason>();
  const add = (path: string, named: readonly Definition[] = []): void => {
    definitions.set(path, new Set([...(definitions.get(path) ?? []), ...named]));
  };
  for (const [index, { files, leftOut: failed }] of taken.entries()) {
    const target = targets[index] as ImportTarget;
    if (mode === 'files') add(target.path);
    const meant = namesMeant?.(target);
    const areAll = meant !== undefined && meant.size > 0 && meant.size === target.names.length;
    for (const file of files) {
      add(file.path, file.definitions);
      const named = file.definitions.filter(({ name }) => areAll || meant?.has(name));
      for (const each of named) whole.add(each);
      if (areAll || named.length > 0) isMeant.add(file.path);
    }
    for (const { path: failing, reason } of failed)
      if (mode === 'definitions' || !reason.code.startsWith('parse_')) leftOut.set(failing, reason);
  }
  const unnamed = new Set(targets.flatMap(({ path, names }) => (names.length === 0 ? [path] : [])));
  const kept = [...definitions].filter(([path]) => (leftOut.get(path)?.code ?? 'limit_reached') === 'limit_reached');
  const files = kept.map(async ([path, named]): Promise<ImportedFile> => {
    const ofQuery = found.get(path);
    if (mode === 'files' || (found.has(path) && ofQuery === undefined)) return { path };
    const content = await access.read(path);
    if ('code' in content) return { path };
    const passages = [...named].map((each) => (whole.has(each) ? wholeText(each, content.text) : each));
    const heads = passages.length === 0 && unnamed.has(path) ? await headsOf(content, modules, ofQuery) : undefined;
    const part = partOf(passages, content.text) ?? heads ?? beginningOf(content);
    return { path, part: part && ofQuery ? joinParts([part, ofQuery], content.text) : part };
  });
  return {
    files: await Promise.all(files),
    leftOut: [...leftOut].map(([path, reason]) => ({ path, reason })),
    meant: isMeant,
  };
}

function wholeText(definition: Definition, text = ''): Definition {
  const { startLine, endLine } = definition;
  return {
    ...definition,
    text: text
      .split('\n', endLine)
      .slice(startLine - 1)
      .join('\n'),
  };
}

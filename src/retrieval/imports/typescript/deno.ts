/** Reads what `deno.json` says about imports: its import map, and the packages of its workspace. */
import { joinPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import { isRecord } from '../../../texts/is-record.ts';
import { fieldsOfForeignJson } from '../../../texts/json-source.ts';
import { textsOf } from '../../../texts/texts-of.ts';
import type { Lookup } from '../import.ts';
import { directoriesFrom, directoriesIn, oncePerDirectory } from '../places.ts';
import type { CompilerOptions } from './tsconfig.ts';

const limits = fixedLimits.projects.workspaces;

/** Targets are relative to the directory of the file. */
type DenoFile = {
  imports: [name: string, target: string][];
  exports: [name: string, target: string][];
  members: string[];
};

/** As `paths` of a compiler, those of the nearest file first. */
export async function findDenoImports(directory: string, lookup: Lookup): Promise<readonly CompilerOptions[]> {
  const above = directoriesFrom(directory, lookup);
  return (await Promise.all(above.map((at) => importsSaidIn(at, lookup)))).filter((said) => said !== undefined);
}

const importsSaidIn = oncePerDirectory(async (directory, lookup): Promise<CompilerOptions | undefined> => {
  const file = await readIn(directory, lookup);
  if (file === undefined) return undefined;
  const paths = file.imports.map(([name, target]) =>
    name.endsWith('/') ? [`${name}*`, `${target}*`] : [name, target],
  );
  for (const member of [directory, ...(await membersOf(file, directory, lookup))])
    for (const [name, target] of (await readIn(member, lookup))?.exports ?? [])
      paths.push([name, joinPath(member, target)]);
  return { paths: Object.fromEntries(paths.map(([name, target]) => [name, [target]])), pathsBase: directory };
});

/** Undefined if the directory has no such file. */
async function readIn(directory: string, lookup: Lookup): Promise<DenoFile | undefined> {
  for (const name of ['deno.json', 'deno.jsonc']) {
    const file = await lookup.derive(joinPath(directory, name), parseDenoFile);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Literal directories, and all in a directory by `*` at the end. */
async function membersOf({ members }: DenoFile, directory: string, lookup: Lookup): Promise<string[]> {
  const found: string[] = [];
  for (const member of members.slice(0, limits.patterns))
    if (member.endsWith('/*')) found.push(...(await directoriesIn(joinPath(directory, member.slice(0, -2)), lookup)));
    else found.push(joinPath(directory, member));
  return found.slice(0, limits.packages);
}

function parseDenoFile(text: string): DenoFile {
  const { name, imports, exports, workspace } = fieldsOfForeignJson(text);
  const exported = typeof exports === 'string' ? { '.': exports } : exports;
  return {
    imports: localEntries(imports),
    exports:
      typeof name === 'string' ? localEntries(exported).map(([key, target]) => [`${name}${key.slice(1)}`, target]) : [],
    members: textsOf(isRecord(workspace) ? workspace.members : workspace),
  };
}

/** What leads to a file of the project. */
function localEntries(value: unknown): [string, string][] {
  const entries = isRecord(value) ? Object.entries(value).slice(0, limits.packages) : [];
  return entries.flatMap(([key, target]) =>
    typeof target === 'string' && target.startsWith('.') && !key.includes('*') ? [[key, target]] : [],
  );
}

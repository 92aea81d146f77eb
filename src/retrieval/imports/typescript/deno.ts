/** Reads what `deno.json` says about imports: its import map, and the packages of its workspace. */
import { joinPath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import { isRecord } from '../../../texts/is-record.ts';
import { fieldsOfForeignJson } from '../../../texts/json-source.ts';
import { textsOf } from '../../../texts/texts-of.ts';
import type { Lookup } from '../import.ts';
import { directoriesFrom, namedDirectories, oncePerDirectory } from '../places.ts';
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
  const members = await namedDirectories(file.members, directory, lookup);
  for (const member of [directory, ...members.slice(0, limits.packages)])
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

function parseDenoFile(text: string): DenoFile {
  const { name, imports, exports, workspace } = fieldsOfForeignJson(text);
  const exported = typeof exports === 'string' ? { '.': exports } : exports;
  return {
    imports: localEntries(imports),
    exports:
      typeof name === 'string' ? localEntries(exported).map(([key, target]) => [`${name}${key.slice(1)}`, target]) : [],
    members: textsOf(isRecord(workspace) ? workspace.members : workspace).slice(0, limits.patterns),
  };
}

/** What leads to a file of the project. */
function localEntries(value: unknown): [string, string][] {
  const entries = isRecord(value) ? Object.entries(value).slice(0, limits.packages) : [];
  return entries.flatMap(([key, target]) =>
    typeof target === 'string' && target.startsWith('.') && !key.includes('*') ? [[key, target]] : [],
  );
}

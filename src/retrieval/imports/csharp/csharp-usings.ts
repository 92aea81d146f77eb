/** What all files of a C# project use: settings of the project, `global using`, and `_Imports.razor` (RT-02). */
import { baseName, isInside } from '../../../access/paths.ts';
import type { Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { directoriesAbove } from '../places.ts';
import { eachLineBeginning, longestLine } from '../plain-reading.ts';
import type { SourceFile } from '../source-files.ts';
import { readDeclarations } from './csharp-declarations.ts';
import type { CSharpProject } from './csharp-project.ts';

const limits = fixedLimits.projects.csharp;

/** Files with `global using` have such names by convention. */
const usual = /^(?:.*usings?|.*imports|program|assemblyinfo)\.cs$/iu;

export async function globalUsings(
  path: string,
  { projects, files }: { projects: readonly CSharpProject[]; files: readonly SourceFile[] },
  lookup: Lookup,
): Promise<{ namespaces: string[]; types: string[] }> {
  const [own] = projects;
  if (own === undefined) return { namespaces: [], types: [] };
  const found = [...own.usings];
  const likely = files.filter((file) => file.project === 0 && usual.test(baseName(file.path)));
  for (const file of likely.slice(0, limits.usingFiles))
    found.push(...((await lookup.deriveSource(file.path, readDeclarations))?.usings ?? []));
  for (const directory of directoriesAbove(path, lookup).filter((each) => isInside(own.directory, each)))
    if ((await lookup.namesIn(directory)).includes('_Imports.razor'))
      found.push(...((await lookup.deriveSource(`${directory}/_Imports.razor`, readRazor)) ?? []));
  const usings = [...new Set(found)].slice(0, limits.usings);
  return {
    namespaces: usings.filter((using) => !using.startsWith('static ')),
    types: usings.filter((using) => using.startsWith('static ')).map((using) => using.slice('static '.length)),
  };
}

function* readRazor(text: string): Steps<string[]> {
  const usings: string[] = [];
  yield* eachLineBeginning(text, longestLine, (line) => {
    const using = /^@using\s+(static\s+)?([\p{L}\p{N}_.]+)[\s;]*$/u.exec(line);
    if (using) usings.push(`${using[1] ? 'static ' : ''}${using[2]}`);
    return usings.length < limits.usings;
  });
  return usings;
}

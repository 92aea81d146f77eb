/** The source files of C# projects, found by bounded listings (RT-02). */
import { baseName, isInside } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { directoriesAbove } from '../places.ts';
import { filesBelow, type SourceFile } from '../source-files.ts';
import { type CSharpProject, isProjectFile } from './csharp-project.ts';

const limits = fixedLimits.projects.csharp;

/** Directories that builds, editors and package managers fill. */
const generated = new Set(['bin', 'obj', 'node_modules', 'wwwroot', 'TestResults']);
const ofUnity = new Set(['Library', 'Temp', 'Logs', 'UserSettings']);

/**
 * The files of all projects, those near the file first. Without projects, as Unity has them, the files around the file,
 * up to `Assets` or the mounted directory.
 */
export async function sourceFiles(
  path: string,
  projects: readonly CSharpProject[],
  lookup: Lookup,
): Promise<SourceFile[]> {
  const above = directoriesAbove(path, lookup);
  const [own] = projects;
  const assets = above.findIndex((directory) => baseName(directory) === 'Assets');
  const near = own
    ? above.filter((directory) => isInside(own.directory, directory))
    : above.slice(0, assets < 0 ? undefined : assets + 1);
  const starts = [
    ...near.map((directory) => ({ directory, project: 0 })),
    ...projects.flatMap(({ directory, linked }, project) =>
      [...(project === 0 ? [] : [directory]), ...linked].map((each) => ({ directory: each, project })),
    ),
  ];
  const roots = new Set(projects.map(({ directory }) => directory));
  const isForeign = (directory: string, names: readonly string[]): boolean =>
    // The directory of another project, which this one does not refer to.
    !roots.has(directory) && names.some((name) => isProjectFile(name));
  const isLeftOut = (name: string, beside: readonly string[]): boolean =>
    generated.has(name) || (ofUnity.has(name) && beside.includes('Assets'));
  return filesBelow(starts, { ending: '.cs', limits, roots, isForeign, isLeftOut }, lookup);
}

/**
 * The types that a file is named after: `Order` for `Order.cs`, `Order.Lines.cs` and `Order{T}.cs`, also `Repository`
 * for `RepositoryOfT.cs`.
 */
export function namesOfFile(path: string): string[] {
  const name = /^[^.{`<]*/u.exec(baseName(path))?.[0] ?? '';
  const generic = /^(.+)OfT[A-Z]?[a-z]*$/u.exec(name)?.[1];
  return generic === undefined ? [name] : [name, generic];
}

/** Code that tools write. Nobody reads it. */
export function isGenerated(path: string): boolean {
  return /\.(?:designer|g|g\.i|generated)\.cs$/iu.test(path);
}

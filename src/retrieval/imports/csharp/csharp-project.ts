/** The projects whose types a C# file can use: its own and those that it refers to (RT-02). */
import { baseName, isInside, joinPath, parentPath, pathBelow, relativePath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { directoriesAbove, directoriesFrom } from '../places.ts';
import { qualified, withoutXmlComments } from '../plain-reading.ts';
import { openValues } from './csharp-properties.ts';

const limits = fixedLimits.projects.csharp;

export type CSharpProject = Readonly<{
  directory: string;
  /** The namespace of the files in `directory`, by convention. */
  rootNamespace: string;
  /** What all files of the project use: `A.B` for a namespace, `static A.B.C` for a type. */
  usings: readonly string[];
  /** Files elsewhere that the project takes, and directories whose files it takes. */
  linked: readonly string[];
}>;

/** The file's own project comes first. Empty if there is no project file above the file. */
export async function csharpProjects(path: string, lookup: Lookup): Promise<CSharpProject[]> {
  const found = new Map<string, CSharpProject>();
  const files = new Set(await projectFilesAbove(path, lookup));
  const pathOf = openValues(lookup);
  // The set grows while it is walked.
  for (const file of files) {
    const settings = await lookup.derive(file, readProject);
    if (settings === undefined) continue;
    const directory = parentPath(file);
    const shared = await sharedSettings(directory, lookup);
    for (const reference of [...settings.references, ...(shared?.references ?? [])]) {
      if (files.size >= limits.projects) break;
      const referred = await pathOf({ value: reference, directory });
      // Other files are no settings, and may be what a policy blocks.
      if (referred !== undefined && isProjectFile(referred) && isInside(lookup.mountedDirectory, referred))
        files.add(referred);
    }
    const linked: string[] = [];
    for (const value of settings.linked.slice(0, limits.projects)) {
      const path = await pathOf({ value, directory });
      if (path !== undefined) linked.push(path);
    }
    const project = {
      directory,
      rootNamespace: rootNamespaceOf(file, settings.rootNamespace ?? shared?.rootNamespace),
      linked,
      usings: [...(found.get(directory)?.usings ?? []), ...settings.usings, ...(shared?.usings ?? [])],
    };
    found.set(directory, { ...(found.get(directory) ?? project), usings: project.usings });
  }
  return [...found.values()];
}

/** The project files of the nearest directory that has any. */
async function projectFilesAbove(path: string, lookup: Lookup): Promise<string[]> {
  for (const directory of directoriesAbove(path, lookup)) {
    const names = (await lookup.namesIn(directory)).filter(isProjectFile).slice(0, limits.projects);
    if (names.length > 0) return names.map((name) => pathBelow(directory, name));
  }
  return [];
}

/**
 * The namespace of a file by convention. `root`: the namespace of `directory`, the one of its project. A file that the
 * project takes from elsewhere often has that one.
 */
export function usualNamespace(path: string, directory: string, root: string): string {
  const relative = relativePath(directory, parentPath(path));
  if (relative === '.' || !isInside(directory, path)) return root;
  return qualified(root, relative.replaceAll('/', '.'));
}

/** The namespace of `directory` with which the namespace of a file is the usual one. Undefined if there is none. */
export function rootOf(namespace: string, path: string, directory: string): string | undefined {
  const suffix = usualNamespace(path, directory, '');
  const root = suffix === '' ? namespace : namespace.slice(0, Math.max(0, namespace.length - suffix.length - 1));
  return usualNamespace(path, directory, root) === namespace ? root : undefined;
}

export function isProjectFile(name: string): boolean {
  return name.endsWith('.csproj');
}

/** What settings say, or else the name of the file. */
function rootNamespaceOf(file: string, given: string | undefined): string {
  const name = baseName(file).slice(0, -'.csproj'.length);
  const said = given?.replaceAll('$(MSBuildProjectName)', name).replaceAll('$(AssemblyName)', name);
  return (said === undefined || said.includes('$(') ? name : said).replaceAll(/[- ]/gu, '_');
}

type Settings = { rootNamespace: string | undefined; references: string[]; usings: string[]; linked: string[] };

/** MSBuild reads the nearest `Directory.Build.props` for each project. */
async function sharedSettings(directory: string, lookup: Lookup): Promise<Settings | undefined> {
  for (const above of directoriesFrom(directory, lookup))
    if ((await lookup.namesIn(above)).includes('Directory.Build.props')) {
      const settings = await lookup.derive(`${above}/Directory.Build.props`, readProject);
      const references = (settings?.references ?? []).map((path) => fromDirectory(above, path));
      return settings && { ...settings, references };
    }
  return undefined;
}

const ofThisFile = '$(MSBuildThisFileDirectory)';

/** A path that begins with the directory of the file that says it. Others are relative to the project. */
function fromDirectory(directory: string, path: string): string {
  return path.startsWith(ofThisFile) ? joinPath(directory, `./${path.slice(ofThisFile.length)}`) : path;
}

function readProject(source: string): Settings {
  const text = withoutXmlComments(source);
  const rootNamespace = /<RootNamespace>([^<>]{0,300})/u.exec(text)?.[1];
  const named = (element: string, by: string): string[] =>
    elements(text, element)
      .map((attributes) => attribute(attributes, by).replaceAll('\\', '/'))
      .filter((value) => value !== '');
  const shared = named('Import', 'Project').filter((path) => path.endsWith('.projitems'));
  const usings = elements(text, 'Using').flatMap((attributes) => {
    const name = attribute(attributes, 'Include').trim();
    if (name === '' || attribute(attributes, 'Alias') !== '') return [];
    return [attribute(attributes, 'Static').toLowerCase() === 'true' ? `static ${name}` : name];
  });
  return {
    rootNamespace: rootNamespace?.trim(),
    references: named('ProjectReference', 'Include'),
    usings: usings.slice(0, limits.usings),
    linked: [
      ...named('Compile', 'Include').filter((path) => /^(?:\.\.\/|\$\()/u.test(path) && path.endsWith('.cs')),
      ...shared.map((path) => `${path}/../**/*.cs`),
    ].map(withoutPattern),
  };
}

/** The directory of a pattern. A path without a pattern stays. */
function withoutPattern(path: string): string {
  const [head = '', ...rest] = path.split('*');
  const end = Math.max(head.lastIndexOf('/'), head.lastIndexOf(')'));
  return rest.length === 0 ? path : `${head.slice(0, end + 1)}.`;
}

/** The attributes of the first elements of a name. */
function elements(text: string, name: string): string[] {
  const found: string[] = [];
  const opening = `<${name}`;
  for (let at = text.indexOf(opening); at >= 0 && found.length < limits.usings; at = text.indexOf(opening, at + 1)) {
    const start = at + opening.length;
    if (/\s/u.test(text.charAt(start))) found.push(text.slice(start, start + longestElement).split('>', 1)[0] ?? '');
  }
  return found;
}

const longestElement = 2_000;

/** The value of an attribute. Empty if there is none. */
function attribute(attributes: string, name: string): string {
  for (const part of attributes.split(/(?<=["'])\s/u)) {
    const [key = '', ...value] = part.split('=');
    if (key.trim() === name)
      return value
        .join('=')
        .trim()
        .replace(/^["']/u, '')
        .replace(/["']?\/?$/u, '');
  }
  return '';
}

/**
 * C#: types of namespaces, found by the names of files, by the namespaces that files declare, and by the projects that
 * the file's project refers to; extension methods, and members of types by `using static` (RT-02).
 */
import { createPause, inTurns, type Pause, type Steps } from '../../../pace/turns.ts';
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import { afterLast } from '../../../texts/after-last.ts';
import type { ImportingFile, ImportResolver, ImportTarget, Lookup, ResolvedImport } from '../import.ts';
import { mentionedNames, resolved } from '../places.ts';
import { qualified } from '../plain-reading.ts';
import { type CSharpEntry, type CSharpIndex, csharpIndex } from './csharp-index.ts';
import { type CSharpProject, csharpProjects, rootOf } from './csharp-project.ts';
import { type CSharpScopes, csharpScopes, findQualified, findType } from './csharp-scopes.ts';
import { sourceFiles } from './csharp-sources.ts';
import { globalUsings } from './csharp-usings.ts';

const limits = fixedLimits.projects.csharp;

export const resolveCSharpImports: ImportResolver = async (imports, file, lookup) => {
  const projects = withOwnRoot(await csharpProjects(file.path, lookup), imports, file.path);
  const files = await sourceFiles(file.path, projects, lookup);
  const usings = await globalUsings(file.path, { projects, files }, lookup);
  const scopes = csharpScopes(imports, usings.namespaces);
  const index = await csharpIndex(
    {
      files,
      projects,
      names: wantedNames(imports, usings.types),
      namespaces: wantedNamespaces(imports, scopes),
      path: file.path,
    },
    lookup,
  );
  const search = { index, scopes, file, lookup, pause: createPause() };
  const claimed = await inTurns(claims(imports, search), search.pause);
  const answers: ResolvedImport[] = [];
  // Types come first, because they say more than the methods that the file calls.
  for (const statement of imports.toSorted((a, b) => Number(isOfCalls(a)) - Number(isOfCalls(b)))) {
    const targets = claimed.get(statement) ?? (await targetsOf(statement, usings.types, search));
    // Something that nothing is used of is not an import that fails.
    const isOurs = targets.length > 0 || isUnwritten(statement) || hasNamespace(statement.specifier, projects, index);
    answers.push(resolved(statement, targets, isOurs ? undefined : 'outside_workspace'));
  }
  return answers;
};

type Search = { index: CSharpIndex; scopes: CSharpScopes; file: ImportingFile; lookup: Lookup; pause: Pause };

/** The convention of the own project, as the file's own namespace tells it. */
function withOwnRoot(
  projects: readonly CSharpProject[],
  imports: readonly ImportStatement[],
  path: string,
): readonly CSharpProject[] {
  const [own, ...others] = projects;
  const namespace = imports.find(({ form }) => form === 'namespace')?.specifier;
  const rootNamespace = own && namespace !== undefined && rootOf(namespace, path, own.directory);
  return rootNamespace ? [{ ...own, rootNamespace }, ...others] : projects;
}

/** The names of types that files can be named after. */
function wantedNames(imports: readonly ImportStatement[], global: readonly string[]): Set<string> {
  const names = new Set(global.map((each) => afterLast(each, '.')));
  for (const { form = '', specifier, names: own } of imports) {
    if (form === 'static' || form === 'qualified') names.add(afterLast(specifier, '.'));
    // Other statements name the same types as the file.
    const isOwn = form === 'file' || form === 'qualified' || form.startsWith('alias ');
    for (const name of isOwn ? own : []) {
      names.add(name);
      names.add(`${name}Attribute`);
    }
  }
  return names;
}

/** The namespaces whose directories are searched. */
function wantedNamespaces(imports: readonly ImportStatement[], { visible, enclosing }: CSharpScopes): Set<string> {
  const written = imports.filter(({ form }) => form === 'qualified').slice(0, limits.usings);
  return new Set([
    ...visible.keys(),
    ...written.flatMap(({ specifier }) => enclosing.map((each) => qualified(each, specifier))),
  ]);
}

/** Between two steps, so many names are looked up. */
const namesPerStep = 500;

/** Each used type belongs to one statement: to the innermost namespace that has it, or else to a `using`. */
function* claims(
  imports: readonly ImportStatement[],
  search: Search,
): Steps<ReadonlyMap<ImportStatement, ImportTarget[]>> {
  const { scopes, index } = search;
  const whole = imports.find(({ form }) => form === 'file');
  const owners = new Map<string, ImportStatement>();
  const claimed = new Map<ImportStatement, ImportTarget[]>();
  for (const statement of imports) {
    const { form, specifier } = statement;
    if (form === undefined || form === 'namespace' || form === 'file') claimed.set(statement, []);
    if (form === undefined || form === 'namespace') owners.set(specifier, owners.get(specifier) ?? statement);
    if (form === 'extension') claimed.set(statement, extensionsOf(statement, search));
  }
  for (const [at, name] of (whole?.names ?? []).entries()) {
    if (at % namesPerStep === 0) yield;
    const found = findType(name, index.types, scopes) ?? findType(`${name}Attribute`, index.types, scopes);
    const owner = found && (owners.get(found.specifier) ?? whole);
    if (owner) claimed.get(owner)?.push(...filesOf(found.entries, search.file.path));
  }
  return claimed;
}

/** What is called on something is mostly one of these methods of .NET, so that a name says little. */
const ofEverything = new Set(
  `Add AddRange All Any Append Cast Clear Clone Close CompareTo Concat Contains ContainsKey CopyTo Count Dispose Distinct EndsWith Equals
  Except Find First FirstOrDefault ForEach Format Get GetEnumerator GetHashCode GetType GetValue GroupBy IndexOf Insert Invoke IsNullOrEmpty
  IsNullOrWhiteSpace Join Last LastOrDefault Max Min OfType OrderBy OrderByDescending Parse Remove RemoveAll Replace Reverse Select
  SelectMany Set Single SingleOrDefault Skip Split StartsWith Substring Sum Take ToArray ToDictionary ToHashSet ToList ToLower ToString
  ToUpper Trim TrimEnd TrimStart TryGetValue TryParse Union Where Zip`.split(/\s+/u),
);

function extensionsOf({ names }: ImportStatement, { index, scopes, file }: Search): ImportTarget[] {
  return names.flatMap((method) => {
    if (ofEverything.has(method)) return [];
    const declared = [...(index.extensions.get(method) ?? [])];
    return filesOf(
      declared.flatMap(([namespace, entries]) => (scopes.visible.has(namespace) ? entries : [])),
      file.path,
    );
  });
}

async function targetsOf(
  statement: ImportStatement,
  global: readonly string[],
  search: Search,
): Promise<ImportTarget[]> {
  const { form = '', specifier, names } = statement;
  const { index, scopes, file, pause } = search;
  await pause();
  if (form === 'static') {
    const members = await membersOf(statement, specifier, search);
    return members.length > 0 ? members : filesOf(findQualified(specifier, index.types, scopes), file.path);
  }
  if (form === 'call') {
    const targets: ImportTarget[] = [];
    for (const type of global) targets.push(...(await membersOf(statement, type, search)));
    return targets;
  }
  const type = form === 'qualified' ? `${specifier}.${names[0]}` : specifier;
  return filesOf(findQualified(type, index.types, scopes), file.path);
}

/** The members of a type that the file calls without naming the type. */
async function membersOf(
  { names }: ImportStatement,
  type: string,
  { index, scopes, file, lookup, pause }: Search,
): Promise<ImportTarget[]> {
  const targets: ImportTarget[] = [];
  await pause();
  for (const target of filesOf(findQualified(type, index.types, scopes), file.path)) {
    const members = await mentionedNames(target.path, names, lookup);
    if (members.length > 0) targets.push({ ...target, names: members.map((member) => `${target.names[0]}.${member}`) });
  }
  return targets;
}

/** The nearest file that declares a type, and with a partial type its other files. */
function filesOf(entries: readonly CSharpEntry[], own: string): ImportTarget[] {
  const project = entries.reduce((least, each) => Math.min(least, each.project), Number.POSITIVE_INFINITY);
  const nearest = entries.filter((each) => each.project === project);
  const first = nearest.find(({ path }) => path === own) ?? nearest[0];
  const parts = nearest.filter((each) => each === first || (first?.isPartial && each.isPartial));
  return parts
    .filter(({ path }) => path !== own)
    .slice(0, limits.parts)
    .map(({ path, name }) => ({ path, names: [name], guessed: true }));
}

function isUnwritten({ form }: ImportStatement): boolean {
  return form === 'namespace' || form === 'file' || isOfCalls({ form });
}

function isOfCalls({ form }: { form?: string | undefined }): boolean {
  return form === 'extension' || form === 'call';
}

/** Whether a namespace, or the one of a type, belongs to the workspace. */
function hasNamespace(specifier: string, projects: readonly CSharpProject[], { namespaces }: CSharpIndex): boolean {
  return (
    namespaces.has(specifier) ||
    projects.some(({ rootNamespace }) => rootNamespace !== '' && `${specifier}.`.startsWith(`${rootNamespace}.`))
  );
}

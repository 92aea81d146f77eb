/** The paths that properties of MSBuild name, such as `$(SharedDir)Clock.cs` (RT-02). */
import { joinPath } from '../../../access/paths.ts';
import { onceForEach } from '../../../pace/once-for-each.ts';
import type { Lookup } from '../import.ts';
import { directoriesFrom } from '../places.ts';
import { withoutXmlComments } from '../plain-reading.ts';

/** What is said, and the directory of the file that says it. */
type Said = Readonly<{ value: string; directory: string }>;

const sharedSettingsName = 'Directory.Build.props';
const maxProperties = 200;
/** Properties that name each other. */
const deepest = 8;

/** Properties of the shared settings above a project whose values begin with a property. The nearest ones count. */
async function propertiesAbove(directory: string, lookup: Lookup): Promise<ReadonlyMap<string, Said>> {
  const found = new Map<string, Said>();
  for (const above of directoriesFrom(directory, lookup)) {
    if (!(await lookup.namesIn(above)).includes(sharedSettingsName)) continue;
    for (const [name, value] of (await lookup.derive(`${above}/${sharedSettingsName}`, readProperties)) ?? [])
      if (!found.has(name)) found.set(name, { value, directory: above });
  }
  return found;
}

function readProperties(text: string): [name: string, value: string][] {
  const said = [...withoutXmlComments(text).matchAll(/<(\w{1,60})>[ \t]{0,40}(\$\([^<>]{1,300})<\//gu)].slice(
    0,
    maxProperties,
  );
  return said.map(([, name = '', value = '']) => [name, value.trim().replaceAll('\\', '/')]);
}

/** Answers which path a value of a project means. A property that nobody sets mostly names a directory above. */
export function openValues(lookup: Lookup): (said: Said) => Promise<string | undefined> {
  const propertiesFor = onceForEach((directory: string) => propertiesAbove(directory, lookup));
  return async (said) => {
    const { value, directory } = said;
    if (!value.startsWith('$(')) return joinPath(directory, value);
    const path = knownPath(said, await propertiesFor(directory));
    const end = value.indexOf(')');
    if (path !== undefined || end < 0) return path;
    for (const above of directoriesFrom(directory, lookup)) {
      const candidate = joinPath(above, `./${value.slice(end + 1)}`);
      if ((await lookup.kindOf(candidate)) !== undefined) return candidate;
    }
    return undefined;
  };
}

function knownPath(
  { value: said, directory }: Said,
  properties: ReadonlyMap<string, Said>,
  depth = 0,
): string | undefined {
  const parts = /^\$\(\[MSBuild\]::Normalize(?:Directory|Path)\((.{1,300})\)\)$/u.exec(said)?.[1]?.split(',');
  const value = parts?.map((part) => part.trim().replaceAll("'", '')).join('/') ?? said;
  const end = value.indexOf(')');
  if (!value.startsWith('$(') || end < 0) return undefined;
  const name = value.slice('$('.length, end);
  const property = properties.get(name);
  const base =
    name === 'MSBuildThisFileDirectory'
      ? directory
      : property && depth < deepest && knownPath(property, properties, depth + 1);
  return base === undefined || base === false ? undefined : joinPath(base, `./${value.slice(end + 1)}`);
}

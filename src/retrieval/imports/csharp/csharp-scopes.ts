/** Which namespaces a C# file sees, and what a name means in it (RT-02). */
import type { ImportStatement } from '../../../ports/parsed-source.ts';
import { fixedLimits } from '../../../settings.ts';
import { beforeLast } from '../../../texts/after-last.ts';
import { qualified } from '../plain-reading.ts';
import type { CSharpEntry, CSharpIndex } from './csharp-index.ts';

const limits = fixedLimits.projects.csharp;

/** Namespaces that SDKs use in all files. Projects add types and extension methods to them. */
const ofSdks = [
  ...['System', 'System.Collections.Generic', 'System.IO', 'System.Linq', 'System.Net.Http', 'System.Threading'],
  ...['System.Threading.Tasks', 'Microsoft.AspNetCore.Builder', 'Microsoft.AspNetCore.Hosting'],
  ...['Microsoft.AspNetCore.Http', 'Microsoft.AspNetCore.Routing', 'Microsoft.Extensions.Configuration'],
  ...['Microsoft.Extensions.DependencyInjection', 'Microsoft.Extensions.Hosting', 'Microsoft.Extensions.Logging'],
];

export type CSharpScopes = Readonly<{
  /** The file's namespaces and those around them, the innermost first, then `''`. */
  enclosing: readonly string[];
  /**
   * Each namespace whose types the file names without it, with the specifier of its statement. Types of a lower rank
   * hide others.
   */
  visible: ReadonlyMap<string, Readonly<{ rank: number; specifier: string }>>;
  /** The namespaces and types that `using N = …` gives a name. */
  aliases: ReadonlyMap<string, string>;
}>;

/** `global`: namespaces that the whole project uses. */
export function csharpScopes(imports: readonly ImportStatement[], global: readonly string[]): CSharpScopes {
  const enclosing = new Set<string>();
  const aliases = new Map<string, string>();
  const written: string[] = [];
  for (const { form, specifier } of imports) {
    if (form === undefined) written.push(specifier);
    if (form?.startsWith('alias ')) aliases.set(form.slice('alias '.length), specifier);
    if (form !== 'namespace') continue;
    for (let name = specifier; name !== '' && enclosing.size < limits.enclosing; name = beforeLast(name, '.'))
      enclosing.add(name);
  }
  enclosing.add('');
  const visible = new Map<string, { rank: number; specifier: string }>();
  const see = (namespace: string, specifier: string): void => {
    if (!visible.has(namespace)) visible.set(namespace, { rank: visible.size, specifier });
  };
  for (const name of enclosing) see(name, name);
  // `using Models` inside `namespace Shop` can mean `Shop.Models`.
  for (const using of [...written, ...global, ...ofSdks].slice(0, limits.usings))
    for (const around of [...enclosing].toReversed()) see(qualified(around, using), using);
  return { enclosing: [...enclosing], visible, aliases };
}

/** A type that is written without its namespace. `specifier`: of the statement that makes it visible. */
export function findType(
  name: string,
  index: CSharpIndex['types'],
  { visible }: CSharpScopes,
): { specifier: string; entries: readonly CSharpEntry[] } | undefined {
  let least = Number.POSITIVE_INFINITY;
  let found: { specifier: string; entries: readonly CSharpEntry[] } | undefined;
  for (const [namespace, entries] of index.get(name) ?? []) {
    const { rank = least, specifier = '' } = visible.get(namespace) ?? {};
    if (rank >= least) continue;
    least = rank;
    found = { specifier, entries };
  }
  return found;
}

/** A type that is written with its namespace, with a part of it, or with the type around it. */
export function findQualified(
  specifier: string,
  index: CSharpIndex['types'],
  scopes: CSharpScopes,
): readonly CSharpEntry[] {
  const [first = '', ...rest] = specifier.split('.');
  const full = [scopes.aliases.get(first) ?? first, ...rest].join('.');
  const parts = full.split('.');
  for (let at = parts.length - 1; at > 0 && at >= parts.length - limits.nested; at -= 1) {
    const declared = index.get(parts.slice(at).join('.'));
    const namespace = parts.slice(0, at).join('.');
    for (const around of declared ? scopes.enclosing : []) {
      const entries = declared?.get(qualified(around, namespace));
      if (entries) return entries;
    }
  }
  return findType(full, index, scopes)?.entries ?? [];
}

/** Which namespaces a C# file sees, and what a name means in it (RT-02). */
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { fixedLimits } from '../../settings.ts';
import type { CSharpEntry, CSharpIndex } from './csharp-index.ts';

const limits = fixedLimits.projects.csharp;

/** Namespaces that SDKs use everywhere. Projects add extension methods to them. */
const ofSdks = [
  ...['Microsoft.AspNetCore.Builder', 'Microsoft.AspNetCore.Http', 'Microsoft.AspNetCore.Routing'],
  ...['Microsoft.Extensions.Configuration', 'Microsoft.Extensions.DependencyInjection', 'Microsoft.Extensions.Hosting'],
  ...['Microsoft.Extensions.Logging', 'System', 'System.Collections.Generic', 'System.Linq'],
];

export type CSharpScopes = Readonly<{
  /** The file's namespaces and those around them, the innermost first, then `''`. */
  enclosing: readonly string[];
  /** Each namespace whose types the file names without it, by precedence, with the specifier of its statement. */
  visible: ReadonlyMap<string, string>;
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
    for (let name = specifier; name !== '' && enclosing.size < limits.enclosing; name = withoutLast(name))
      enclosing.add(name);
  }
  enclosing.add('');
  const visible = new Map([...enclosing].map((name) => [name, name]));
  // `using Models` inside `namespace Shop` can mean `Shop.Models`.
  for (const using of [...written, ...global, ...ofSdks].slice(0, limits.usings))
    for (const around of [...enclosing].toReversed()) {
      const name = inside(around, using);
      visible.set(name, visible.get(name) ?? using);
    }
  return { enclosing: [...enclosing], visible, aliases };
}

/** A type that is written without its namespace. `specifier`: of the statement that makes it visible. */
export function findType(
  name: string,
  index: CSharpIndex['types'],
  { visible }: CSharpScopes,
): { specifier: string; entries: readonly CSharpEntry[] } | undefined {
  const declared = index.get(name);
  if (declared === undefined) return undefined;
  for (const [namespace, specifier] of visible) {
    const entries = declared.get(namespace);
    if (entries) return { specifier, entries };
  }
  return undefined;
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
      const entries = declared?.get(inside(around, namespace));
      if (entries) return entries;
    }
  }
  return findType(full, index, scopes)?.entries ?? [];
}

/** A namespace or type inside another. */
export function inside(around: string, name: string): string {
  return around === '' ? name : `${around}.${name}`;
}

/** The namespace around a namespace. `''` if there is none. */
function withoutLast(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')));
}

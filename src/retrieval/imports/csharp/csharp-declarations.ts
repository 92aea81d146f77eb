/** What a C# file declares, line by line. This only chooses files; the parser reads their definitions (RT-02). */
import type { Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import { closeScopes, eachLineBeginning, longestLine, longestName, nameBefore, qualified } from '../plain-reading.ts';

/** `name` includes the types around it: `Order.Line`. */
type DeclaredType = Readonly<{ name: string; namespace: string; isPartial: boolean }>;

export type CSharpDeclarations = Readonly<{
  types: readonly DeclaredType[];
  /** Extension methods, with the names of their classes: `ShopExtensions.AddShop`. */
  extensions: readonly DeclaredType[];
  /** `global using`: `A.B` or `static A.B.C`. */
  usings: readonly string[];
}>;

const limits = fixedLimits.projects.csharp;
/** Other words of a line are not looked at. */
const typesPerLine = 8;
const modifiers = new Set(
  'public private protected internal static abstract sealed partial readonly ref unsafe new file'.split(' '),
);

/** `namespace`, `type`: full names. */
type Scope = { indentation: number; namespace: string; type: string };

/** The indentation says what is inside what. Formatters write it so, and braces in texts do not matter. */
export function* readDeclarations(text: string): Steps<CSharpDeclarations> {
  const types: DeclaredType[] = [];
  const extensions: DeclaredType[] = [];
  const usings: string[] = [];
  const scopes: Scope[] = [];
  let fileNamespace = '';
  /** A method whose first parameter is in the next line. */
  let pending = '';
  const around = (): Omit<Scope, 'indentation'> => scopes.at(-1) ?? { namespace: fileNamespace, type: '' };
  const declare = (to: DeclaredType[], name: string, isPartial = false): void => {
    const { namespace, type } = around();
    const full = qualified(type, name);
    if (full.length <= longestName && namespace.length <= longestName) to.push({ name: full, namespace, isPartial });
  };
  yield* eachLineBeginning(text, longestLine, (whole) => {
    const line = whole.replace(/^\uFEFF/u, '');
    const code = line.trimStart();
    const indentation = line.length - code.length;
    if (code === '' || code.startsWith('//') || code.startsWith('*')) return true;
    const open = (inner: Partial<Scope>): void => {
      scopes.push({ ...around(), ...inner, indentation });
    };
    if (pending !== '' && /^(?:\[[^\]]*\] *)?this\s/u.test(code)) declare(extensions, pending);
    pending = '';
    const namespace = /^namespace\s+([\p{L}\p{N}_.@]+)/u.exec(code)?.[1];
    if (namespace !== undefined) {
      closeScopes(scopes, indentation);
      if (code.includes(';')) fileNamespace = namespace;
      else open({ namespace: qualified(around().namespace, namespace) });
      return true;
    }
    const using = /^global\s+using\s+(static\s+)?(?:global::)?([\p{L}\p{N}_.]+)\s*;/u.exec(code);
    if (using) usings.push(`${using[1] ? 'static ' : ''}${using[2]}`);
    for (const { name, isPartial } of typesIn(code)) {
      closeScopes(scopes, indentation);
      declare(types, name, isPartial);
      open({ type: qualified(around().type, name) });
    }
    const method = extensionIn(code);
    if (method?.isSure) declare(extensions, method.name);
    else pending = method?.name ?? '';
    return types.length < limits.types && extensions.length < limits.types;
  });
  return { types, extensions, usings };
}

/** The types that a line declares, mostly none or one. */
function typesIn(code: string): { name: string; isPartial: boolean }[] {
  const found: { name: string; isPartial: boolean }[] = [];
  let looked = 0;
  for (const match of code.matchAll(/\b(?:class|struct|interface|enum|record|delegate)\s/gu)) {
    looked += 1;
    if (looked > typesPerLine) break;
    const before = code.slice(0, match.index);
    const words = before
      .slice(Math.max(before.lastIndexOf(']'), before.lastIndexOf(';'), before.lastIndexOf('}')) + 1)
      .split(/\s/u)
      .filter(Boolean);
    if (!words.every((word) => modifiers.has(word))) continue;
    const after = code.slice(match.index + match[0].length).trimStart();
    const name = match[0].startsWith('delegate')
      ? nameBefore(after.split('(', 1)[0] ?? '')
      : /^(?:(?:class|struct)\s+)?@?([\p{L}_][\p{L}\p{N}_]*)/u.exec(after)?.[1];
    if (name !== undefined) found.push({ name, isPartial: words.includes('partial') });
  }
  return found;
}

/** `static … Name<T>(this …`. Not sure if the line ends before the parameter. */
function extensionIn(code: string): { name: string; isSure: boolean } | undefined {
  const opening = code.indexOf('(');
  if (opening < 0 || !/\bstatic\s/u.test(code.slice(0, opening))) return undefined;
  const parameters = code.slice(opening + 1).trimStart();
  const isSure = /^(?:\[[^\]]*\] *)?this\s/u.test(parameters);
  if (!isSure && parameters !== '') return undefined;
  const name = nameBefore(code.slice(0, opening));
  return name === undefined ? undefined : { name, isSure };
}

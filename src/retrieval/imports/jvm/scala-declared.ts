/**
 * What a Scala file declares in its packages and objects, line by line, by indentation. This only chooses files; the
 * parser reads them (RT-02).
 */
import type { Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import { closeScopes, eachLine, longestLine, longestName, qualified } from '../plain-reading.ts';
import type { Declarations } from './jvm-index.ts';

const limits = fixedLimits.projects.jvm;
/** Annotations and modifiers in front of a declaration. */
const mostWords = 12;
const deepest = 16;
const mostParents = 100;

const modifiers = new Set(
  'private protected final sealed abstract implicit lazy override case inline transparent opaque open infix'.split(' '),
);
const keywords = new Set('package class trait object enum def val var type given extension'.split(' '));

type Line = { keyword: string; name: string; words: ReadonlySet<string>; rest: string };
type Container = Omit<Declarations, 'facade'> & {
  plain: Set<string>;
  extensions: Map<string, string>;
  parents: string[];
  conversions: string[];
};
/** `members`: what is declared inside belongs to the container; of an `extension`, it is called on something. */
type Owner = { indentation: number; has: 'members' | 'cases' | 'extensions' | 'nothing'; container: Container };

export function* readScalaDeclarations(text: string): Steps<readonly Declarations[]> {
  const found = new Map<string, Container>();
  const around: Owner[] = [];
  const container = (name: string, within = ''): Container => {
    const made = found.get(name) ?? {
      package: name,
      within,
      plain: new Set(),
      extensions: new Map(),
      parents: [],
      conversions: [],
    };
    found.set(name, made);
    return made;
  };
  let own = '';
  let names = 0;
  yield* eachLine(text, (whole) => {
    const indentation = whole.search(/\S/u);
    const code = indentation < 0 ? '' : whole.slice(indentation, indentation + longestLine);
    const line = readLine(code);
    if (line === undefined || line.name.length > longestName) {
      if (/^(?:extends|with)\s/u.test(code)) addParents(around.at(-1), code);
      return true;
    }
    closeScopes(around, indentation);
    const owner: Owner = around.at(-1) ?? { indentation: -1, has: 'members', container: container(own) };
    const inner: Owner = { indentation, ...innerOf(owner, line, container) };
    if (line.keyword === 'package' && !line.words.has('object') && !/[{:]$/u.test(line.rest)) {
      own = inner.container.package;
      return true;
    }
    addDeclared(owner, line);
    addParents(inner, line.rest);
    if (around.length < deepest) around.push(inner);
    names += 1;
    return names < limits.names;
  });
  return [...found.values()];
}

function addDeclared({ has, container }: Owner, { keyword, name, words, rest }: Line): void {
  const { plain, extensions, within, conversions } = container;
  const isMember = has === 'members' ? keyword !== 'package' : has === 'cases' && keyword === 'case';
  if (words.has('private') && within !== '') return;
  if (isMember && name !== '') plain.add(name);
  // `case A, B`.
  if (isMember && keyword === 'case' && rest.startsWith(','))
    for (const each of rest.split(/[,\s]/u)) if (/^\p{Lu}/u.test(each)) plain.add(each);
  // `implicit def toOps(a: A): Ops`.
  const isConversion = isMember && keyword === 'def' && words.has('implicit');
  const made = isConversion ? /\)\s*:\s*(\p{L}[\p{L}\p{N}_]*)/u.exec(rest)?.[1] : undefined;
  if (made !== undefined && conversions.length < mostParents) conversions.push(made);
  // `extension (a: A) def b`.
  const ofExtension = keyword === 'extension' ? /\bdef\s+([^\s(:[=]+)/u.exec(rest)?.[1] : undefined;
  const called = ofExtension ?? (has === 'extensions' && keyword === 'def' ? name : undefined);
  if (called !== undefined) extensions.set(called, qualified(within ?? '', called));
}

type Make = (name: string, within?: string) => Container;

/** An object is imported like a package. What types have is marked with `#`: only what extends them has it. */
function innerOf({ has, container }: Owner, { keyword, name, words }: Line, make: Make): Omit<Owner, 'indentation'> {
  const { package: outer, within = '' } = container;
  const full = qualified(outer, name);
  const inside = qualified(within, name);
  if (keyword === 'package') return { has: 'members', container: make(full) };
  if (has !== 'members') return { has: 'nothing', container };
  if (keyword === 'extension') return { has: 'extensions', container };
  if (keyword === 'object') return { has: 'members', container: make(full, inside) };
  if (keyword === 'enum') return { has: 'cases', container: make(full, inside) };
  if (keyword !== 'class' && keyword !== 'trait') return { has: 'nothing', container };
  // Methods of an implicit class are called on something, wherever the class is.
  if (words.has('implicit')) return { has: 'extensions', container: implicitOf(container, inside) };
  return { has: 'members', container: make(`${full}#`, inside) };
}

/** Adds to the extensions of the container around. */
function implicitOf(container: Container, within: string): Container {
  return { ...container, within };
}

/** `extends A(b) with c.D`, also in lines of their own. */
function addParents(owner: Owner | undefined, text: string): void {
  if (owner?.has !== 'members') return;
  for (const [, name = ''] of text.matchAll(/\b(?:extends|with)\s+(\p{L}[\p{L}\p{N}_]*)/gu))
    if (owner.container.parents.length < mostParents) owner.container.parents.push(name);
}

/** A line that begins with a declaration. */
function readLine(code: string): Line | undefined {
  let rest = code.trimEnd();
  const words = new Set<string>();
  for (let count = 0; count < mostWords; count += 1) {
    if (rest.startsWith('@')) {
      rest = withoutAnnotation(rest);
      continue;
    }
    const word = /^[a-z]+/u.exec(rest)?.[0] ?? '';
    const after = rest.slice(word.length);
    if (!/^[\s([]/u.test(after)) return undefined;
    if (keywords.has(word)) return named(word, after.trimStart(), words);
    // A case of an enum; elsewhere it is a case of a match.
    const isLast = word === 'case' && !/^\s+(?:class|object)\b/u.test(after);
    if (isLast) return named('case', after.trimStart(), words.add('case'));
    if (!modifiers.has(word)) return undefined;
    words.add(word);
    // `private[shop]` can be used in a package.
    if (after.startsWith('[') && !after.startsWith('[this]')) words.delete(word);
    rest = (after.startsWith('[') ? after.slice(after.indexOf(']') + 1) : after).trimStart();
    if (rest === '') return undefined;
  }
  return undefined;
}

function named(keyword: string, text: string, words: Set<string>): Line | undefined {
  if (keyword === 'extension') return { keyword, name: '', words, rest: text };
  if (keyword === 'package') {
    const isObject = /^object\s/u.test(text);
    if (isObject) words.add('object');
    const path = /^[\p{L}\p{N}_.`$]+/u.exec(isObject ? text.slice('object'.length).trimStart() : text)?.[0];
    return path === undefined ? undefined : { keyword, name: path.replaceAll('`', ''), words, rest: text };
  }
  const name = /^`([^`]+)`|^[\p{L}\p{N}_$]+|^[!#%&*+\-/:<=>?@\\^|~]+/u.exec(text);
  if (name === null) return undefined;
  const rest = text.slice(name[0].length).trimStart();
  // Without a name of its own, or a pattern.
  const isNameless =
    (keyword === 'given' && !(/^[:[(]/u.test(rest) && rest.includes(':'))) ||
    (/^va[lr]$/u.test(keyword) && rest.startsWith('('));
  return { keyword, name: isNameless ? '' : (name[1] ?? name[0]), words, rest };
}

function withoutAnnotation(text: string): string {
  const name = /^@[\w.]+/u.exec(text)?.[0] ?? '@';
  const rest = text.slice(name.length);
  const end = rest.startsWith('(') ? rest.indexOf(')') + 1 : 0;
  return rest.slice(end > 0 || !rest.startsWith('(') ? end : rest.length).trimStart();
}

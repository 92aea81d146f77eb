/**
 * What a Kotlin file declares outside its types, line by line. This only chooses files; the parser reads them (RT-02).
 */
import type { Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import { eachLineBeginning, longestLine, longestName } from '../plain-reading.ts';
import type { Declarations } from './jvm-index.ts';

const limits = fixedLimits.projects.jvm;
/** Annotations and modifiers in front of a declaration. */
const mostWords = 16;
/** Of one declaration. */
const mostLines = 16;

const modifiers = new Set(
  `public internal expect actual final open abstract sealed const external override lateinit tailrec suspend inline
  infix operator data enum annotation value`.split(/\s+/u),
);

/** Formatters begin these declarations at the beginning of a line. What is inside a type is indented. */
export function* readKotlinDeclarations(text: string): Steps<readonly Declarations[]> {
  const plain = new Set<string>();
  const extensions = new Map<string, string>();
  let own = '';
  let facade: string | undefined;
  let begun = '';
  let lines = 0;
  yield* eachLineBeginning(text, longestLine, (read) => {
    const whole = begun === '' ? read : `${begun} ${read.trim()}`;
    lines = begun === '' ? 1 : lines + 1;
    begun = '';
    if (!/^[a-z@\uFEFF]/u.test(whole)) return true;
    const line = whole.replace(/^\uFEFF/u, '');
    if (own === '' && line.startsWith('package ')) own = nameOfPackage(line.slice('package '.length));
    facade ??= /^@file:JvmName\("(\w{1,200})"\)/u.exec(line)?.[1];
    const declared = declaredIn(line);
    if (declared && declared.name.length <= longestName) {
      if (declared.isExtension) extensions.set(declared.name, declared.name);
      else plain.add(declared.name);
    } else if (lines < mostLines && isContinued(line)) begun = line;
    return plain.size + extensions.size < limits.names;
  });
  return [{ package: own, facade, plain, extensions }];
}

/** Type parameters can be long, so formatters break lines inside and after them. */
function isContinued(line: string): boolean {
  const at = line.indexOf('fun <');
  return at >= 0 && line.length < longestLine && !line.includes('(', at);
}

function nameOfPackage(text: string): string {
  return (/^[\p{L}\p{N}_.`]+/u.exec(text.trimStart())?.[0] ?? '').replaceAll('`', '');
}

type Declared = { name: string; isExtension: boolean };

function declaredIn(line: string): Declared | undefined {
  let rest = line;
  for (let words = 0; words < mostWords; words += 1) {
    if (rest.startsWith('@')) {
      rest = withoutAnnotation(rest);
      continue;
    }
    const word = /^[a-z]+(?=[\s<(])/u.exec(rest)?.[0] ?? '';
    const after = rest.slice(word.length).trimStart();
    if (word === 'fun' && /^interface\s/u.test(after)) rest = after;
    else if (word === 'class' || word === 'interface' || word === 'object' || word === 'typealias')
      return typeIn(after);
    else if (word === 'fun') return memberIn(after, '(');
    else if (word === 'val' || word === 'var') return memberIn(after, ':=');
    else if (modifiers.has(word)) rest = after;
    else return undefined;
  }
  return undefined;
}

function withoutAnnotation(text: string): string {
  const name = /^@[\w.:]+/u.exec(text)?.[0] ?? '@';
  const rest = text.slice(name.length);
  return rest.slice(rest.startsWith('(') ? closingOf(rest) : 0).trimStart();
}

/** After the bracket that closes the one with which a text begins. The end if there is none. */
function closingOf(text: string): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const each = text[at] ?? '';
    if (each === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (opening.has(each)) depth += 1;
    // The `>` of `->` closes nothing.
    else if (closing.has(each) && !(each === '>' && text[at - 1] === '-')) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

const opening = new Set('(<[');
const closing = new Set(')>]');

function typeIn(text: string): Declared | undefined {
  const name = /^`?([\p{L}\p{N}_]+)/u.exec(text)?.[1];
  return name === undefined ? undefined : { name, isExtension: false };
}

/** `<T> Map<K, V>.name(`: the last name before one of `ends`, outside brackets. */
function memberIn(text: string, ends: string): Declared | undefined {
  let rest = text.startsWith('<') ? text.slice(closingOf(text)).trimStart() : text;
  // A receiver such as `(() -> Unit).name(`.
  let isExtension = false;
  for (let names = 0; names < mostWords; names += 1) {
    if (rest.startsWith('(')) rest = rest.slice(closingOf(rest));
    else {
      const name = /^`([^`]*)`|^[\p{L}\p{N}_]+/u.exec(rest);
      if (name === null) return undefined;
      rest = rest.slice(name[0].length);
      const next = rest.trimStart();
      const isLast = next === '' || ends.includes(next[0] ?? '') || /^(?:by|get)\b/u.test(next);
      if (isLast) return { name: name[1] ?? name[0], isExtension };
      if (rest.startsWith('<')) rest = rest.slice(closingOf(rest));
    }
    rest = rest.replace(/^\?/u, '').trimStart();
    if (!rest.startsWith('.')) return undefined;
    rest = rest.slice(1);
    isExtension = true;
  }
  return undefined;
}

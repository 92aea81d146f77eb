/** Finds tokens with a known form. Reads each character of a text at most once for each alphabet. */
import { alphabets, type SecretForm, secretForms } from './secret-forms.ts';

/** `start` and `end` count UTF-16 code units from 0. */
export type SecretSpan = Readonly<{ kind: string; start: number; end: number }>;

const dot = 46;

export function setOf(characters: string): Uint8Array {
  const set = new Uint8Array(128);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
}

const alphabetNames = Object.keys(alphabets) as (keyof typeof alphabets)[];
const sets = alphabetNames.map((name) => setOf(alphabets[name]));
const dotted = alphabetNames.indexOf('dotted');
const alphanumeric = setOf(alphabets.alphanumeric);
const hexadecimal = setOf(alphabets.hexadecimal);

type CompiledForm = Readonly<{
  kind: string;
  prefixLength: number;
  alphabet: number;
  min: number;
  max: number;
  isWeb: boolean;
  anywhere: boolean;
}>;

/**
 * The prefixes as a tree. `tree`: the next node for each node and character, or 0. `formsAt`: the forms of each node,
 * longest first.
 */
const width = 128;
const { tree, formsAt } = plantTree();

/** Whether a prefix begins with these two characters. This excludes most places of a text quickly. */
const pairs = new Uint8Array(width * width);
for (const { prefix } of secretForms) pairs[prefix.charCodeAt(0) * width + prefix.charCodeAt(1)] = 1;

function plantTree(): { tree: Uint16Array; formsAt: readonly (readonly CompiledForm[])[] } {
  const next: number[] = Array(width).fill(0);
  const forms: (readonly CompiledForm[])[] = [[]];
  for (const form of secretForms.toSorted((a, b) => a.prefix.length - b.prefix.length)) {
    let node = 0;
    for (const character of form.prefix) {
      const edge = node * width + character.charCodeAt(0);
      if (next[edge] === 0) {
        next[edge] = forms.length;
        next.push(...Array(width).fill(0));
        forms.push(forms[node] ?? []);
      }
      node = next[edge] ?? 0;
    }
    forms[node] = [compileForm(form), ...(forms[node] ?? [])];
  }
  return { tree: Uint16Array.from(next), formsAt: forms };
}

function compileForm(form: SecretForm): CompiledForm {
  const { kind, prefix, alphabet, min, max = Number.MAX_SAFE_INTEGER, isWeb = false, anywhere = false } = form;
  return { kind, prefixLength: prefix.length, alphabet: alphabetNames.indexOf(alphabet), min, max, isWeb, anywhere };
}

export function findTokens(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const readToken = createReader(text);
  let next = text.charCodeAt(0);
  for (let at = 0; at < text.length - 1; at += 1) {
    const code = next;
    next = text.charCodeAt(at + 1);
    if (code >= width || next >= width || pairs[code * width + next] === 0) continue;
    const deepest = deepestNode(text, at);
    const forms = formsAt[deepest] as readonly CompiledForm[];
    const token = forms.length === 0 ? undefined : readToken(at, forms);
    if (token === undefined) continue;
    spans.push(token);
    at = token.end - 1;
    next = text.charCodeAt(token.end);
  }
  return spans;
}

/** The node of the longest prefix, or part of a prefix, at `start`. */
function deepestNode(text: string, start: number): number {
  let deepest = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const node = code < width ? (tree[deepest * width + code] as number) : 0;
    if (node === 0) break;
    deepest = node;
  }
  return deepest;
}

/** Remembers where the characters of each alphabet end, and where the dots are, so that nothing is read again. */
function createReader(text: string): (start: number, forms: readonly CompiledForm[]) => SecretSpan | undefined {
  const runStarts = sets.map(() => 0);
  const runEnds = sets.map(() => -1);
  let dots = { start: 0, first: -1, second: -1, third: -1 };

  const endOf = (alphabet: number, start: number): number => {
    const known = runEnds[alphabet] as number;
    if (start <= known && start >= (runStarts[alphabet] as number)) return known;
    const characters = sets[alphabet] as Uint8Array;
    let end = start;
    while (end < text.length && characters[text.charCodeAt(end)] === 1) end += 1;
    // A dot at the end belongs to the sentence.
    if (alphabet === dotted) while (end > start && text.charCodeAt(end - 1) === dot) end -= 1;
    runStarts[alphabet] = start;
    runEnds[alphabet] = end;
    return end;
  };
  const nextDot = (from: number, limit: number): number => {
    let at = from;
    while (at < limit && text.charCodeAt(at) !== dot) at += 1;
    return Math.min(at, limit);
  };
  /** Whether it has three parts, of which the second is JSON too. */
  const isWebToken = (start: number, end: number): boolean => {
    if (start > dots.first || start < dots.start) {
      const isNext = start >= dots.start && start <= dots.second;
      const first = isNext ? dots.second : nextDot(start, end);
      const second = isNext ? dots.third : nextDot(first + 1, end);
      dots = { start, first, second, third: nextDot(second + 1, end) };
    }
    const { first, second, third } = dots;
    return text.startsWith('eyJ', first + 1) && end - second > 10 && third === end;
  };

  return (start, forms) => {
    for (const { kind, prefixLength, alphabet, min, max, isWeb, anywhere } of forms) {
      const body = start + prefixLength;
      const end = endOf(alphabet, body);
      if (end - body < min || end - body > max) continue;
      if (!anywhere && !isBeginning(text, start)) continue;
      if (isWeb && !isWebToken(start, end)) continue;
      if (!isOneCharacter(text, body, end)) return { kind, start, end };
    }
    return undefined;
  };
}

/**
 * Whether a word can begin at `at`. The letters of an escape before it (`\n`, `\u0022`, `%3D`) are another character.
 */
function isBeginning(text: string, at: number): boolean {
  if (alphanumeric[text.charCodeAt(at - 1)] !== 1) return true;
  if (text[at - 2] === '\\') return 'abefnrtv0'.includes(text[at - 1] as string);
  const digits = hexadecimalBefore(text, at);
  const mark = (length: number, sign: string): boolean => digits >= length && text.endsWith(sign, at - length);
  return mark(2, '%') || mark(2, '\\x') || mark(4, '\\u');
}

function hexadecimalBefore(text: string, at: number): number {
  let count = 0;
  while (count < 4 && hexadecimal[text.charCodeAt(at - count - 1)] === 1) count += 1;
  return count;
}

/** Whether it is one repeated character, such as `xxxx…`, which is a placeholder. */
export function isOneCharacter(text: string, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at += 1) if (text[at] !== text[start]) return false;
  return true;
}

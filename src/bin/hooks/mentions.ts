/** The files that a prompt mentions with `@`. */
import { ContextdError } from '../../errors.ts';
import type { Steps } from '../../pace/turns.ts';

/** Per prompt. More would take too long to check. */
const maxMentions = 16_384;
const longestMention = 4_096;
const mentionsPerStep = 64;
const maxEndings = 8;
/** Characters that end a sentence. In some tools they end a mention, too. */
const endings = ',;:!?()[]{}\'"#.';
/** The same, without those that are in most names. */
const ending = /[,;:!?()[\]{}'"#]/gu;

/**
 * The words after `@`, in every way in which a tool may read them: with and without characters that may end a path, and
 * with escaped characters. `inWords`: whether an `@` in a word counts, as in an e-mail address. Throws
 * `invalid_request` if there are too many.
 */
export function* mentionsIn(prompt: string, { inWords = false }: { inWords?: boolean } = {}): Steps<string[]> {
  const found = new Set<string>();
  let mentions = 0;
  for (let at = prompt.indexOf('@'); at >= 0; at = prompt.indexOf('@', at + 1)) {
    if (!inWords && /[\w.]/u.test(prompt[at - 1] ?? ' ')) continue;
    mentions += 1;
    if (mentions % mentionsPerStep === 0) yield;
    if (mentions > maxMentions)
      throw new ContextdError('invalid_request', `The prompt has more than ${maxMentions} mentions with @.`);
    for (const name of namesOf(prompt.slice(at + 1, at + 1 + longestMention))) found.add(name);
  }
  return [...found];
}

/** `rest` is what follows an `@`. */
function namesOf(rest: string): string[] {
  const quote = rest[0] ?? '';
  const quoted = quote === '"' || quote === "'" ? rest.slice(1).split(quote, 1)[0] : undefined;
  const [word = ''] = quoted === undefined ? rest.split(/\s/u, 1) : [quoted];
  const names = [word, ...(quoted === undefined ? withoutEndings(word) : [])];
  const hash = word.indexOf('#');
  if (hash > 0) names.push(word.slice(0, hash));
  if (rest.includes('\\')) names.push(...unescaped(rest));
  return names.filter((name) => name !== '');
}

/** The word, cut at the first few and the last few places where a path may end. */
function withoutEndings(word: string): string[] {
  const names: string[] = [];
  let shorter = word;
  for (let left = maxEndings; left > 0 && endings.includes(shorter.at(-1) ?? ' '); left -= 1) {
    shorter = shorter.slice(0, -1);
    names.push(shorter);
  }
  for (const { index } of shorter.matchAll(ending)) {
    if (names.length >= 2 * maxEndings) break;
    if (index > 0) names.push(shorter.slice(0, index));
  }
  return names;
}

/** The first word, in which a backslash escapes the next character. */
function unescaped(rest: string): string[] {
  const word = (/^(?:\\[\s\S]|[^\s\\]){0,4096}/.exec(rest)?.[0] ?? '').replaceAll(/\\([\s\S])/gu, '$1');
  return [word, ...withoutEndings(word)];
}

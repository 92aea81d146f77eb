/** What a prompt mentions with `@`. */

const mostMentions = 256;
const longestMention = 4_096;
const mostEndings = 8;
/** What ends a sentence and not a path. */
const endings = /[.,;:!?)\]}'"]$/u;

/** The words after `@`, as they may be meant: with and without what ends a sentence, and without lines (`#L10-20`). */
export function mentionsIn(prompt: string): string[] {
  const found = new Set<string>();
  for (let at = prompt.indexOf('@'); at >= 0 && found.size < mostMentions; at = prompt.indexOf('@', at + 1)) {
    // Not what is in a word, as in an address.
    if (/[\w.]/u.test(prompt[at - 1] ?? ' ')) continue;
    for (const name of namesOf(prompt.slice(at + 1, at + 1 + longestMention))) found.add(name);
  }
  return [...found];
}

/** `rest` is what follows an `@`. */
function namesOf(rest: string): string[] {
  const quoted = rest.startsWith('"') ? rest.slice(1).split('"', 1)[0] : undefined;
  const [word = ''] = quoted === undefined ? rest.split(/\s/u, 1) : [quoted];
  const names = [word];
  let shorter = word;
  for (let left = mostEndings; left > 0 && quoted === undefined && endings.test(shorter); left -= 1) {
    shorter = shorter.slice(0, -1);
    names.push(shorter);
  }
  const hash = word.indexOf('#');
  if (hash > 0) names.push(word.slice(0, hash));
  return names.filter((name) => name !== '');
}

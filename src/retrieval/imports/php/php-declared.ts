/**
 * Reads the names that a PHP file declares, to learn whether a file is the right one. The parser reads the file itself.
 */
import type { Steps } from '../../../pace/turns.ts';
import { afterLast } from '../../../texts/after-last.ts';
import { allMatches, withoutComments } from '../plain-reading.ts';

const declarations =
  /(?<![\w\\])namespace\s{1,9}([\w\\]{1,500})\s{0,9}[;{]|\b(?:class|interface|trait|enum)\s{1,9}(\w{1,200})|\b((?:public|protected|private|static|abstract|final)\s{1,9})?function\s{1,9}&?(\w{1,200})\s{0,9}\(|\bconst\s{1,9}(\w{1,200})\s{0,9}=|\bdefine\(\s{0,9}["']([\w\\]{1,500})["']/gu;

/** In lower case. `types`, `others`: full names of classes, and of functions outside classes and constants. */
type DeclaredNames = Readonly<{
  types: ReadonlySet<string>;
  others: ReadonlySet<string>;
  /** All of them without their namespaces. */
  short: ReadonlySet<string>;
}>;

export function* readDeclaredNames(text: string): Steps<DeclaredNames> {
  const code = withoutComments(text);
  yield;
  const names = { types: new Set<string>(), others: new Set<string>(), short: new Set<string>() };
  let prefix = '';
  const add = (kind: 'types' | 'others', name: string, before = prefix): void => {
    names[kind].add(`${before}${name.toLowerCase()}`);
    names.short.add(afterLast(name, '\\').toLowerCase());
  };
  for (const match of yield* allMatches(code, declarations)) {
    const [, namespace, type, modifier, called, constant, defined] = match;
    if (namespace) prefix = `${namespace.toLowerCase()}\\`;
    if (type) add('types', type);
    if (called && !modifier) add('others', called);
    if (constant) add('others', constant);
    if (defined) add('others', defined, '');
  }
  return names;
}

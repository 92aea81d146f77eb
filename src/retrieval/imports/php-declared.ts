/** Reads the names that a PHP file declares, to learn whether a file is the right one. The parser reads the file itself. */
import type { Steps } from '../../pace/turns.ts';
import { allMatches, withoutComments } from './places.ts';

const declarations =
  /(?<![\w\\])namespace\s{1,9}([\w\\]{1,500})\s{0,9}[;{]|\b(?:class|interface|trait|enum)\s{1,9}(\w{1,200})|\b((?:public|protected|private|static|abstract|final)\s{1,9})?function\s{1,9}&?(\w{1,200})\s{0,9}\(|\bconst\s{1,9}(\w{1,200})\s{0,9}=|\bdefine\(\s{0,9}["']([\w\\]{1,500})["']/gu;

/** Full names in lower case: classes, functions outside classes, and constants. */
export type DeclaredNames = Readonly<{ types: ReadonlySet<string>; others: ReadonlySet<string> }>;

export function* readDeclaredNames(text: string): Steps<DeclaredNames> {
  const code = withoutComments(text);
  yield;
  const types = new Set<string>();
  const others = new Set<string>();
  let prefix = '';
  for (const match of yield* allMatches(code, declarations)) {
    const [, namespace, type, modifier, called, constant, defined] = match;
    if (namespace) prefix = `${namespace.toLowerCase()}\\`;
    if (type) types.add(`${prefix}${type.toLowerCase()}`);
    if (called && !modifier) others.add(`${prefix}${called.toLowerCase()}`);
    if (constant) others.add(`${prefix}${constant.toLowerCase()}`);
    if (defined) others.add(defined.toLowerCase());
  }
  return { types, others };
}

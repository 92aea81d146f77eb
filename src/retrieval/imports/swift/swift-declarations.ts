/** What a Swift file declares, line by line. This only chooses files; the parser reads their definitions (RT-02). */
import type { Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import { eachLineBeginning, longestLine, longestName } from '../plain-reading.ts';

const limits = fixedLimits.projects.swift;
/** Other words of a line are not looked at. */
const maxWords = 10;

export type SwiftDeclarations = Readonly<{
  /** Types, also those in extensions, and functions and variables outside types: by their names, the definitions. */
  names: readonly Readonly<{ name: string; definition: string }>[];
  /** Functions and variables in extensions: the type, and the name of the member. */
  members: readonly Readonly<{ type: string; name: string }>[];
}>;

const types = new Set(['class', 'struct', 'enum', 'protocol', 'actor', 'typealias', 'macro']);
const others = new Set(['func', 'let', 'var']);
/** Types without braces. */
const endsInLine = new Set(['typealias', 'macro']);
/** A bracket at the end, or before a comment. */
const closed = /\}(?:\s{0,40}\/\/|\s{0,40}$)/u;

/** Formatters write declarations without indentation, and members of extensions with one level of it. */
export function* readSwiftDeclarations(text: string): Steps<SwiftDeclarations> {
  const names: { name: string; definition: string }[] = [];
  const members: { type: string; name: string }[] = [];
  let extension = '';
  let level = 0;
  /** The indentation of code outside types. It grows inside `#if`, if the formatter indents it. */
  let outer = 0;
  let isConditional = false;
  /** Whether a declaration is not closed yet. There, a condition of the compiler can begin its line, too. */
  let isInside = false;
  yield* eachLineBeginning(text, longestLine, (line) => {
    const code = line.trimStart();
    const indentation = line.length - code.length;
    if (code.startsWith('}') && indentation <= outer) isInside = false;
    if (code.startsWith('#if') && indentation === outer && !isInside) isConditional = true;
    if (code.startsWith('#endif') && indentation < outer) outer = indentation;
    if (!/^[@\p{L}]/u.test(code)) return true;
    if (isConditional) outer = Math.max(outer, indentation);
    isConditional = false;
    if (/^import\b/u.test(code)) return true;
    const declared = declaredIn(code);
    if (declared === undefined) return true;
    const { kind, name, isHidden } = declared;
    if (indentation <= outer) {
      extension = kind === 'extension' && !isHidden ? name : '';
      level = 0;
      isInside =
        (others.has(kind) ? code.includes('{') || kind === 'func' : !endsInLine.has(kind)) && !closed.test(code);
      if (kind !== 'extension' && !isHidden) names.push({ name, definition: name });
    } else if (extension !== '') {
      // The member that is least indented says how much one level is.
      level = level === 0 ? indentation : Math.min(level, indentation);
      if (indentation !== level || isHidden) return true;
      if (others.has(kind)) members.push({ type: extension, name });
      else if (kind !== 'typealias') names.push({ name, definition: `extension ${extension}.${name}` });
    }
    return names.length + members.length < limits.names;
  });
  return { names, members };
}

/** `@objc(Name)`, `@available(iOS 13.0, *)`. */
const attributes = /^(?:@[\p{L}_]{1,40}(?:\([^()]{0,100}\))?[ \t]{1,9}){1,9}/u;

/** `public static func name(…)`: what it is, and its name. `isHidden`: other files do not see it. */
function declaredIn(code: string): { kind: string; name: string; isHidden: boolean } | undefined {
  const words = code.replace(attributes, '').split(/[\s<(:{=]+/u, maxWords);
  const at = words.findIndex((word) => types.has(word) || others.has(word) || word === 'extension');
  // `class func` and `class var` are members.
  const place = words[at] === 'class' && others.has(words[at + 1] ?? '') ? at + 1 : at;
  const kind = words[place];
  const name = words[place + 1]?.replaceAll('`', '') ?? '';
  if (kind === undefined || !/^[\p{L}_]/u.test(name) || name.length > longestName) return undefined;
  const before = words.slice(0, place);
  return before.every((word) => /^(?:@?\p{L}+|\p{L}+\)|set\))$/u.test(word))
    ? {
        kind,
        name,
        isHidden: before.some((word) => word === 'private' || word === 'fileprivate') && !before.includes('set)'),
      }
    : undefined;
}

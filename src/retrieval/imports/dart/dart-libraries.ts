/**
 * What a Dart file declares and which directives it has, line by line. This only chooses files; the parser reads their
 * definitions (RT-02).
 */
import type { Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import { eachLineBeginning, listOf, longestLine, longestName, nameBefore, quotedIn } from '../plain-reading.ts';

const limits = fixedLimits.projects.dart;
const longestDirective = 4_000;

export type DartDirective = Readonly<{
  kind: 'import' | 'export' | 'part' | 'part of';
  /** Of `part of`, the name of the library can take its place. */
  uris: readonly string[];
  hasPrefix: boolean;
  /** Undefined if everything is visible. */
  show: ReadonlySet<string> | undefined;
  hide: ReadonlySet<string>;
}>;

export type DartFile = Readonly<{
  directives: readonly DartDirective[];
  /** By the names that code uses, `.name` for members of extensions: the names of the definitions. */
  declared: ReadonlyMap<string, readonly string[]>;
}>;

/** Formatters write declarations without indentation, and members of extensions with two spaces. */
export function* readDartFile(text: string): Steps<DartFile> {
  const directives: DartDirective[] = [];
  const declared = new Map<string, string[]>();
  let left = limits.names;
  const declare = (name: string | undefined, definition = name): void => {
    if (name === undefined || definition === undefined || definition.length > longestName) return;
    left -= 1;
    const definitions = listOf(declared, name);
    if (definitions.length < limits.sameName) definitions.push(definition);
  };
  /** A directive whose end is in another line. */
  let open = '';
  let extension = '';
  yield* eachLineBeginning(text, longestLine, (whole) => {
    const line = whole.trimEnd();
    if (open !== '' || isDirective(line)) {
      open += `${line} `;
      if (!line.includes(';') && open.length < longestDirective) return true;
      if (directives.length < limits.directives) directives.push(readDirective(open));
      open = '';
      return true;
    }
    const [indentation = ''] = /^ {0,3}/u.exec(line) ?? [];
    const code = line.slice(indentation.length);
    if (indentation === '') {
      if (/^(?!library\b)[\p{L}_$(]/u.test(code)) {
        const type = typeIn(code);
        extension = type?.isExtension ? type.name : '';
        declare(type?.name ?? declaredIn(code));
      }
    } else if (extension !== '' && indentation.length === 2 && /^[\p{L}_$(]/u.test(code)) {
      const member = declaredIn(code);
      if (member !== undefined) declare(`.${member}`, `${extension}.${member}`);
    }
    return left > 0;
  });
  return { directives, declared };
}

function isDirective(line: string): boolean {
  return /^(?:import|export|part|part of)\s+["']|^part of [\w.$]{1,200};/u.test(line);
}

function readDirective(text: string): DartDirective {
  const code = text.slice(0, text.includes(';') ? text.indexOf(';') : undefined);
  const isPartOf = /^part\s+of\s/u.test(code);
  // In the condition of a URI, another text can be compared.
  const uris = quotedIn([code]).filter((uri, at) => at === 0 || uri.endsWith('.dart') || uri.startsWith('dart:'));
  const words = code.slice(code.search(/["'][^"']*$/u) + 1).split(/[\s,]+/u);
  const [kind = ''] = code.split(/\s/u, 1);
  if (isPartOf && uris.length === 0) uris.push(words[2] ?? '');
  return {
    kind: isPartOf ? 'part of' : (kind as DartDirective['kind']),
    uris,
    hasPrefix: words.includes('as'),
    show: words.includes('show') ? namesAfter(words, 'show') : undefined,
    hide: namesAfter(words, 'hide'),
  };
}

function namesAfter(words: readonly string[], word: string): Set<string> {
  const names = new Set<string>();
  let isAfter = false;
  for (const each of words) {
    if (each === 'show' || each === 'hide' || each === 'as') isAfter = each === word;
    else if (isAfter && each !== '') names.add(each);
  }
  return names;
}

/** `abstract base class A`, `mixin A`, `extension type A`, `typedef A = …`. An extension can have no name. */
function typeIn(code: string): { name: string; isExtension: boolean } | undefined {
  const words = code.split(/[\s.<>({=;]+/u, 16);
  const at = words.findIndex((word) => !modifiers.has(word));
  const [kind = '', ...rest] = words.slice(at);
  const [name = '', second = '', third = ''] = rest;
  const isExtension = kind === 'extension' && name !== 'type';
  const hasName = name !== 'on' && !/^extension\s?</u.test(code);
  if (isExtension) return { name: hasName ? name : `extension on ${words[words.indexOf('on') + 1]}`, isExtension };
  if (kind === 'extension') return { name: second === 'const' ? third : second, isExtension };
  if (kind === 'class' || kind === 'enum' || (kind === 'typedef' && (code.includes('=') || !code.includes('('))))
    return { name, isExtension };
  // Of `mixin class A`, `mixin` is a modifier.
  return at > 0 && words[at - 1] === 'mixin' ? { name: kind, isExtension } : undefined;
}

const modifiers = new Set(['abstract', 'base', 'final', 'interface', 'sealed', 'mixin', 'augment']);

/** The name of a function or variable: the last one before its parameters, value or body. */
function declaredIn(code: string): string | undefined {
  const head = code.replace(/^typedef\s/u, '').replace(/^\([^()]*\)\??\s/u, '');
  const end = head.search(/[({=;]/u);
  const name = nameBefore(end < 0 ? head : head.slice(0, end));
  return name === undefined || /^\d/u.test(name) ? undefined : name;
}

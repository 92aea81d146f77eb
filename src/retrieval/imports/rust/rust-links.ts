/** Where the text of a Rust file leads, other than to submodules (RT-02). */

import type { Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import { allMatches, eachLineBeginning, listOf, namesIn } from '../plain-reading.ts';

const limits = fixedLimits.projects.rust;

type Links = {
  mentioned: ReadonlySet<string>;
  items: ReadonlySet<string>;
  functions: ReadonlySet<string>;
  modules: ReadonlySet<string>;
  /** Modules with their own files. */
  files: readonly string[];
  macros: ReadonlySet<string>;
  /** What others may use: items that begin a line. Methods are among them. */
  offered: ReadonlySet<string>;
  aliases: ReadonlyMap<string, readonly string[]>;
  /** Modules whose whole content is visible here, each once; where this module is imported, only if it `isPublic`. */
  globs: readonly { segments: readonly string[]; isPublic: boolean }[];
  paths: ReadonlyMap<string, readonly string[]>;
};

/** This only guides the search; the parser finds definitions. */
export function* readLinks(text: string): Steps<Links> {
  const all = (pattern: RegExp): Steps<string[][]> => allMatches(text, pattern);
  const names = (pattern: RegExp): Steps<Set<string>> => namesIn(text, pattern);
  const crates = yield* all(/\bextern\s+crate\s+(\p{XIDC}+)(?:\s+as\s+(\p{XIDC}+))?\s*;/gu);
  const uses = yield* all(/\buse\s+(?:::)?((?:\p{XIDC}+::)*\p{XIDC}+)(?:\s+as\s+(\p{XIDC}+))?\s*;/gu);
  const aliases = new Map<string, string[]>();
  for (const [, path = '', alias = ''] of [...crates, ...uses]) {
    const segments = path.split('::');
    const name = alias || (segments.at(-1) ?? '');
    aliases.set(name, segments);
  }
  yield;
  const globs = new Map<string, boolean>();
  for (const [, pub = '', path = ''] of yield* all(
    /(\bpub(?:\([\w: ]{1,60}\))?\s{1,20})?\buse\s+(?:::)?((?:\p{XIDC}+::)+)\*\s*;/gu,
  ))
    globs.set(path, globs.get(path) === true || pub !== '');
  yield;
  return {
    mentioned: yield* names(/\p{XIDC}+/gu),
    items: yield* names(/\b(?:enum|struct|mod|trait|union)\s+(\p{XIDC}+)/gu),
    functions: yield* names(/\bfn\s+(\p{XIDC}+)/gu),
    modules: yield* names(/\bmod\s+(\p{XIDC}+)\s*\{/gu),
    files: [...(yield* names(/\bmod\s+(\p{XIDC}+)\s*;/gu))],
    macros: yield* names(/\bmacro_rules ?!\s*(\p{XIDC}+)/gu),
    offered: yield* names(
      /^[ \t]{0,40}pub(?:\([\w: ]{1,60}\))?[ \t]{1,9}(?:async[ \t]{1,9}|unsafe[ \t]{1,9}|extern[ \t]{1,9}(?:"[^"\n]{0,20}"[ \t]{1,9})?|const[ \t]{1,9}(?=(?:async|unsafe|extern|fn)[ \t])){0,4}(?:fn|struct|enum|trait|type|union|const|static(?:[ \t]{1,9}mut)?)[ \t]{1,9}(?:r#)?(\p{XIDC}+)/gmu,
    ),
    aliases,
    globs: [...globs].map(([path, isPublic]) => ({ segments: path.split('::').filter(Boolean), isPublic })),
    paths: readPaths(text),
  };
}

type Given = { toAll: ReadonlySet<string>; toModulesBelow: ReadonlySet<string> };

/**
 * The names that a module can give to one that imports all of it. Whatever stands in a macro between items can be an
 * item. A module below sees also what is not public.
 */
export function* readGiven(text: string): Steps<Given> {
  const toAll = new Set<string>();
  const toModulesBelow = new Set<string>();
  let isInside: 'use' | 'pub use' | 'macro' | undefined;
  /** Whether a `pub use` inside a macro is not closed yet. */
  let isOpen = false;
  yield* eachLineBeginning(text, longestLine, (line) => {
    const code = line.split('//', 1)[0] ?? '';
    const isPublic = /^\s{0,40}pub\b/u.test(code);
    if (isInside === undefined && /^\s{0,40}(?:pub(?:\([\w: ]{1,60}\))?\s{1,20})?use\s/u.test(code))
      isInside = isPublic ? 'pub use' : 'use';
    const isMacro = isInside === undefined && /^(?:\p{XIDC}{1,80}::){0,8}(?!macro_rules)\p{XIDC}{1,80}!/u.test(code);
    if (isMacro && !/[)}\]];?\s{0,40}$/u.test(code)) isInside = 'macro';
    for (const [, name = ''] of code.matchAll(declaring)) (isPublic ? toAll : toModulesBelow).add(name);
    const isPassedOn =
      isInside === 'pub use' || (isInside === 'macro' && (isOpen || (isPublic && /\suse\s/u.test(code))));
    if (isMacro || isPassedOn) for (const [name] of code.matchAll(/\p{XIDC}{1,200}/gu)) toAll.add(name);
    else if (isInside === 'use') for (const [name] of code.matchAll(/\p{XIDC}{1,200}/gu)) toModulesBelow.add(name);
    else {
      const begins = isInside === 'macro' ? /^\s{0,40}(?:pub\s{1,20})?(\p{XIDC}{1,200})/u.exec(code)?.[1] : undefined;
      if (begins) toAll.add(begins);
    }
    if (isInside === 'macro' ? /^[)}\]]/u.test(code) : code.includes(';')) isInside = undefined;
    isOpen = isInside === 'macro' && isPassedOn && !code.includes(';');
    return true;
  });
  return { toAll, toModulesBelow };
}

/** Max characters of a line in which names are looked for. */
const longestLine = 20_000;
const declaring =
  /\b(?:fn|struct|enum|trait|type|union|const(?!\s{1,20}(?:fn|unsafe|async|extern)\b)|static(?:\s{1,20}(?:mut|ref))?|mod|macro_rules!)\s{1,20}(?:r#)?(\p{XIDC}{1,200})/gu;

/** Max characters after a `#[path]` attribute until its module. */
const longestHead = 1_000;

/** Reads `#[path = "a/b.rs"] mod c;`. */
function readPaths(text: string): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  let left = limits.paths;
  for (const { index, 0: attribute, 1: path = '' } of text.matchAll(/#\[path\s*=\s*"([^"]+)"\]/gu)) {
    const start = index + attribute.length;
    const name = moduleAfter(text.slice(start, start + longestHead));
    if (name !== undefined) listOf(paths, name).push(path);
    left -= 1;
    if (left === 0) break;
  }
  return paths;
}

/** The name of the module after the attributes at the beginning of a text. */
function moduleAfter(text: string): string | undefined {
  let rest = text.trimStart();
  while (rest.startsWith('#[') && rest.includes(']')) rest = rest.slice(rest.indexOf(']') + 1).trimStart();
  return /^(?:pub(?:\([^)]*\))?\s+)?mod\s+(\p{XIDC}+)\s*;/u.exec(rest)?.[1];
}

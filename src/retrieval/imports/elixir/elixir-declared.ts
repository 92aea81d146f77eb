/** What an Elixir file defines and imports, read without a parser (RT-02). */
import type { Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import { afterLast } from '../../../texts/after-last.ts';
import { closeScopes, eachLine, longestLine, qualified } from '../plain-reading.ts';

const limits = fixedLimits.projects.elixir;

/**
 * `modules`: what each defines. `given`: what files that `use` this one get: imported modules, and others by their
 * names.
 */
type ElixirDeclared = Readonly<{
  modules: ReadonlyMap<string, ReadonlySet<string>>;
  imports: readonly string[];
  aliases: ReadonlyMap<string, string>;
}>;

const longestDirective = 4_000;
const openDirective = /^(?:import|alias|use) [A-Z][\w.]*\{/u;
const module = /^(?:defmodule|defprotocol)[ (] ?([A-Z][\w.]*)/u;
const definition = /^def(?:macro|guard|delegate|n)?[ (] ?([a-z_]\w*[?!]?)/u;
const type = /^@(?:type|opaque|callback|macrocallback) ([a-z_]\w*[?!]?)/u;
const struct = /^(?:defstruct|defexception|typedstruct|typed_schema)\b|^(?:embedded_)?schema(?: do|[ (]")/u;
const directive = /^(import|alias|use)[ (] ?([A-Z]\w*(?:\.[A-Z]\w*)*)(\.\{[^}]*\})?(?:, ?as: ?([A-Z]\w*))?/u;

/** The indentation says which module is inside which. */
export function* readElixirDeclared(text: string): Steps<ElixirDeclared> {
  const modules = new Map<string, Set<string>>();
  const imports: string[] = [];
  const aliases = new Map<string, string>();
  const around: { indentation: number; name: string }[] = [];
  let isInText = false;
  let names = 0;
  /** A directive whose braces go over several lines. */
  let opened = '';
  yield* eachLine(text, (line) => {
    const isQuoted = isInText;
    if (line.split('"""', 3).length === 2) isInText = !isInText;
    if (isQuoted || line.length > longestLine) return true;
    const code = `${opened}${line.trim()}`;
    opened = openDirective.test(code) && !code.includes('}') && code.length < longestDirective ? code : '';
    if (opened !== '') return true;
    const indentation = line.length - line.trimStart().length;
    const [, inside] = module.exec(code) ?? [];
    if (inside !== undefined && modules.size < limits.modules) {
      closeScopes(around, indentation);
      const owner = around.at(-1);
      const name = qualified(owner?.name ?? '', inside);
      around.push({ indentation, name });
      modules.set(name, modules.get(name) ?? new Set());
      return true;
    }
    if (code === 'end') closeScopes(around, indentation);
    const given = imports.length + aliases.size < limits.modules ? directiveIn(code) : undefined;
    if (given?.kind === 'alias') for (const each of given.modules) aliases.set(given.as ?? afterLast(each, '.'), each);
    else if (given) imports.push(...given.modules);
    const name = definedIn(code);
    const owner = around.at(-1);
    // What is further inside is in a macro, for the modules that use it.
    const isOfOwner = owner !== undefined && indentation <= owner.indentation + 4;
    if (name !== undefined && isOfOwner && names < limits.names) {
      modules.get(owner.name)?.add(name);
      names += 1;
    }
    return true;
  });
  return { modules, imports, aliases };
}

/** `alias A.{B, C}`: the modules `A.B` and `A.C`. */
function directiveIn(code: string): { kind: string; modules: string[]; as: string | undefined } | undefined {
  const [, kind, given = '', several, as] = directive.exec(code) ?? [];
  if (kind === undefined) return undefined;
  const names = several?.slice(2, -1).split(',');
  return { kind, modules: names?.map((each) => `${given}.${each.trim()}`) ?? [given], as };
}

function definedIn(code: string): string | undefined {
  if (struct.test(code)) return '__struct__';
  if (code.startsWith('using ')) return '__using__';
  const name = (definition.exec(code) ?? type.exec(code))?.[1];
  return name === 'unquote' ? undefined : name;
}

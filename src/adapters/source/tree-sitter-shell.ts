/** Shell: files that a script sources or runs, what it uses of them, and its functions and variables (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { childrenOf, type Grammar, lineOf, onceForFile, usedExcept } from './tree-sitter-grammar.ts';
import { pathsOf, shellcheckSource } from './tree-sitter-shell-paths.ts';

/**
 * Forms: `source` (also `.`, and `load` of bats), `run` for a script that is started. A specifier begins with `$` if it
 * is not known what the variable in front holds. Names are the commands and variables that the file uses, but does not
 * define itself; a script that is started shares none.
 */
export const shell: Grammar = {
  wasm: '@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm',
  query: `
    ((command name: (command_name) @method) @import (#any-of? @method "source" "." "\\\\." "load" "bash" "sh"))
    (command name: (command_name [(string) (concatenation)])) @import
    ((command name: (command_name (word) @method)) @import (#match? @method "^[.]{0,2}/"))
    (function_definition name: (word) @name) @definition
    (variable_assignment name: (variable_name) @name) @definition
    (declaration_command (variable_assignment name: (variable_name) @name)) @definition
    (declaration_command ["declare" "typeset"] (variable_name) @name) @definition
    (command_name (word) @used)
    (variable_name) @used
    ((command argument: (word) @used) (#match? @used "[A-Za-z0-9](?:_|::?)[A-Za-z]"))
    ((command name: (command_name) @method . argument: (word) @used) (#any-of? @method "run" "trap" "type"))
    ([(function_definition name: (word) @used)
      (variable_assignment name: (variable_name) @used)
      (for_statement variable: (variable_name) @used)
      (declaration_command ["local" "declare" "typeset"] (variable_name) @used)] (#set! of "declared"))
    (comment) @preceding`,
  // The grammar takes long for many null characters.
  prepare: (text) => text.replaceAll('\0', ' ').split('\n').map(readable).join('\n'),
  readImport(node, used): ImportStatement[] {
    const { form, specifiers } = read(node);
    const names = form === 'run' ? [] : namesIn(used);
    return specifiers.map((specifier) => ({ specifier, names, line: lineOf(node), form }));
  },
  readExports(node) {
    const { form, specifiers } = read(node);
    if (form === 'run') return [];
    return specifiers.map((specifier) => ({ name: '*', local: '*', specifier, line: lineOf(node) }));
  },
  // Tests of bats have no names. In `A=1 make`, only the command knows the variable.
  readName(name, definition) {
    const isHidden = name.text === '@test' || definition.parent?.type === 'command';
    return isHidden ? undefined : name.text;
  },
  findDocumentation: findBeginning,
};

/**
 * A line as the grammar can read it. It takes `@test "adds" {` for a call, and `\cd`, which is `cd` whatever alias
 * there is, for a part of the line before.
 */
function readable(line: string): string {
  const code = line.trim();
  const at = line.indexOf(code);
  if (/^\\[.a-z]/u.test(code)) return `${line.slice(0, at)} ${line.slice(at + 1)}`;
  const end = at + code.length - 1;
  const head = `${line.slice(0, at)}@test()`;
  const isTest = code.startsWith('@test ') && code.endsWith('{') && end > head.length;
  return isTest ? head.padEnd(end) + line.slice(end) : line;
}

function read(node: Node): { form: 'source' | 'run'; specifiers: readonly string[] } {
  const name = node.childForFieldName('name');
  const given = childrenOf(node, 'argument').filter(({ text }) => text !== '--');
  const called = name?.text.replace(/^\\/u, '') ?? '';
  if (called === 'source' || called === '.' || called === 'load') {
    const [first] = given;
    if (first === undefined || first.type === 'process_substitution') return { form: 'source', specifiers: [] };
    const told = shellcheckSource(node);
    return { form: 'source', specifiers: told === undefined ? pathsOf(first) : [told] };
  }
  const isShell = called === 'bash' || called === 'sh';
  const script = isShell ? given.find(({ text }) => !/^[-+]/u.test(text)) : name;
  const paths = script ? pathsOf(script) : [];
  return { form: 'run', specifiers: paths.filter((path) => /\.(?:sh|bash)$/u.test(path)) };
}

/** Variables that every shell has, and scripts change. */
const known = new Set(
  `PATH HOME PWD OLDPWD USER SHELL IFS LANG LC_ALL TERM EDITOR TMPDIR BASH_SOURCE BASH_VERSION FUNCNAME LINENO OPTARG OPTIND
  RANDOM SECONDS REPLY PS1 UID EUID HOSTNAME`.split(/\s+/u),
);

const namesIn = onceForFile((used) => {
  return usedExcept(used, 'declared').filter((name) => !known.has(name) && /^[A-Za-z_]/u.test(name));
});

/**
 * The beginning of a function: its first lines, and all variables before its other commands. They are often its
 * parameters.
 */
function findBeginning(body: Node): Node | undefined {
  const children = childrenOf(body).slice(0, mostVariables);
  const end = children.findIndex(({ type }) => !variables.has(type));
  const last = body.startPosition.row + firstLines;
  return children.findLast(
    ({ type, endPosition }, at) => type !== 'comment' && (endPosition.row <= last || end < 0 || at < end),
  );
}

const mostVariables = 20;
const firstLines = 8;
const variables = new Set(['comment', 'declaration_command', 'variable_assignment']);

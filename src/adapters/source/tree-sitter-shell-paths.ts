/**
 * Paths in shell scripts, as far as the script itself shows what they are (RT-02). A path relative to the script's own
 * directory begins with `.`. An unknown part is written as `$` and a name.
 */
import type { Node, Tree } from '@vscode/tree-sitter-wasm';
import { afterLast } from '../../texts/after-last.ts';
import { childrenOf } from './tree-sitter-grammar.ts';

/** `variables`: values that were looked up. */
type Script = { root: Node; text: string; variables: Map<string, string> };

const limits = { deep: 8, characters: 1_000, variables: 200, places: 20, values: 64 };
const scripts = new WeakMap<Tree, Script>();

function scriptOf({ tree }: Node): Script {
  const { rootNode: root } = tree;
  const script = scripts.get(tree) ?? { root, text: root.text, variables: new Map<string, string>() };
  scripts.set(tree, script);
  return script;
}

/** The path that a word means. Several if it contains the variable of a loop over words. */
export function pathsOf(node: Node): readonly string[] {
  const script = scriptOf(node);
  const path = pathOf(node, script);
  const variable = /\$(\w+)/u.exec(path)?.[1];
  const values = variable === undefined ? [] : valuesOfLoop(variable, script);
  const paths = values.length === 0 ? [path] : values.map((value) => path.replace(`$${variable}`, () => value));
  return [...new Set(paths.map(withoutDots))].filter((each) => each !== '');
}

function withoutDots(path: string): string {
  let rest = path;
  while (rest.startsWith('./.')) rest = rest.slice('./'.length);
  return rest;
}

/** `# shellcheck source=lib/log.sh` in the line above says where a file is. */
export function shellcheckSource(node: Node): string | undefined {
  const { text } = scriptOf(node);
  const end = text.lastIndexOf('\n', node.startIndex);
  const line = end < 0 ? '' : text.slice(Math.max(text.lastIndexOf('\n', end - 1) + 1, end - limits.characters), end);
  const [, told = ''] = line.split('# shellcheck ').at(-1)?.split('source=') ?? [];
  const [, quoted, plain] = /^(?:["']([^"']+)|(\S+))/u.exec(line.includes('# shellcheck ') ? told : '') ?? [];
  const path = quoted ?? plain;
  return path === '/dev/null' ? undefined : path;
}

function pathOf(node: Node, script: Script, depth = 0): string {
  if (depth > limits.deep) return '$';
  switch (node.type) {
    case 'raw_string':
      return node.text.slice(1, -1);
    case 'simple_expansion':
      return variableOf(node.text.slice(1), script);
    case 'expansion':
      return expansionOf(node, script, depth);
    case 'command_substitution':
      return outputOf(node, script, depth);
    default:
      return joinedOf(node, script, depth).slice(0, limits.characters);
  }
}

/** A string, or words beside each other: the text with the values of what it contains. */
function joinedOf(node: Node, script: Script, depth: number): string {
  const { text, startIndex } = node;
  const quotes = node.type === 'string' ? 1 : 0;
  let value = '';
  let at = quotes;
  for (const child of childrenOf(node)) {
    if (value.length > limits.characters) break;
    value += text.slice(at, child.startIndex - startIndex) + pathOf(child, script, depth + 1);
    at = child.endIndex - startIndex;
  }
  return value + text.slice(at, text.length - quotes);
}

/** The script's own path. */
const self = './$0';

function variableOf(name: string, script: Script): string {
  if (name === '0' || name === 'BASH_SOURCE' || name === 'BATS_TEST_FILENAME') return self;
  if (name === 'BATS_TEST_DIRNAME') return '.';
  const unknown = `$${name}`;
  const found = script.variables.get(name);
  if (found !== undefined || script.variables.size >= limits.variables) return found ?? unknown;
  // The value of a variable can contain the variable itself.
  script.variables.set(name, unknown);
  const [first] = nodesAt(`${name}=`, 'variable_assignment', script);
  const value = first?.childForFieldName('value');
  const set = value ? pathOf(value, script, 1) : unknown;
  const known = isInstalled(set) ? unknown : set;
  script.variables.set(name, known);
  return known;
}

/** Whether a path is the place of something that is installed. In the workspace, it is somewhere else. */
function isInstalled(path: string): boolean {
  return path.startsWith('/') || path.startsWith('~') || path.startsWith('$HOME');
}

function valuesOfLoop(variable: string, script: Script): string[] {
  const [loop] = nodesAt(`for ${variable} in`, 'for_statement', script);
  const values = loop ? childrenOf(loop, 'value').slice(0, limits.values) : [];
  return values.map((value) => pathOf(value, script, 1));
}

/**
 * The nodes of a type that begin with a text. Finds the text first, because listing all nodes of a long file takes
 * long.
 */
function nodesAt(beginning: string, type: string, { root, text }: Script): Node[] {
  const found: Node[] = [];
  let at = text.indexOf(beginning);
  for (let places = 0; at >= 0 && places < limits.places; places += 1) {
    let node = root.descendantForIndex(at);
    while (node && node.startIndex === at && node.type !== type) node = node.parent;
    if (node?.type === type && node.startIndex === at) found.push(node);
    at = text.indexOf(beginning, at + 1);
  }
  return found;
}

/** `${BASH_SOURCE[0]}`, `${0%/*}`, `${DIR:-$(dirname "$0")}`. */
function expansionOf(node: Node, script: Script, depth: number): string {
  const written = node.text.slice(0, limits.characters);
  const [head = '', name = ''] = /^\$\{(\w+)(?:\[0\])?/u.exec(written) ?? [];
  const rest = written.slice(head.length, -1);
  const value = variableOf(name, script);
  if (rest === '') return value;
  if (rest === '%/*') return directoryOf(value);
  if (rest === '%/') return value.endsWith('/') ? value.slice(0, -1) : value;
  if (!/^:?[-=]/u.test(rest)) return `$${name}`;
  const otherwise = childrenOf(node).at(-1);
  const isGiven = otherwise !== undefined && otherwise.type !== 'variable_name' && otherwise.type !== 'subscript';
  const given = value.startsWith('$') && isGiven ? pathOf(otherwise, script, depth + 1) : value;
  return isInstalled(given) ? `$${name}` : given;
}

/** `$(dirname "$0")`, `$(cd "$(dirname "$0")/.." && pwd)`, `$(realpath "$DIR")`. */
function outputOf(node: Node, script: Script, depth: number): string {
  let command: Node | null = node.firstNamedChild;
  for (let inside = 0; inside < limits.deep && command && command.type !== 'command'; inside += 1)
    command = command.firstNamedChild;
  const called = command?.childForFieldName('name')?.text ?? '';
  const last = command ? childrenOf(command, 'argument').at(-1) : undefined;
  if (called === 'pwd') return '$PWD';
  if (last === undefined || !pathPrograms.has(called)) return '$';
  const path = pathOf(last, script, depth + 1);
  return called === 'dirname' ? directoryOf(path) : path;
}

/** Their output is the path that they get, or the directory above. */
const pathPrograms = new Set(['dirname', 'cd', 'readlink', 'greadlink', 'realpath']);

function directoryOf(path: string): string {
  if (path === self) return '.';
  const last = afterLast(path, '/');
  if (last === '.' || last === '..' || last.startsWith('$')) return `${path}/..`;
  return path === last ? '.' : path.slice(0, path.lastIndexOf('/'));
}

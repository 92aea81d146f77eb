/** Reads the path that a PHP file gives to `require` or `include`, as far as it is literal (RT-02). */
import type { Node } from '@vscode/tree-sitter-wasm';
import { childrenOf, fieldText } from './tree-sitter-grammar.ts';

/**
 * `above`: the path begins that many directories above the file's own. `unknown`: something that only a running program
 * knows comes before it: a `constant` or function, or a `variable`. Neither: the text is all there is.
 */
type Path = Readonly<{ text: string; above?: number; unknown?: 'constant' | 'variable' }>;

/** Deeper expressions are not read. */
const maxDepth = 16;

/**
 * `./x.php` is relative to the file's directory. Other paths lie somewhere above it. `isGuess`: something unknown comes
 * before the path. Undefined if nothing of the path is literal.
 */
export function readRequiredPath(node: Node): { specifier: string; isGuess: boolean } | undefined {
  const argument = childrenOf(node)[0];
  const path = argument && read(argument, 0);
  if (path === undefined) return undefined;
  const { text, above, unknown } = path;
  const relative = text.replace(/^\/{1,9}/u, '');
  if (above !== undefined) {
    const place = `${'../'.repeat(above)}${relative.replace(/^\.\//u, '')}`;
    return relative === '' ? undefined : { specifier: place.startsWith('.') ? place : `./${place}`, isGuess: false };
  }
  // `$name . '-part.php'` is only the end of a name, and a name without a directory may be anywhere.
  const isWhole = unknown === undefined || unknown === 'constant' || (text.startsWith('/') && relative.includes('/'));
  if (!isWhole || relative.startsWith('.php') || relative === '') return undefined;
  return { specifier: unknown === undefined ? text : relative, isGuess: unknown !== undefined };
}

function read(node: Node, depth: number): Path | undefined {
  if (depth > maxDepth) return undefined;
  const inside = (child: Node | undefined | null): Path | undefined => (child ? read(child, depth + 1) : undefined);
  switch (node.type) {
    case 'string':
    case 'encapsed_string':
      return readText(node);
    case 'parenthesized_expression':
      return inside(node.firstNamedChild);
    case 'name':
      if (node.text === '__DIR__') return { text: '', above: 0 };
      return node.text === 'DIRECTORY_SEPARATOR' ? { text: '/' } : { text: '', unknown: 'constant' };
    case 'binary_expression':
      return joined(node, inside);
    case 'function_call_expression':
      return readCall(node, inside);
    case 'class_constant_access_expression':
    case 'scoped_call_expression':
      return { text: '', unknown: 'constant' };
    default:
      return { text: '', unknown: 'variable' };
  }
}

/** Of a text with variables, only the part after the last variable counts. */
function readText(node: Node): Path | undefined {
  const parts = childrenOf(node);
  const last = parts.at(-1);
  if (last === undefined) return { text: '' };
  if (last.type !== 'string_content' || last.text.length > 1_000) return undefined;
  return { text: last.text.replaceAll('\\', '/'), ...(parts.length > 1 && { unknown: 'variable' as const }) };
}

function joined(node: Node, inside: (child: Node | null) => Path | undefined): Path | undefined {
  if (fieldText(node, 'operator') !== '.') return undefined;
  const [left, right] = [inside(node.childForFieldName('left')), inside(node.childForFieldName('right'))];
  if (left === undefined || right === undefined || right.above !== undefined) return undefined;
  // If the right side has an unknown part, nothing before that part matters.
  return right.unknown ? right : { ...left, text: left.text + right.text };
}

function readCall(node: Node, inside: (child: Node | null | undefined) => Path | undefined): Path | undefined {
  const given = node.childForFieldName('arguments');
  const [first, second] = (given ? childrenOf(given) : []).map((each) => each.firstNamedChild);
  const name = fieldText(node, 'function').toLowerCase();
  const ofFile = first?.text === '__FILE__';
  if (name === 'plugin_dir_path' && ofFile) return { text: '', above: 0 };
  if (name === 'dirname') {
    const levels = second ? Number(second.text) : 1;
    const below = ofFile ? { text: '', above: -1 } : inside(first);
    const isKnown = below?.above !== undefined && below.text === '' && levels >= 1 && levels < 32;
    return isKnown ? { text: '', above: (below.above ?? 0) + levels } : { text: '', unknown: 'constant' };
  }
  const path = inside(first);
  if (name === 'realpath' || name === 'trailingslashit') return path;
  // `base_path('routes/a.php')`
  return { text: second || path?.unknown || path?.above !== undefined ? '' : (path?.text ?? ''), unknown: 'constant' };
}

/** JSON texts as located values (CC-07, S-61, S-62). Strict JSON: no comments, no trailing commas. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { maxSourceDepth, type ParsedSource, type SourceMap, type SourceNode, tooDeep } from './source-tree.ts';

/** Parses a JSON text of any content. Of a broken text the first problem is reported. */
export function parseJsonSource(text: string): ParsedSource {
  const deepAt = findTooDeep(text);
  if (deepAt !== undefined) return { problem: { message: tooDeep, offset: deepAt } };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const valid = isJson(text);
  if (valid && tree !== undefined) return { root: toSource(tree) };
  const first = errors[0];
  const what = first === undefined ? '' : ` (${inWords(printParseErrorCode(first.error))})`;
  return { problem: { message: `it is not valid JSON${what}`, offset: first?.offset ?? 0 } };
}

/** JSON.parse decides what is JSON; jsonc-parser, which recovers from errors, only says where. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function toSource(node: Node): SourceNode {
  const children = node.children ?? [];
  if (node.type === 'array') return { offset: node.offset, value: children.map(toSource) };
  if (node.type !== 'object') return { offset: node.offset, value: node.value };
  const value: SourceMap = new Map();
  for (const { children: [key, child] = [] } of children) {
    if (key === undefined || child === undefined) continue;
    const duplicate = value.has(key.value) ? { duplicate: true as const } : {};
    value.set(key.value, { offset: key.offset, node: toSource(child), ...duplicate });
  }
  return { offset: node.offset, value };
}

/** Where the text goes too deep. A line break ends a string here because jsonc-parser, which recurses, recovers there. */
function findTooDeep(text: string): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') inString = !inString;
    else if (inString) {
      if (character === '\\') at += 1;
      else if (character === '\n' || character === '\r') inString = false;
    } else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > maxSourceDepth) return at;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return undefined;
}

function inWords(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/gu, ' ').toLowerCase();
}

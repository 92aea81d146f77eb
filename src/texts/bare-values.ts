/**
 * Inserts the quotes that YAML requires around glob patterns and one-line texts, because people leave them out in front
 * matter (CC-26, S-60). Nothing else changes, so every line keeps its number.
 */

/** The kind of value of each key. `other-patterns`: patterns of another tool, which are only kept as written. */
export type QuotedKeys = ReadonlyMap<string, 'patterns' | 'other-patterns' | 'text' | undefined>;

const keyLine = /^([\p{L}_][\p{L}\p{N}_.-]*)[ \t]*:(?=[ \t]|$)[ \t]*/u;
const listMark = /^[ \t]*-[ \t]+/u;
const completeDoubleQuoted = /^"(?:[^"\\]|\\.)*"[ \t]*(?:[ \t]#.*)?$/u;
const completeSingleQuoted = /^'(?:[^']|'')*'[ \t]*(?:[ \t]#.*)?$/u;
const wholeQuoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?=[ \t]*(?:[ \t]#.*)?$)/u;
const blockScalarHeader = /^[|>][0-9+-]*[ \t]*(?:#.*)?$/u;

type Line = { start: number; text: string };

/**
 * Inserts single quotes around one-line values that YAML would refuse. For keys in `keys`, also around values that YAML
 * would misread. `block` has LF line ends. `originalOffset` turns an offset in the result into an offset in `block`.
 */
export function quoteBareValues(
  block: string,
  keys: QuotedKeys,
): { text: string; originalOffset: (offset: number) => number } {
  const insertions: number[] = [];
  const quote = (start: number, value: string): void => {
    insertions.push(start);
    for (let at = value.indexOf("'"); at !== -1; at = value.indexOf("'", at + 1)) insertions.push(start + at);
    insertions.push(start + value.length);
  };
  const lines = splitLines(block);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as Line;
    const [prefix, key] = keyLine.exec(line.text) ?? [];
    if (prefix === undefined || key === undefined) continue;
    const start = line.start + prefix.length;
    const value = valuePart(line.text.slice(prefix.length));
    const holds = keys.get(key);
    if (holds === undefined || holds === 'text') {
      const textNeeds = holds === 'text' ? textNeedsQuotes : otherTextNeedsQuotes;
      if (!isContinued(lines, index) && textNeeds(value)) quote(start, value);
      continue;
    }
    const needs = holds === 'patterns' ? globNeedsQuotes : otherGlobNeedsQuotes;
    if (value === '') {
      for (; isPartOfList(lines[index + 1]); index += 1) {
        const item = lines[index + 1] as Line;
        const mark = listMark.exec(item.text)?.[0] ?? '';
        const pattern = valuePart(item.text.slice(mark.length));
        if (mark !== '' && needs(pattern)) quote(item.start + mark.length, pattern);
      }
      continue;
    }
    const listEnd = value.startsWith('[') ? flowListEnd(block, start) : undefined;
    if (listEnd !== undefined) {
      for (const element of splitAtCommas(block.slice(start + 1, listEnd))) {
        if (elementNeedsQuotes(element.text, needs)) quote(start + 1 + element.start, element.text);
      }
    } else if (needs(value)) quote(start, block.slice(start, continuedEnd(lines, index, start + value.length)));
  }
  return applyInsertions(block, insertions);
}

function splitLines(block: string): Line[] {
  let start = 0;
  return block.split('\n').map((text) => {
    const line = { start, text };
    start += text.length + 1;
    return line;
  });
}

/** A value up to a comment, without trailing blanks. In quotes nothing begins a comment. */
function valuePart(rest: string): string {
  const quoted = wholeQuoted.exec(rest)?.[0];
  if (quoted !== undefined) return quoted;
  if (rest.startsWith('#')) return '';
  const comment = /[ \t]#/u.exec(rest);
  return (comment === null ? rest : rest.slice(0, comment.index)).trimEnd();
}

function isContinued(lines: readonly Line[], index: number): boolean {
  return /^[ \t]+[^ \t#]/u.test(lines[index + 1]?.text ?? '');
}

/** The end of a value whose comma list continues in indented lines. */
function continuedEnd(lines: readonly Line[], index: number, end: number): number {
  let last = end;
  for (let next = index + 1; isContinued(lines, next - 1); next += 1) {
    const line = lines[next] as Line;
    last = line.start + valuePart(line.text).length;
  }
  return last;
}

function isPartOfList(line: Line | undefined): boolean {
  return line !== undefined && /^(?:[ \t]|-|#|$)/u.test(line.text);
}

/**
 * False for tags (`!!`), unclosed brackets and objects: YAML refuses these, and they must not count as patterns.
 */
function globNeedsQuotes(value: string): boolean {
  if (/^["']/u.test(value)) return isQuotedWithMore(value);
  if (/^!!|^\[[^\]]*$|^\{[^}]*$/u.test(value) || isFlowObject(value)) return false;
  return /^[*{}[\]!%@`,]/u.test(value) || /:(?:[ \t]|$)/u.test(value);
}

/** `{a: b}` */
function isFlowObject(value: string): boolean {
  if (!value.startsWith('{') || !value.endsWith('}') || /[\n\r\u2028\u2029]/u.test(value)) return false;
  const inside = value.slice(1, -1);
  return inside.includes(': ') || inside.includes(':\t');
}

/** False for `a: b`, because another tool may mean an object. */
function otherGlobNeedsQuotes(value: string): boolean {
  return globNeedsQuotes(value) && !/^[^"'].*:(?:[ \t]|$)/u.test(value);
}

function textNeedsQuotes(value: string): boolean {
  if (/^["']/u.test(value)) return isQuotedWithMore(value);
  if (value.startsWith('[')) return flowListEnd(value, 0) === undefined;
  if (/^\{(?!\{).*\}$|^[!&#]/u.test(value)) return false;
  if (/^[|>]/u.test(value)) return !blockScalarHeader.test(value);
  return /^(?:[*{}[\]%@`,]|[-?][ \t])/u.test(value) || /:(?:[ \t]|$)/u.test(value);
}

/** Only for values that YAML always refuses, so that other properties stay. Aliases and open brackets stay refused. */
function otherTextNeedsQuotes(value: string): boolean {
  return textNeedsQuotes(value) && !/^\*[^*./]|^\[[^\]]*$|^\{[^}]*$/u.test(value);
}

/** `"a", "b"`: it starts like a quoted text, but goes on after the closing quote. */
function isQuotedWithMore(value: string): boolean {
  if (completeDoubleQuoted.test(value) || completeSingleQuoted.test(value)) return false;
  return value.indexOf(value[0] as string, 1) !== -1;
}

/**
 * The end of the list that opens at `start`. Undefined if more than blanks and a comment follow: then it is a pattern.
 */
function flowListEnd(block: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < block.length; at += 1) {
    const character = block[at];
    if (character === '\n' && !/[ \t\n\]#]/u.test(block[at + 1] ?? '')) return undefined;
    if ((character === '"' || character === "'") && /[[,\s]/u.test(block[at - 1] ?? '')) {
      const close = block.indexOf(character, at + 1);
      if (close !== -1) at = close;
    } else if (character === '[') depth += 1;
    else if (character === ']') {
      depth -= 1;
      if (depth === 0) return /^[ \t]*(?:[#\n]|$)/u.test(block.slice(at + 1)) ? at : undefined;
    }
  }
  return undefined;
}

/** In a list in brackets, `{`, `[` and `,` have a meaning anywhere, not only at the beginning. */
function elementNeedsQuotes(element: string, needs: (value: string) => boolean): boolean {
  if (/^["'#]|\n|^!!/u.test(element) || isFlowObject(element)) return false;
  return needs(element) || /[{}[\],]/u.test(element);
}

/** Splits at commas outside braces, brackets and quotes, and trims the parts. */
export function splitAtCommas(text: string): { start: number; text: string }[] {
  const parts: { start: number; text: string }[] = [];
  let depth = 0;
  let start = 0;
  let blank = true;
  const push = (end: number): void => {
    const part = text.slice(start, end);
    parts.push({ start: start + part.length - part.trimStart().length, text: part.trim() });
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (blank && (character === '"' || character === "'")) at = Math.max(at, text.indexOf(character, at + 1));
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth = Math.max(0, depth - 1);
    else if (character === ',' && depth === 0) {
      push(at);
      start = at + 1;
    }
    blank = start === at + 1 || (blank && character.trim() === '');
  }
  push(text.length);
  return parts;
}

function applyInsertions(
  block: string,
  insertions: number[],
): { text: string; originalOffset: (offset: number) => number } {
  let text = '';
  let from = 0;
  for (const at of insertions) {
    text += `${block.slice(from, at)}'`;
    from = at;
  }
  const originalOffset = (offset: number): number => {
    const inserted = insertions.findIndex((at, index) => at + index >= offset);
    return offset - (inserted === -1 ? insertions.length : inserted);
  };
  return { text: text + block.slice(from), originalOffset };
}

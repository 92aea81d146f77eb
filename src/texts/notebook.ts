/** The text of Jupyter notebooks (nbformat 4): their cells in the percent format of editors and Jupytext. */
import { fixedLimits } from '../settings.ts';
import { isRecord } from './is-record.ts';
import { parseJson } from './parse-json.ts';

const limits = fixedLimits.notebooks;

export function isNotebook(path: string): boolean {
  return /\.ipynb$/iu.test(path);
}

/**
 * The cells of a notebook without their outputs. Other cells than code, and commands of the notebook, become comments,
 * so that a parser of Python can read the text. Undefined if `json` is not a notebook, or too large to parse in one
 * turn.
 */
export function notebookText(json: string): string | undefined {
  if (hasTooMuch(json)) return undefined;
  const notebook = parseJson(json);
  if (!isRecord(notebook) || !Array.isArray(notebook.cells)) return undefined;
  const texts: string[] = [];
  let left: number = limits.characters;
  for (const cell of notebook.cells.filter(isRecord)) {
    const lines = linesOf(cell.source, left);
    const isCode = cell.cell_type === 'code';
    const mark = isCode ? '# %%' : `# %% [${cell.cell_type === 'raw' ? 'raw' : 'markdown'}]`;
    const text = [mark, ...(isCode ? codeLines(lines) : lines.map(asComment))].join('\n');
    texts.push(text);
    left -= text.length;
    if (left <= 0) break;
  }
  return `${texts.join('\n\n')}\n`;
}

/** Counts texts, brackets and every fifth comma. `indexOf` skips the inside of a text, such as a picture. */
function hasTooMuch(json: string): boolean {
  let parts = 0;
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at);
    const end = quote < 0 ? json.length : quote;
    for (; at < end; at += 1) parts += json[at] === '[' || json[at] === '{' ? 1 : json[at] === ',' ? 0.2 : 0;
    parts += 1;
    if (parts > limits.parts) return true;
    at = endOfText(json, end) + 1;
  }
  return false;
}

/** The position of the quotation mark that ends the text, or the end of `json`. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (json[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return json.length;
}

/** The lines of a cell. Its source is a text, or a list of texts with their line breaks. */
function linesOf(source: unknown, maxCharacters: number): string[] {
  const text = Array.isArray(source) ? source.filter((part) => typeof part === 'string').join('') : source;
  if (typeof text !== 'string' || text.trim() === '') return [];
  return text.slice(0, maxCharacters).replaceAll('\0', '').trimEnd().split(/\r?\n/u);
}

/** `%matplotlib inline`, `!pip install shop`, but not `% 4` and `!= b` in an expression. */
const command = /^(?:%%?(?:[a-zA-Z_]{2}|R\b)|![^=])/u;
/** Commands after which the code is still Python. After others, another language begins. */
const aboutPython = /^%%(?:capture|memit|mprun|prun|python3?|time|timeit)\b/u;

function codeLines(lines: readonly string[]): string[] {
  const first = lines.find((line) => line.trim() !== '') ?? '';
  if (first.startsWith('%%') && !aboutPython.test(first)) return lines.map(asComment);
  let isContinued = false;
  return lines.map((line) => {
    const isCommand = isContinued || command.test(line.trimStart());
    isContinued = isCommand && line.endsWith('\\');
    return isCommand ? asComment(line) : line;
  });
}

function asComment(line: string): string {
  return line === '' ? '#' : `# ${line}`;
}

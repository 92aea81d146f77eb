/** Notebooks of Jupyter (nbformat 4) as text: what people wrote in them, in the percent format that editors and Jupytext know. */
import { fixedLimits } from '../settings.ts';
import { isRecord } from './is-record.ts';

export function isNotebook(path: string): boolean {
  return /\.ipynb$/iu.test(path);
}

/**
 * The cells of a notebook without their outputs. Everything that is not Python is a comment, so that the text can be
 * parsed. Undefined if `json` is no notebook, or has more parts than can be parsed in one turn.
 */
export function notebookText(json: string): string | undefined {
  if (hasTooMuch(json)) return undefined;
  const notebook = parsed(json);
  if (!isRecord(notebook) || !Array.isArray(notebook.cells)) return undefined;
  const cells = notebook.cells.filter(isRecord).map((cell) => {
    const lines = linesOf(cell.source);
    if (cell.cell_type === 'code') return ['# %%', ...codeLines(lines)];
    return [`# %% [${cell.cell_type === 'raw' ? 'raw' : 'markdown'}]`, ...lines.map(asComment)];
  });
  return `${cells.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Searches one mark after the other: between them are long texts, such as pictures, that `indexOf` passes quickly. */
function hasTooMuch(json: string): boolean {
  let parts = 0;
  for (const mark of ['[', '{', ':'])
    for (let at = json.indexOf(mark); at >= 0; at = json.indexOf(mark, at + 1)) {
      parts += 1;
      if (parts > fixedLimits.notebooks.parts) return true;
    }
  return false;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** A source is a text, or a list of texts that end with their line break. */
function linesOf(source: unknown): string[] {
  const text = Array.isArray(source) ? source.filter((part) => typeof part === 'string').join('') : source;
  if (typeof text !== 'string' || text.trim() === '') return [];
  return text.trimEnd().split('\n');
}

/** Magic commands that leave the code below them as it is; below others another language begins. */
const aboutPython = /^%%(?:capture|memit|mprun|prun|python3?|time|timeit)\b/u;

function codeLines(lines: readonly string[]): string[] {
  const first = lines.find((line) => line.trim() !== '') ?? '';
  if (first.startsWith('%%') && !aboutPython.test(first)) return lines.map(asComment);
  return lines.map((line) => (/^\s{0,200}[%!]/u.test(line) ? asComment(line) : line));
}

function asComment(line: string): string {
  return line === '' ? '#' : `# ${line}`;
}

/** What pages for people have in common. */
import { styleText } from 'node:util';
import { visibleText } from '../../texts/visible-text.ts';
import type { Warning } from '../../warnings.ts';
import { textWidth, wrapText } from './terminal-text.ts';

type Style = Parameters<typeof styleText>[0];

export type Sheet = {
  /** Width in columns; `Infinity` where nobody looks at it in a terminal, and nothing is wrapped or cut. */
  width: number;
  paint(style: Style, text: string): string;
  /** A path from `~` where it lies there, safe for a terminal. */
  place(path: string): string;
};

const [narrowest, widest] = [40, 110];

/** The width of a page for `columns`: as a person reads it, and without end where there is none. */
export function pageWidth(columns: number): number {
  return columns === Number.POSITIVE_INFINITY ? columns : Math.max(narrowest, Math.min(widest, columns));
}

/** Columns of what this process writes to. A pipe or a file has no edge: what reads it wants whole lines. */
export function outputColumns({ stdout } = process): number {
  return stdout.isTTY === true ? stdout.columns : Number.POSITIVE_INFINITY;
}

/** A sheet for standard output. */
export function createSheet({ columns, colors, home }: { columns: number; colors: boolean; home: string }): Sheet {
  return {
    width: pageWidth(columns),
    paint: (style, text) => (colors ? styleText(style, text, { validateStream: false }) : text),
    place: (path) => visibleText(path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path),
  };
}

/** The sheet that fits the terminal this process writes to. */
export function terminalSheet(home: string): Sheet {
  const { stdout } = process;
  return createSheet({ columns: outputColumns(), colors: stdout.isTTY === true && stdout.hasColors(), home });
}

/** Text of others on one line: line breaks become spaces. */
export function oneLine(text: string): string {
  return visibleText(text.replaceAll(/\s+/gu, ' ').trim());
}

/** Text of others on its own lines. */
export function textLines(text: string): string[] {
  return text.split('\n').map((line) => visibleText(line.replaceAll('\t', '    ').replace(/\r$/u, '')));
}

/** A text cut to `columns`, with `…` where something is missing. */
export function cutText(text: string, columns: number): string {
  const [line = '', ...rest] = wrapText(text, Math.max(1, columns));
  if (rest.length === 0) return line;
  const [shorter = ''] = wrapText(text, Math.max(1, columns - 1));
  return `${shorter}…`;
}

/** A path cut to `columns` from its beginning: the end tells more. */
export function cutPath(path: string, columns: number): string {
  if (textWidth(path) <= columns) return path;
  let end = path;
  while (end !== '' && textWidth(end) >= columns) end = end.slice(Math.max(1, end.indexOf('/', 1)));
  return `…${end}`;
}

export function renderWarnings(warnings: readonly Warning[], sheet: Sheet): string[] {
  const lines = warnings.slice(0, 25).flatMap(({ path, line, message }) => {
    const where = path === undefined ? [] : [`${sheet.place(path)}${line === undefined ? '' : `:${line}`}`];
    const [first = '', ...rest] = [...where, ...wrapText(oneLine(message), sheet.width - 4)];
    return [`${sheet.paint('yellow', '!')} ${first}`, ...rest.map((line) => `  ${line}`)];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

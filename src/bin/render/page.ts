/** Parts that all pages for people share. */
import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import type { SemanticStatus } from '../../context/resolve-result.ts';
import { shortenPaths } from '../../texts/short-paths.ts';
import { visibleText } from '../../texts/visible-text.ts';
import type { Warning } from '../../warnings.ts';
import { cutText, oneLine, padText, wrapText } from './terminal-text.ts';
import { count } from './words.ts';

export type Style = Parameters<typeof styleText>[0];

/** The terminal of a page, and the directory that it is about. */
export type PageOptions = { columns: number; colors: boolean; home: string; directory?: string | undefined };

export type Sheet = {
  /** Width in columns. `Infinity`: not for a terminal, so nothing is wrapped or cut. */
  width: number;
  paint(style: Style, text: string): string;
  /** The shortest form of a path, safe for a terminal: relative to the directory of the page, or from `~`. */
  place(path: string): string;
  /** Text of others with the paths in it shortened, safe for a terminal. */
  say(text: string): string;
};

/** The limits of the width of a page, for readability. */
const narrowest = 40;
export const widest = 110;

export function createSheet({ columns, colors, home, directory }: PageOptions): Sheet {
  // Relative to the root, no path would be shorter.
  const inside = directory === undefined || directory === '/' ? '' : `${directory}/`;
  const shorten = (text: string) => shortenPaths(shortenPaths(text, directory ?? '/'), home, '~/');
  return {
    width: columns === Number.POSITIVE_INFINITY ? columns : Math.max(narrowest, Math.min(widest, columns)),
    paint: (style, text) => (colors ? styleText(style, text, { validateStream: false }) : text),
    place(path) {
      if (path === directory) return '.';
      if (directory === '/') return visibleText(path.slice(1));
      if (inside !== '' && path.startsWith(inside)) return visibleText(path.slice(inside.length));
      if (path === home) return '~';
      return visibleText(path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
    },
    say: (text) => visibleText(shorten(text)),
  };
}

/** The sheet for the terminal of `stream`. A pipe or a file has no width, because its reader needs whole lines. */
export function terminalSheet(home: string, directory?: string, stream: WriteStream = process.stdout): Sheet {
  if (stream.isTTY !== true) return createSheet({ columns: Number.POSITIVE_INFINITY, colors: false, home, directory });
  // Some terminals do not tell their size.
  return createSheet({ columns: stream.columns || 80, colors: stream.hasColors(), home, directory });
}

/** A title of a section, with the number of things in it. */
export function renderTitle(title: string, number: number, { paint }: Sheet): string {
  return `${paint('bold', title)} ${paint('dim', String(number))}`;
}

/** A line for each fact that is known, below the name of the thing. */
export function renderFacts(facts: Readonly<Record<string, string | undefined>>, { paint, width }: Sheet): string[] {
  return Object.entries(facts).flatMap(([label, value]) =>
    value ? [`  ${paint('dim', padText(label, 9))} ${cutText(value, width - 12)}`] : [],
  );
}

/** Rows of one section that a person still reads. */
export const maxShown = 25;

/** The line below the rows of a section that has `total` of them. */
export function more(total: number): string[] {
  return total > maxShown ? [`    and ${count(total - maxShown)} more; --json shows all`] : [];
}

/** Warnings as the last section of a page. A message that several of them share is shown once, below their places. */
export function warningSection(warnings: readonly Warning[], sheet: Sheet): string[] {
  if (warnings.length === 0) return [];
  const { paint, say, width } = sheet;
  const mark = `  ${paint('yellow', '!')}`;
  const groups = Map.groupBy(warnings.slice(0, maxShown), ({ code, message }) => `${code} ${message}`);
  const shown = [...groups.values()].flatMap((group) => [
    ...group.map((warning) => `${mark} ${wrapText(whereOf(warning, sheet), width - 4).join('\n    ')}`),
    ...wrapText(say(group[0]?.message ?? ''), width - 4).map((line) => `    ${line}`),
  ]);
  return [paint('bold', warnings.length === 1 ? 'Warning' : 'Warnings'), ...shown, ...more(warnings.length)];
}

function whereOf({ path, line, column, code }: Warning, { place }: Sheet): string {
  if (path === undefined) return visibleText(code);
  return [place(path), ...[line, column].filter((part) => part !== undefined)].join(':');
}

/** Warnings below a short answer. */
export function renderWarnings(warnings: readonly Omit<Warning, 'code'>[], sheet: Sheet): string[] {
  const lines = warnings.slice(0, maxShown).flatMap(({ path, line, message }) => {
    const where = path === undefined ? [] : [`${sheet.place(path)}${line === undefined ? '' : `:${line}`}`];
    const [first = '', ...rest] = [...where, ...wrapText(oneLine(message), sheet.width - 4)];
    return [`${sheet.paint('yellow', '!')} ${first}`, ...rest.map((line) => `  ${line}`)];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Why a search was not complete. */
export function renderSearchNote({ status, detail }: SemanticStatus, sheet: Sheet): string[] {
  if (status === 'ready') return [];
  const note = wrapText(`Search is ${status}. ${oneLine(detail ?? '')}`.trim(), sheet.width);
  return ['', ...note.map((line) => sheet.paint('yellow', line))];
}

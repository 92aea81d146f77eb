/** The findings of a check as a page for people: by file, each with its line and how to mend it. */
import { baseName, parentPath } from '../../access/paths.ts';
import { configFileNames } from '../../context/directories.ts';
import type { Diagnostic } from '../../validation/diagnostic.ts';
import { ruleOf } from '../../validation/findings.ts';
import type { Sheet } from './page.ts';
import { excerptOf, maskValues } from './source-excerpt.ts';
import { textWidth, wrapText } from './terminal-text.ts';
import { count, plural } from './words.ts';

export type CheckPage = Sheet & {
  /** The directory that was checked; paths are shown relative to it. */
  directory: string;
  /** Warnings count as errors. */
  strict: boolean;
  /** Lines of the files with findings, by path, if they could be read. */
  sources: ReadonlyMap<string, readonly string[]>;
};

const marks = { error: { mark: '✕', style: 'red' }, warning: { mark: '!', style: 'yellow' } } as const;

/**
 * The page, lines ended by `\n`. Nothing in it comes from a file unescaped, and no value of a configuration is quoted.
 */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], page: CheckPage): string {
  const { directory } = page;
  // Findings without a file are last.
  const groups = [...Map.groupBy(diagnostics, ({ path }) => path)].sort(
    ([a], [b]) => Number(a === undefined) - Number(b === undefined),
  );
  const alike = Map.groupBy(groups, likenessOf);
  const lines = groups.flatMap((each) => {
    const [path, group] = each;
    const others = alike.get(likenessOf(each)) ?? [];
    const at = likenessOf(each) === undefined ? 0 : others.indexOf(each);
    if (at >= maxAlike) return [];
    return [
      page.paint('bold', path === undefined || path === directory ? page.say(directory) : page.say(path)),
      ...group.flatMap((diagnostic) => renderDiagnostic(diagnostic, page)),
      ...(at === maxAlike - 1 ? renderOthers(others.slice(maxAlike), page) : []),
      '',
    ];
  });
  return `${[...lines, summary(diagnostics, page)].join('\n')}\n`;
}

type Group = [string | undefined, Diagnostic[]];

/** Max shown files in one folder with only the same warning. The JSON has all. */
const maxAlike = 3;

/** Undefined unless a file has only one warning, which is about the whole file. */
function likenessOf([path, [first, ...others]]: Group): string | undefined {
  if (path === undefined || first === undefined || others.length > 0) return undefined;
  const isAlike = first.severity === 'warning' && ruleOf(first.code).isAboutFile === true;
  return isAlike ? `${parentPath(path)} ${first.code}` : undefined;
}

function renderOthers(others: readonly Group[], page: CheckPage): string[] {
  const [path = ''] = others[0] ?? [];
  if (others.length === 0) return [];
  return ['', page.paint('dim', `and ${plural(others.length, 'more such file')} in ${page.say(parentPath(path))}`)];
}

function renderDiagnostic(diagnostic: Diagnostic, page: CheckPage): string[] {
  const { severity, line, column, message, code } = diagnostic;
  const { mark, style } = marks[severity];
  const isAboutLine = line !== undefined && ruleOf(code).isAboutFile !== true;
  const place = !isAboutLine ? '' : `${line}:${column ?? 1} `;
  const text = wrapText(`${place}${page.say(message)}`, page.width - 4);
  const last = text.at(-1) ?? '';
  const fits = textWidth(last) + 2 + textWidth(code) <= page.width - 4;
  if (fits) text[text.length - 1] = `${last}  ${page.paint('dim', code)}`;
  const first = (text[0] ?? '').replace(place, place && page.paint('bold', place));
  return [
    `  ${page.paint(style, mark)} ${first}`,
    ...text.slice(1).map((each) => `    ${each}`),
    ...(fits ? [] : [`    ${page.paint('dim', code)}`]),
    ...(isAboutLine ? renderExcerpt(diagnostic, page) : []),
    ...renderConsequences(diagnostic, page),
  ];
}

const maxConsequences = 10;

/** The first files that are not delivered because of an error. The JSON has more. */
function renderConsequences({ consequences = [] }: Diagnostic, page: CheckPage): string[] {
  const files = consequences.flatMap(({ path }) => (path === undefined ? [] : [path]));
  if (files.length === 0) return [];
  const isMore = files.length < consequences.length;
  const left = files.length - maxConsequences;
  return [
    `    Because of this, ${isMore ? 'more than ' : ''}${plural(files.length, 'file is', 'files are')} not delivered:`,
    ...files.slice(0, maxConsequences).map((path) => `      ${page.say(path)}`),
    ...(left > 0 ? [`      and ${isMore ? 'more than ' : ''}${count(left)} more`] : []),
  ];
}

function renderExcerpt(diagnostic: Diagnostic, page: CheckPage): string[] {
  const { path = '', line, column = 1, severity } = diagnostic;
  const source = line === undefined ? undefined : page.sources.get(path)?.[line - 1];
  if (line === undefined || source === undefined || source.trim() === '') return [];
  const gutter = `${line}`.padStart(6);
  const { text, caret } = excerptOf(mayQuote(diagnostic, source), column, page.width - gutter.length - 3);
  return [
    `${page.paint('dim', `${gutter} │`)} ${text}`,
    `${page.paint('dim', `${' '.repeat(gutter.length)} │`)} ${' '.repeat(caret)}${page.paint(marks[severity].style, '^')}`,
  ];
}

/** Masks values of a configuration, except at the finding in settings about files. */
function mayQuote({ path = '', pointer = '', column }: Diagnostic, source: string): string {
  const name = baseName(path);
  if (!configFileNames.some((known) => known === name)) return source;
  const isHarmless = /^\/(?:clientContext\/|include|exclude)/u.test(pointer);
  return maskValues(source, name.endsWith('.json') ? 'json' : 'yaml', isHarmless ? column : undefined);
}

function summary(diagnostics: readonly Diagnostic[], page: CheckPage): string {
  if (diagnostics.length === 0) return page.paint('green', 'No problems found.');
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const files = new Set(diagnostics.flatMap(({ path, line }) => (line === undefined ? [] : [path]))).size;
  const warnings = diagnostics.length - errors;
  const counts = [
    ...(errors === 0 ? [] : [plural(errors, 'error')]),
    ...(warnings === 0 ? [] : [plural(warnings, 'warning')]),
  ];
  const where = files === 0 ? '' : ` in ${plural(files, 'file')}`;
  const asErrors = diagnostics.length === 1 ? ', which counts as an error' : ', which count as errors';
  const strict = errors === 0 && page.strict ? asErrors : '';
  return page.paint(errors > 0 || page.strict ? 'red' : 'yellow', `${counts.join(' and ')}${where}${strict}.`);
}

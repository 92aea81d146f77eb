/** The settings that make a tool call its hook. They are printed, or merged into the settings of a project. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import { isRecord } from '../../texts/is-record.ts';
import { CommandFailure, wrongSetup } from '../exit-codes.ts';
import { type Surroundings, whyNotMade } from '../state/state-directory.ts';
import type { HookTool } from './hook-tool.ts';

type Options = { directory: string; write: boolean; surroundings: Surroundings };

/** Returns what is printed. Throws `CommandFailure` 78 and changes nothing if the settings file cannot be used. */
export function installSettings(tool: HookTool, { directory, write, surroundings }: Options): string {
  const root = resolve(surroundings.cwd, directory);
  const path = join(root, tool.settings.path);
  const notes = [...pathNotes(tool, surroundings), '', ...limitsOf(tool), ''].join('\n');
  if (!write) {
    const text = mergeSettings('', tool);
    return `Put this into ${tool.settings.path}, or run it again with --write:\n\n${text}\n${notes}`;
  }
  const present = readPresent(path, root);
  const merged = mergeSettings(present, tool);
  if (merged === present) return `${path} has them already.\n${notes}`;
  replaceFile(path, merged);
  return `Written to ${path}.\n${notes}`;
}

/** Adds only what is missing. `text` may contain comments. Throws `CommandFailure` 78. */
function mergeSettings(text: string, { settings: { path, base, entries } }: HookTool): string {
  const isNew = text.trim() === '';
  const indented = /^([ \t]+)"/mu.exec(text.slice(0, 4_096))?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indented.startsWith('\t'),
    tabSize: indented.startsWith('\t') ? 1 : indented.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  const parseText = (): unknown => {
    const errors: ParseError[] = [];
    const value: unknown = parse(merged, errors, { allowTrailingComma: true });
    if (errors.length > 0) refuse(path, 'it is not JSON');
    return value;
  };
  let merged = isNew ? '{}\n' : text;
  if (!isRecord(parseText())) refuse(path, 'it is not a JSON object');
  const put = (at: (string | number)[], value: unknown, isArrayInsertion = false): void => {
    merged = applyEdits(merged, modify(merged, at, value, { formattingOptions, isArrayInsertion }));
  };
  for (const [key, value] of Object.entries(base))
    if ((parseText() as object)[key as never] === undefined) put([key], value);
  for (const { list, entry } of entries) {
    let value = parseText();
    for (const key of list) {
      if (!isRecord(value)) refuse(path, `"${list.join('.')}" is not what it should be`);
      value = (value as Record<string, unknown>)[key];
      if (value === undefined) break;
    }
    if (value !== undefined && !Array.isArray(value)) refuse(path, `"${list.join('.')}" is no list`);
    const present = (value ?? []) as unknown[];
    if (present.some((each) => isDeepStrictEqual(each, entry))) continue;
    if (value === undefined) put([...list], [entry]);
    else put([...list, present.length], entry, true);
  }
  // If a key exists twice, the editor changes one and the tool may read the other.
  const result = parseText();
  for (const { list, entry } of entries)
    if (!entriesAt(result, list).some((each) => isDeepStrictEqual(each, entry)))
      refuse(path, `"${list.join('.')}" cannot be added; is a key there twice?`);
  return merged;
}

function entriesAt(value: unknown, [key, ...rest]: readonly string[]): unknown[] {
  if (key === undefined) return Array.isArray(value) ? value : [];
  return isRecord(value) ? entriesAt(value[key], rest) : [];
}

function refuse(path: string, why: string): never {
  throw wrongSetup(`${path} cannot be used: ${why}. Nothing was written.`);
}

/**
 * Empty if there is no file. A repository may contain links there; one that leads out of the project is refused
 * (`CommandFailure` 78).
 */
function readPresent(path: string, root: string): string {
  let present = '';
  try {
    const within = `${realpathSync(root)}/`;
    for (const place of placesBetween(root, path)) {
      if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue;
      if (!existsSync(place)) refuse(path, 'a link leads nowhere');
      if (!realpathSync(place).startsWith(within)) refuse(path, 'a link leads out of the project');
    }
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return '';
    // Reading a pipe would wait forever.
    if (!stat.isFile()) refuse(path, 'it is not a regular file');
    present = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    refuse(path, (error as Error).message);
  }
  return present;
}

/** The directories below the root that lead to the path, the path last. */
function placesBetween(root: string, path: string): string[] {
  const places: string[] = [];
  for (let place = path; place !== root; place = dirname(place)) places.unshift(place);
  return places;
}

/** Writes all or nothing. If `path` is a link, its target is written. */
function replaceFile(path: string, text: string): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o644;
  const beside = `${real}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(real), { recursive: true });
    const file = openSync(beside, 'wx', mode);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, real);
  } catch (error) {
    rmSync(beside, { force: true });
    throw wrongSetup(`${path} cannot be written: ${whyNotMade(real, error)}.`);
  }
}

function pathNotes({ name, refusesWithout }: HookTool, { environment }: Surroundings): string[] {
  const isFound = (environment.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && existsSync(join(folder, 'contextd')));
  if (isFound) return [];
  const refuses = refusesWithout ?? 'nothing';
  return ['', `Careful: "contextd" is not on your PATH, so ${name} would not find it and would refuse ${refuses}.`];
}

function limitsOf({ name, refusesWithout, firstStep }: HookTool): string[] {
  const without = 'where contextd cannot be started';
  return [
    ...(firstStep === undefined ? [] : [firstStep]),
    `${name} then asks contextd before it reads, edits or searches a file with its own tools. A hook does not see:`,
    '  - what shell commands read (cat, grep, scripts), and other processes',
    '  - the files below a folder that is searched: the matches can contain lines of blocked files',
    refusesWithout === undefined
      ? `  - what happens ${without}: ${name} continues`
      : `${name} refuses ${refusesWithout}, ${without}.`,
  ];
}

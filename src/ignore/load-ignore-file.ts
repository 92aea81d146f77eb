/**
 * Loads one ignore file through the gate. A file that cannot be used leaves out everything below its directory (FX-07).
 */

import type { FileSnapshot, Gate } from '../access/gate.ts';
import { joinPath } from '../access/paths.ts';
import { rootsAround } from '../access/reach.ts';
import { refusalWords } from '../access/refusal-words.ts';
import { sameItems } from '../pace/same-items.ts';
import type { TimeAllowance } from '../pace/time-allowance.ts';
import { type Steps, turnToParse } from '../pace/turns.ts';
import type { Root } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { withoutMark } from '../texts/decode-text.ts';
import type { Warning } from '../warnings.ts';
import type { IgnoreKind, UsableIgnoreFile } from './ignore-kind.ts';
import type { IgnoreRule } from './ignore-rules.ts';

/**
 * One file. It leaves out everything below `directory` if there is `excludesAll`, the reason; otherwise, its rules
 * decide.
 */
export type LoadedIgnoreFile = Readonly<{
  kind: IgnoreKind;
  path: string;
  directory: string;
  rules: readonly IgnoreRule[];
  excludesAll?: string;
  warnings: readonly Warning[];
  /** Identity of everything that was read. */
  evidence: readonly unknown[];
}>;

export type LoadOptions = Readonly<{
  gate: Pick<Gate, 'stat' | 'readSettings'>;
  roots: readonly Root[];
  homeDirectory: string;
  allowance: TimeAllowance;
  /** The loaded files, by the snapshots that they were read from. */
  taken: WeakMap<FileSnapshot, LoadedIgnoreFile>;
}>;

/** Undefined if there is no such file. */
export async function loadIgnoreFile(
  kind: IgnoreKind,
  directory: string,
  options: LoadOptions,
): Promise<LoadedIgnoreFile | undefined> {
  const { gate, allowance, taken } = options;
  const path = joinPath(directory, kind.path);
  const stat = await gate.stat(path);
  if (!stat.ok && (stat.code === 'not_found' || stat.code === 'not_directory')) return undefined;
  const file = { kind, path, directory, rules: [], warnings: [] };
  if (kind.read === undefined) return Object.freeze({ ...file, excludesAll: 'is there', evidence: [path] });
  const read = await readIgnoreFile(path, options);
  if ('problem' in read) return unusable(file, read, [read.evidence]);
  const included = await readIncluded(read.text, file, options);
  const { evidence } = included;
  const known = taken.get(read.snapshot);
  if (known?.kind === kind && sameItems(known.evidence, [read.snapshot, ...evidence])) return known;
  if ('problem' in included) return unusable(file, included, [read.snapshot, ...evidence]);
  await turnToParse(included.text);
  const found = await spend(kind.read(included.text, options), allowance);
  if (found === 'late') return unusable(file, { problem: 'reading all of them takes too long' }, [`${path}:late`]);
  const seen = [read.snapshot, ...evidence];
  const loaded = 'problem' in found ? unusable(file, found, seen) : usable(file, included.placed(found), seen);
  taken.set(read.snapshot, loaded);
  return loaded;
}

type ReadText = { text: string; snapshot: FileSnapshot } | { problem: string; code?: string; evidence: unknown };

async function readIgnoreFile(path: string, { gate, roots }: LoadOptions): Promise<ReadText> {
  const maxBytes = fixedLimits.ignoreFiles.bytes;
  // A link is followed inside its granted root, because several tools often share one text.
  const read = await gate.readSettings(path, { roots: rootsAround(path, roots), followSymlinks: true, maxBytes });
  if (!read.ok) {
    const { code } = read;
    return { problem: refusalWords[code] ?? code, code, evidence: `${path}:${code}` };
  }
  const { snapshot } = read;
  const { problem, truncated, text = '' } = snapshot;
  if (problem !== undefined) return { problem: refusalWords[problem] ?? problem, evidence: snapshot };
  if (truncated) return { problem: `it is larger than ${maxBytes} bytes`, evidence: snapshot };
  return { text: withoutMark(text), snapshot };
}

type Included = { evidence: unknown[] } & (
  | { text: string; placed(found: UsableIgnoreFile): UsableIgnoreFile }
  | { problem: string; line: number }
);

/**
 * The text with included files in place of the lines that include them. Included files can be any files of the
 * workspace, and nothing in them is shown. So their rules and mistakes have the place of the including line.
 */
async function readIncluded(text: string, { kind, directory }: IgnoreFile, options: LoadOptions): Promise<Included> {
  const evidence: unknown[] = [];
  const { includes } = kind;
  const { lines: maxLines } = fixedLimits.ignoreFiles;
  const named = includes === undefined ? [] : text.split('\n', maxLines).map((line) => includes(line));
  if (named.every((name) => name === undefined)) return { text, evidence, placed: (found) => found };
  const whole: Line[] = [];
  for (const [at, written] of text.split('\n').entries()) {
    const name = named[at];
    const line = at + 1;
    if (name === undefined) whole.push({ text: written, line });
    else {
      const read = await readIgnoreFile(joinPath(directory, name), options);
      evidence.push('problem' in read ? read.evidence : read.snapshot);
      if ('text' in read) for (const each of read.text.split('\n')) whole.push({ text: each, line, written });
      else if (read.code !== 'not_found') return { problem: `"${name}" is not read: ${read.problem}`, line, evidence };
    }
    if (evidence.length > maxIncluded || whole.length > maxLines + 1)
      return { problem: 'it includes too much', line, evidence };
  }
  return { text: whole.map((line) => line.text).join('\n'), evidence, placed: (found) => placedIn(whole, found) };
}

/** A line of the whole text. `line`: where it is in the file. `written`: the line that includes it. */
type Line = { text: string; line: number; written?: string };

function placedIn(whole: readonly Line[], { rules, unusable = [], ...rest }: UsableIgnoreFile): UsableIgnoreFile {
  const originOf = (line: number): Omit<Line, 'text'> => whole[line - 1] ?? { line };
  return {
    ...rest,
    rules: rules.map((rule) => {
      const { line, written } = originOf(rule.line);
      return { ...rule, line, pattern: written?.trim() ?? rule.pattern };
    }),
    unusable: unusable.flatMap(({ line, message }) => {
      const origin = originOf(line);
      return origin.written === undefined ? [{ line: origin.line, message }] : [];
    }),
  };
}

const maxIncluded = 8;

type IgnoreFile = Pick<LoadedIgnoreFile, 'kind' | 'path' | 'directory' | 'rules' | 'warnings'>;

function unusable(
  file: IgnoreFile,
  { problem, line }: { problem: string; line?: number },
  evidence: readonly unknown[],
) {
  const message = `The ignore file is not used: ${problem}. Everything below its directory is blocked until this is fixed.`;
  const warning: Warning = { code: 'ignore_file_not_read', message, path: file.path, line };
  return Object.freeze({ ...file, excludesAll: 'cannot be used', warnings: [warning], evidence });
}

function usable(file: IgnoreFile, found: UsableIgnoreFile, evidence: readonly unknown[]) {
  const { rules, excludesAll, unusable: lines = [] } = found;
  const { warnings } = fixedLimits.texts;
  return Object.freeze({
    ...file,
    rules,
    evidence,
    excludesAll,
    warnings: lines.slice(0, warnings).map(
      ({ line, message }): Warning => ({
        code: 'ignore_pattern_unused',
        message: `This pattern leaves nothing out: ${message}.`,
        path: file.path,
        line,
      }),
    ),
  });
}

/** Does the work within the time of the run. Pauses, so that others get the event loop. */
export async function spend<Value>(steps: Steps<Value>, allowance: TimeAllowance): Promise<Value | 'late'> {
  for (;;) {
    const pause = allowance.pause();
    if (pause) await pause;
    if (allowance.isOver()) return 'late';
    const step = allowance.spend(() => steps.next());
    if (step.done) return step.value;
  }
}

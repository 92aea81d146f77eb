/** One ignore file as the gate reads it. What cannot be used leaves out everything below its directory (FX-07). */
import type { FileSnapshot, Gate } from '../access/gate.ts';
import { joinPath } from '../access/paths.ts';
import { rootsAround } from '../access/reach.ts';
import { refusalWords } from '../context/load-directory.ts';
import type { TimeAllowance } from '../pace/time-allowance.ts';
import { type Steps, turnToParse } from '../pace/turns.ts';
import type { Root } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { withoutMark } from '../texts/decode-text.ts';
import type { Warning } from '../warnings.ts';
import type { IgnoreKind, ReadIgnoreFile } from './ignore-kind.ts';
import type { IgnoreRule } from './ignore-rules.ts';

/** What one file leaves out below `directory`: all, for the reason that `excludesAll` tells of it, or what its rules say. */
export type LoadedIgnoreFile = Readonly<{
  kind: IgnoreKind;
  path: string;
  directory: string;
  rules: readonly IgnoreRule[];
  excludesAll?: string;
  warnings: readonly Warning[];
  /** Identity of what was read. */
  evidence: unknown;
}>;

export type LoadOptions = Readonly<{
  gate: Pick<Gate, 'stat' | 'readSettings'>;
  roots: readonly Root[];
  homeDirectory: string;
  allowance: TimeAllowance;
  /** By what was read: what it says, for each path that it was read at. */
  taken: WeakMap<FileSnapshot, LoadedIgnoreFile>;
}>;

/** Undefined where there is none. */
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
  if (kind.read === undefined) return Object.freeze({ ...file, excludesAll: 'is there', evidence: path });
  // A link is followed where it stays in its granted root: one text is often shared by several tools.
  const roots = rootsAround(path, options.roots);
  const maxBytes = fixedLimits.ignoreFiles.bytes;
  const read = await gate.readSettings(path, { roots, followSymlinks: true, maxBytes });
  if (!read.ok) return unusable(file, { problem: refusalWords[read.code] ?? read.code }, `${path}:${read.code}`);
  const { snapshot } = read;
  const known = taken.get(snapshot);
  if (known?.kind === kind) return known;
  if (snapshot.problem !== undefined)
    return unusable(file, { problem: refusalWords[snapshot.problem] ?? snapshot.problem }, snapshot);
  if (snapshot.truncated) return unusable(file, { problem: `it is larger than ${maxBytes} bytes` }, snapshot);
  await turnToParse(snapshot.text);
  const found = await spend(kind.read(withoutMark(snapshot.text ?? ''), options), allowance);
  if (found === 'late') return unusable(file, { problem: 'reading all of them takes too long' }, `${path}:late`);
  const loaded = 'problem' in found ? unusable(file, found, snapshot) : usable(file, found, snapshot);
  taken.set(snapshot, loaded);
  return loaded;
}

type IgnoreFile = Pick<LoadedIgnoreFile, 'kind' | 'path' | 'directory' | 'rules' | 'warnings'>;

function unusable(file: IgnoreFile, { problem, line }: { problem: string; line?: number }, evidence: unknown) {
  const message = `The ignore file is not used: ${problem}. Everything below its directory is blocked until this is mended.`;
  const warning = { code: 'ignore_file_not_read', message, path: file.path, ...(line !== undefined && { line }) };
  return Object.freeze({ ...file, excludesAll: 'cannot be used', warnings: [warning], evidence });
}

function usable(file: IgnoreFile, found: Exclude<ReadIgnoreFile, { problem: string }>, evidence: unknown) {
  const { rules, excludesAll, unusable: lines = [] } = found;
  const { warnings } = fixedLimits.texts;
  return Object.freeze({
    ...{ ...file, rules, evidence },
    ...(excludesAll !== undefined && { excludesAll }),
    warnings: lines.slice(0, warnings).map(({ line, message }) => ({
      ...{
        code: 'ignore_pattern_unused',
        message: `This pattern leaves nothing out: ${message}.`,
        path: file.path,
        line,
      },
    })),
  });
}

/** Does the work within the time of the run, and lets others have the event loop. */
export async function spend<Value>(steps: Steps<Value>, allowance: TimeAllowance): Promise<Value | 'late'> {
  for (;;) {
    const pause = allowance.pause();
    if (pause) await pause;
    if (allowance.isOver()) return 'late';
    const step = allowance.spend(() => steps.next());
    if (step.done) return step.value;
  }
}

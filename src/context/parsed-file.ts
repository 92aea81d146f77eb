/** The parsed content of context files. Each file is parsed once while it is unchanged. */
import type { FileSnapshot } from '../access/gate.ts';
import type { Warning } from '../warnings.ts';
import { ruleGlobOf } from './candidate.ts';
import { type ContextFileSource, type ReadFile, readContextFile } from './front-matter.ts';
import { leavingWarnings } from './leaving-text.ts';

export type ParsedFile = Readonly<{ source: ContextFileSource; warnings: readonly Warning[] }>;

export type ParsedFiles = {
  /** Front matter and body of a file with text, read by `read`, or by the last `read` if it is left out. */
  parse(snapshot: FileSnapshot, read?: ReadFile): ParsedFile;
  /** Whether the file was parsed by `read` before. */
  isKnown(snapshot: FileSnapshot, read: ReadFile): boolean;
  /** Number of files that were parsed, without cached ones. */
  readonly parsed: number;
};

export function createParsedFiles(frontMatterBytes: number): ParsedFiles {
  const known = new WeakMap<FileSnapshot, { file: ParsedFile; read: ReadFile }>();
  let parsed = 0;

  const parse = (snapshot: FileSnapshot, asked?: ReadFile): ParsedFile => {
    const before = known.get(snapshot);
    if (before && (asked === undefined || before.read === asked)) return before.file;
    const read = asked ?? readContextFile;
    parsed += 1;
    const text = snapshot.text ?? '';
    const { path } = snapshot;
    const { value, warnings } = read(text, { path, frontMatterBytes });
    const all = [...warnings, ...unusableGlobs(value, path), ...leavingWarnings(snapshot)];
    if (snapshot.truncated) {
      const message = `The file has ${snapshot.bytes} bytes; only its beginning is used.`;
      all.push({ code: 'file_truncated', message, path });
    }
    const file = Object.freeze({ source: value, warnings: all });
    known.set(snapshot, { file, read });
    return file;
  };

  return {
    parse,
    isKnown: (snapshot, read) => known.get(snapshot)?.read === read,
    get parsed() {
      return parsed;
    },
  };
}

/** S-53: a pattern that cannot be used matches nothing. The warning says why. */
function unusableGlobs({ globs, trigger }: ContextFileSource, path: string): Warning[] {
  if (trigger !== 'auto') return [];
  return globs.flatMap((pattern) => {
    const compiled = ruleGlobOf(pattern);
    if ('glob' in compiled) return [];
    const message = `The glob pattern "${pattern}" is not used: ${compiled.problem.message}.`;
    return [{ code: 'invalid_pattern', message, path }];
  });
}

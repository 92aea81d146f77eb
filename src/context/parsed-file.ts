/** The parsed content of context files. Each file is parsed once while it is unchanged. */
import type { FileSnapshot } from '../access/gate.ts';
import type { TokenCounter } from '../ports/ports.ts';
import type { TokenEncoding } from '../ports/token-encoding.ts';
import type { Warning } from '../warnings.ts';
import { globOf } from './candidate.ts';
import { type ContextFileSource, type ReadFile, readContextFile } from './front-matter.ts';
import { leavingWarnings } from './leaving-text.ts';

export type ParsedFile = Readonly<{ source: ContextFileSource; warnings: readonly Warning[] }>;

export type ParsedFiles = {
  /** Front matter and body of a file with text, read by `read`, or by the last `read` if it is left out. */
  parse(snapshot: FileSnapshot, read?: ReadFile): ParsedFile;
  /** Whether the file was parsed by `read` before. */
  isKnown(snapshot: FileSnapshot, read: ReadFile): boolean;
  /** Tokens of each body. `estimated`: counting failed, and four bytes counted as one token. */
  countTokens(
    files: readonly FileSnapshot[],
    encoding: TokenEncoding,
  ): Promise<{ counts: number[]; estimated: boolean }>;
  /** Number of files that were parsed, without cached ones. */
  readonly parsed: number;
};

export function createParsedFiles(ports: { tokenCounter: TokenCounter; frontMatterBytes: number }): ParsedFiles {
  const known = new WeakMap<FileSnapshot, { file: ParsedFile; read: ReadFile }>();
  const counts = new WeakMap<FileSnapshot, Map<TokenEncoding, number>>();
  let parsed = 0;

  const parse = (snapshot: FileSnapshot, asked?: ReadFile): ParsedFile => {
    const before = known.get(snapshot);
    if (before && (asked === undefined || before.read === asked)) return before.file;
    const read = asked ?? readContextFile;
    counts.delete(snapshot);
    parsed += 1;
    const text = snapshot.text ?? '';
    const { path } = snapshot;
    const { value, warnings } = read(text, { path, frontMatterBytes: ports.frontMatterBytes });
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
    async countTokens(files, encoding) {
      const missing = files.filter((file) => !counts.get(file)?.has(encoding));
      let estimated = false;
      if (missing.length > 0) {
        try {
          const bodies = missing.map((file) => parse(file).source.body);
          for (const [index, count] of (await ports.tokenCounter.count(bodies, encoding)).entries()) {
            const file = missing[index] as FileSnapshot;
            counts.set(file, (counts.get(file) ?? new Map()).set(encoding, count));
          }
        } catch {
          estimated = true;
        }
      }
      const estimate = (file: FileSnapshot): number => Math.ceil(Buffer.byteLength(parse(file).source.body) / 4);
      return { counts: files.map((file) => counts.get(file)?.get(encoding) ?? estimate(file)), estimated };
    },
  };
}

/** S-53: a pattern that cannot be used matches nothing; without a warning nobody would know why. */
function unusableGlobs({ globs, trigger }: ContextFileSource, path: string): Warning[] {
  if (trigger !== 'auto') return [];
  return globs.flatMap((pattern) => {
    const compiled = globOf(pattern.replace(/^\/+/u, ''));
    if ('glob' in compiled) return [];
    const message = `The glob pattern "${pattern}" is not used: ${compiled.problem.message}.`;
    return [{ code: 'invalid_pattern', message, path }];
  });
}

/** Active files of which only a part is delivered: the text of the part, and its tokens. */
import { hash } from 'node:crypto';
import { stepOf } from '../access/trace.ts';
import type { World } from '../access/world.ts';
import type { TokenCounts } from '../budget/token-counts.ts';
import type { TokenEncoding } from '../ports/token-encoding.ts';
import type { ContextFile } from './context-file.ts';
import { type OfferedPart, textOfPart, wordsOfPart } from './offered-part.ts';
import { searchedDescription } from './relevance.ts';

type Offering = {
  tokenCounts: TokenCounts;
  encoding: TokenEncoding;
  /** Bodies as on disk. For a file with a part, the text of the part replaces the body. */
  bodies: Map<string, string>;
  trace: World['trace'];
};

/** Changes the files that have a part. Returns true if tokens were estimated. */
export async function offerFiles(
  files: readonly { file: ContextFile; part: OfferedPart | undefined }[],
  { tokenCounts, encoding, bodies, trace }: Offering,
): Promise<boolean> {
  const offered = files.flatMap(({ file, part }) => (part === undefined ? [] : [{ file, part }]));
  if (offered.length === 0) return false;
  const count = () => {
    const texts = offered.map(({ file }) => bodies.get(file.path) ?? '');
    return tokenCounts.count(
      texts.map((text) => ({ key: hash('sha256', text), text })),
      encoding,
    );
  };
  const wholes = await count();
  for (const [at, { file, part }] of offered.entries()) {
    const wholeTokens = wholes.counts[at] ?? 0;
    const { name, path } = file;
    const reason = { ...file.reason, detail: wordsOfPart(part, wholeTokens) };
    bodies.set(path, textOfPart(part, { name, path, description: searchedDescription(file), wholeTokens }));
    Object.assign(file, { part: part.part, wholeTokens, reason });
    trace?.step(path, stepOf('size', reason));
  }
  const parts = await count();
  for (const [at, { file }] of offered.entries()) file.tokens = parts.counts[at] ?? 0;
  return wholes.estimated || parts.estimated;
}

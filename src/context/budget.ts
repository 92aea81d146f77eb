/** Which active files go when their bodies do not fit (CC-35). */
import type { ContextFile } from './context-file.ts';

/**
 * Chooses active files to let go until the rest has at most `maxTokens`. `files` must be in the order of the answer (least
 * specific first). What was not mentioned goes before what was; within both, the least specific goes first, and in one
 * place the last. Returns the files let go, in that order.
 */
export function chooseOmitted(
  files: readonly { file: ContextFile; depth: number }[],
  maxTokens: number | undefined,
): ContextFile[] {
  if (maxTokens === undefined) return [];
  const active = files.filter(({ file }) => file.state === 'active');
  let tokens = active.reduce((sum, { file }) => sum + file.tokens, 0);
  const isMentioned = ({ file }: { file: ContextFile }): boolean => file.reason.code === 'mentioned';
  const order = active
    .map((entry, index) => ({ ...entry, index }))
    .sort((a, b) => Number(isMentioned(a)) - Number(isMentioned(b)) || a.depth - b.depth || b.index - a.index);
  const omitted: ContextFile[] = [];
  for (const { file } of order) {
    if (tokens <= maxTokens) break;
    if (file.tokens === 0) continue;
    tokens -= file.tokens;
    omitted.push(file);
  }
  return omitted;
}

/** Which active files go when their bodies do not fit (CC-35). */
import { chooseGone, overBudget } from '../budget/token-budget.ts';
import type { Reason } from '../warnings.ts';
import type { ContextFile } from './context-file.ts';

/**
 * Chooses active files to let go so that the rest has at most `maxTokens`. `files` must be in the order of the answer (least
 * specific first). What was not mentioned goes before what was; within both, the least specific goes first, and in one
 * place the last; then what still fits comes back, the most specific first. Returns the files let go, in that order.
 */
export function chooseOmitted(
  files: readonly { file: ContextFile; depth: number }[],
  maxTokens: number | undefined,
): { file: ContextFile; reason: Reason }[] {
  if (maxTokens === undefined) return [];
  const active = files.filter(({ file }) => file.state === 'active');
  const isMentioned = ({ file }: { file: ContextFile }): boolean => file.reason.code === 'mentioned';
  const order = active
    .map(({ file, depth }, index) => ({ file, depth, index, tokens: file.tokens }))
    .sort((a, b) => Number(isMentioned(a)) - Number(isMentioned(b)) || a.depth - b.depth || b.index - a.index);
  const { gone, tokens } = chooseGone(order, { maxTokens });
  return gone.map(({ file }) => ({ file, reason: overBudget(maxTokens, tokens) }));
}

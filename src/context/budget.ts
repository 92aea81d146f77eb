/** What bodies cost, and which active files go when these do not fit (CC-35). */
import { chooseGone, overBudget } from '../budget/token-budget.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason, Warning } from '../warnings.ts';
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

/** Active files that apply whatever is in play. */
export function alwaysOn(files: readonly ContextFile[]): ContextFile[] {
  return files.filter(({ trigger, state }) => trigger === 'always' && state === 'active');
}

/** FM-03: what applies to each request should be little. */
export function warningOfCost(files: readonly ContextFile[]): Warning[] {
  const always = alwaysOn(files);
  const tokens = always.reduce((sum, file) => sum + file.tokens, 0);
  const { alwaysOnTokens } = fixedLimits.context;
  if (tokens <= alwaysOnTokens) return [];
  const number = (value: number): string => value.toLocaleString('en-US');
  const most = always.toSorted((a, b) => b.tokens - a.tokens).slice(0, 3);
  const named = most.map((file) => `${file.relativePath} (${number(file.tokens)})`).join(', ');
  const message = `What applies whatever is in play costs ${number(tokens)} tokens, more than ${number(alwaysOnTokens)}. The most expensive: ${named}. Let a rule apply by globs or by its description, or ask with a budget.`;
  return [{ code: 'many_tokens', message }];
}

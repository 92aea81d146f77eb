/** The cost of bodies, and which active files are dropped when they do not fit (CC-35). */
import { chooseGone, overBudget } from '../budget/token-budget.ts';
import { fixedLimits, type Limits } from '../settings.ts';
import { limitWarnings, type Reason, type Warning } from '../warnings.ts';
import type { ContextFile } from './context-file.ts';

type Placed = { file: ContextFile; depth: number; isMentioned: boolean };
type LetGo = { file: ContextFile; reason: Reason };

/**
 * Chooses active files to drop, so that the others have at most `maxTokens`. `files` are in the order in which they are
 * dropped. Then dropped files that still fit are added again, the last dropped first. Returns the dropped files in
 * order.
 */
export function chooseOmitted(files: readonly Placed[], maxTokens: number | undefined): LetGo[] {
  if (maxTokens === undefined) return [];
  const { gone, tokens } = chooseGone(
    activeParts(files, ({ tokens: cost }) => cost),
    { maxTokens },
  );
  return gone.map(({ file }) => ({ file, reason: overBudget(maxTokens, tokens) }));
}

/** Chooses, in the same way, active files that do not fit into an answer (CC-06). */
export function chooseBeyondLimits(
  files: readonly Placed[],
  { contextFiles, answerBytes }: Limits,
  bytesOf: (file: ContextFile) => number,
): { letGo: LetGo[]; warnings: Warning[] } {
  const overFiles = chooseBeyond(files, () => 1, { max: contextFiles, what: 'active context files' });
  const without = new Set(overFiles.map(({ file }) => file));
  const others = files.filter(({ file }) => !without.has(file));
  const overBytes = chooseBeyond(others, bytesOf, { max: answerBytes, what: 'bytes of active context' });
  const words = (what: string, count: number): string =>
    `An answer has at most ${what} of active context; ${count} more are only available, the least specific first.`;
  const warnings = limitWarnings([
    {
      code: 'limit_context_files',
      leftOut: overFiles.length,
      message: words(`${contextFiles} files`, overFiles.length),
    },
    { code: 'limit_total_bytes', leftOut: overBytes.length, message: words(`${answerBytes} bytes`, overBytes.length) },
  ]);
  return { letGo: [...overFiles, ...overBytes], warnings };
}

function chooseBeyond(
  files: readonly Placed[],
  costOf: (file: ContextFile) => number,
  { max, what }: { max: number; what: string },
): LetGo[] {
  const { gone } = chooseGone(activeParts(files, costOf), { maxTokens: max });
  return gone.map(({ file }) => ({ file, reason: { code: 'limit_reached', detail: `more than ${max} ${what}` } }));
}

function activeParts(files: readonly Placed[], costOf: (file: ContextFile) => number) {
  return files.filter(({ file }) => file.state === 'active').map(({ file }) => ({ file, tokens: costOf(file) }));
}

/**
 * The order in which files are dropped if they do not all fit. `files` are in the order of the answer. Files that were
 * not mentioned are dropped before mentioned ones. Among each of these, the least specific ones are dropped first: in
 * one directory, files of other tools before those of its context directory (FM-05), and of each of these the last
 * first.
 */
export function inOrderOfGoing(files: readonly Placed[]): Placed[] {
  const rankOf = ({ file }: Placed): number => (file.format === undefined ? 1 : 0);
  return files
    .map((each, index) => ({ each, index }))
    .sort(
      (a, b) =>
        Number(a.each.isMentioned) - Number(b.each.isMentioned) ||
        a.each.depth - b.each.depth ||
        rankOf(a.each) - rankOf(b.each) ||
        b.index - a.index,
    )
    .map(({ each }) => each);
}

/** Active files that apply to every request. */
export function alwaysOn(files: readonly ContextFile[]): ContextFile[] {
  return files.filter(({ trigger, state }) => trigger === 'always' && state === 'active');
}

/** FM-03: warns if the files that apply to every request have too many tokens. */
export function warningOfCost(files: readonly ContextFile[]): Warning[] {
  const always = alwaysOn(files);
  const tokens = always.reduce((sum, file) => sum + file.tokens, 0);
  const { alwaysOnTokens } = fixedLimits.context;
  if (tokens <= alwaysOnTokens) return [];
  const number = (value: number): string => value.toLocaleString('en-US');
  const largest = always.toSorted((a, b) => b.tokens - a.tokens).slice(0, 3);
  const named = largest.map((file) => `${file.relativePath} (${number(file.tokens)})`).join(', ');
  const message = `The files that always apply cost ${number(tokens)} tokens, more than ${number(alwaysOnTokens)}. The most expensive: ${named}. Let a rule apply by globs or by its description, or ask with a budget.`;
  return [{ code: 'many_tokens', message }];
}

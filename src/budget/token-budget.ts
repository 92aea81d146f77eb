/** What stays within a budget of tokens, for resolve, retrieve and requests alike (CC-35, RT-05, RQ-05). */
import type { Reason } from '../warnings.ts';

/**
 * `tokens` can also be another cost, such as bytes. `chained` parts come back without gaps: once one of them stays
 * away, all later ones stay away too.
 */
type Part = { tokens: number; chained?: boolean };

/**
 * Chooses the parts to leave out, so that the others and `fixedTokens` have at most `maxTokens`. Parts go in their
 * order until enough have gone. Then those that still fit come back, the last one first. Parts without cost stay.
 */
export function chooseGone<Each extends Part>(
  parts: readonly Each[],
  { maxTokens, fixedTokens = 0 }: { maxTokens: number; fixedTokens?: number },
): { gone: Each[]; tokens: number } {
  let tokens = parts.reduce((sum, part) => sum + part.tokens, fixedTokens);
  const taken: Each[] = [];
  for (const part of parts) {
    if (tokens <= maxTokens) break;
    if (part.tokens === 0) continue;
    tokens -= part.tokens;
    taken.push(part);
  }
  let isBroken = false;
  const gone = taken.toReversed().filter((part) => {
    const fits = tokens + part.tokens <= maxTokens && !(isBroken && part.chained === true);
    if (fits) tokens += part.tokens;
    else isBroken ||= part.chained === true;
    return !fits;
  });
  return { gone: gone.reverse(), tokens };
}

/** Why a part went: fewer tokens are left than it needs. */
export function overBudget(maxTokens: number, tokens: number): Reason {
  return { code: 'over_budget', detail: `${Math.max(0, maxTokens - tokens)} of ${maxTokens} tokens were left` };
}

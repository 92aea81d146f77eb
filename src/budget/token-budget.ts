/** What stays within a budget of tokens, for resolve, retrieve and requests alike (CC-35, RT-05, RQ-05). */
import type { Reason } from '../warnings.ts';

/**
 * `tokens`: or another cost, such as bytes. `chained` parts come back without a gap: none before the one that went last
 * among those that stay away.
 */
type Part = { tokens: number; chained?: boolean };

/**
 * What has to go until the rest has at most `maxTokens`. `parts` is in the order in which they go; `fixedTokens` cannot go.
 * What still fits when enough has gone comes back, the last gone first. What costs nothing stays.
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

/** Why something went: when all that fits is in, less is left than it has. */
export function overBudget(maxTokens: number, tokens: number): Reason {
  return { code: 'over_budget', detail: `${Math.max(0, maxTokens - tokens)} of ${maxTokens} tokens were left` };
}

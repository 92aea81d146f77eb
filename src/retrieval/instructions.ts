/** The words of a query that say what to do, or that a place is asked for (RT-02). */
import { queryTerms } from '../search/question.ts';

/** They say nothing about the place. As parts of names they do: `Cart::add`, `add(price)`. `fix(cart):` is no call. */
const instructions =
  /(?<![\p{L}\p{N}_./:#@$>`-])(?:add|bugs?|defined|ensure|fix(?:e[sd])?|implement(?:ed)?|improve|instead|located|properly|refactor)(?![\p{L}\p{N}_`-]|[./][\p{L}\p{N}]|::|(?<!fix)\(|\(\))/giu;

export function withoutInstructions(query: string): string {
  const rest = query.replaceAll(instructions, ' ');
  return queryTerms(rest).length > 0 ? rest : query;
}

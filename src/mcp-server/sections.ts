/** Puts an answer of an MCP tool together from sections, and cuts their ends until the answer fits the max tokens. */

/**
 * `entries`: one line or one block each, most important first. The entries of `whole` sections are not cut here; the
 * caller must make them smaller. `more`: a sentence about the number of entries that were cut.
 */
export type Section = { title?: string; entries: readonly string[]; whole?: true; more?(cut: number): string };

type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>;

/** Tokens reserved for sections that can be cut, so that they show at least their first entries. */
const minForLists = 300;

/**
 * Joins the sections to one text. Earlier sections get room first. `excess`: how many tokens the `whole` sections have
 * too many. If it is not 0, the text can be longer than `maxTokens`.
 */
export async function fitSections(
  sections: readonly Section[],
  maxTokens: number,
  count: CountTokens,
): Promise<{ text: string; excess: number }> {
  const filled = sections.filter(({ entries }) => entries.length > 0);
  const written = filled.map(({ title, entries, more, whole }) => ({
    lines: [...(title === undefined ? [] : [title]), ...entries].map((line) => `${line}\n`),
    first: title === undefined ? 0 : 1,
    more,
    whole,
  }));
  // Every section has an empty line behind it, and perhaps one that says how many entries were cut.
  const overhead = written.map(({ more, lines }) => `\n${more?.(lines.length) ?? ''}\n`);
  const counts = await count([...written.flatMap(({ lines }) => lines), ...overhead]);
  let at = 0;
  const costs = written.map(({ lines }) => lines.map(() => counts[at++] ?? 0));
  const frames = written.map(() => counts[at++] ?? 0);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

  const wholeTokens = sum(costs.flatMap((cost, index) => (written[index]?.whole ? cost : []))) + sum(frames);
  const listTokens = sum(costs.flatMap((cost, index) => (written[index]?.whole ? [] : cost)));
  const reserved = Math.min(minForLists, Math.floor(maxTokens / 4), listTokens);
  let left = maxTokens - wholeTokens;
  const texts = written.map(({ lines, first, more, whole }, index) => {
    if (whole) return lines.join('');
    const cost = costs[index] as number[];
    let kept = 0;
    while (kept < lines.length && (cost[kept] ?? 0) <= left) {
      left -= cost[kept] ?? 0;
      kept += 1;
    }
    if (kept === lines.length) return lines.join('');
    const cut = lines.length - Math.max(kept, first);
    return `${kept > first ? lines.slice(0, kept).join('') : ''}${more?.(cut) ?? ''}\n`;
  });
  const text = texts
    .map((each) => each.trimEnd())
    .filter((each) => each !== '')
    .join('\n\n');
  return { text, excess: Math.max(0, wholeTokens + reserved - maxTokens) };
}

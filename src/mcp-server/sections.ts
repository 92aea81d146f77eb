/** An answer of an MCP tool in sections, which are cut at their ends until the answer fits the max tokens. */

/**
 * `entries` are one line or one block each, most important first. Those of `whole` sections are not cut here: whoever
 * made them makes fewer. `more` says that a number of entries was cut.
 */
export type Section = { title?: string; entries: readonly string[]; whole?: true; more?(cut: number): string };

type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>;

/** Min tokens of sections that can be cut, so that they can tell what there is. */
const minForLists = 300;

/**
 * The sections as one text, the first ones preferred. `excess` is by how many tokens the whole sections leave too
 * little room; then the text is longer than `maxTokens`.
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

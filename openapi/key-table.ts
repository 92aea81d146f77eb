/** The keys of front matter as `docs/rules.md` lists them. */
import { frontMatterKeys } from '../src/context/front-matter-keys.ts';

const [start, end] = ['<!-- front matter keys -->', '<!-- /front matter keys -->'];

/** The page with its table as the keys are now. Throws where the page has no place for it. */
export function withKeyTable(page: string): string {
  const [from, to] = [page.indexOf(start) + start.length, page.indexOf(end)];
  if (from < start.length || to < from) throw new Error(`There is no ${start} … ${end}.`);
  const rows = Object.entries(frontMatterKeys).map(([name, { means, example }]) =>
    // A bar would end the cell, in code too.
    [`| \`${name}\``, means, `\`${name}: ${example}\` |`]
      .map((cell) => cell.replaceAll(/(?<=.)\|(?=.)/gu, '\\|'))
      .join(' | '),
  );
  const table = ['| key | what it says | example |', '|---|---|---|', ...rows].join('\n');
  return `${page.slice(0, from)}\n${table}\n${page.slice(to)}`;
}

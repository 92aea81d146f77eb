import { describe, expect, it } from 'vitest';
import { fixedLimits } from '../../src/settings.ts';
import { notebookText } from '../../src/texts/notebook.ts';
import { project } from '../support/workspace.ts';
import { add, filler, open, shown } from './support/retrieving.ts';

const picture = { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo'.repeat(50_000) } };
const notebook = (...sources: string[]) =>
  JSON.stringify({
    cells: sources.map((source) => ({ cell_type: 'code', outputs: [picture], source: source.split(/(?<=\n)/u) })),
    metadata: { kernelspec: { language: 'python' } },
  });
const tree = {
  'shop/money.py': 'def euro(n): ...\n\n\ndef yen(n): ...\n',
  'notes/prices.ipynb': notebook('%matplotlib inline\n', 'from shop.money import euro\n', 'plot(euro(3))'),
};
const text = '# %%\n# %matplotlib inline\n\n# %%\nfrom shop.money import euro\n\n# %%\nplot(euro(3))\n';

describe('notebooks', () => {
  it.each([
    ['on disk', undefined],
    ['as an editor of texts has it', tree['notes/prices.ipynb']],
    ['as an editor of notebooks has its code', 'from shop.money import euro\neuro(2)\n'],
  ])('RT-07 the imports of an active notebook are followed: %s', async (_, content) => {
    const { retrieve } = await open(tree);
    const { items, warnings } = await retrieve({
      activeDocument: { path: 'notes/prices.ipynb', ...(content && { content }) },
    });
    expect(items.map(({ relativePath, content }) => [relativePath, content])).toEqual([
      ['shop/money.py', 'def euro(n): ...'],
    ]);
    expect(warnings).toEqual([]);
  });

  it('RT-07 a cursor counts in the code of an active notebook, not in its JSON', async () => {
    const long = `def euro(n):\n${'    work()\n'.repeat(30)}`;
    const { engine } = await open({ 'shop/money.py': long });
    const gathered = async (content: string) => {
      const documents = [{ path: 'a.ipynb', content, cursor: { line: 3, column: 1 } }];
      const { items } = await engine.gatherContext({ mountedDirectory: project, documents });
      return items.map((item) => item.content);
    };
    const source = '\nfrom shop.money import euro\n\neuro(2)\n';
    const json = notebook(source.slice(1));
    // The cursor is at the same name in both.
    expect([source, notebookText(json)].map((text) => text?.split('\n')[3])).toEqual(['euro(2)', 'euro(2)']);
    expect(await gathered(source)).toEqual([long.trimEnd()]);
    expect(await gathered(json)).toEqual(['def euro(n):']);
  });

  it('RT-07 a notebook in a tab or in the list is its cells, whatever its outputs weigh', async () => {
    const workspace = await open({ ...tree, 'notes/OLD.IPYNB': notebook('old = 1') });
    await add(workspace, 'file', 'notes/OLD.IPYNB');
    const { items } = await workspace.retrieve({ openTabs: ['notes/prices.ipynb'] });
    expect(items.map(({ relativePath, content, language }) => [relativePath, content, language])).toEqual([
      ['notes/OLD.IPYNB', '# %%\nold = 1\n', 'python'],
      ['notes/prices.ipynb', text, 'python'],
    ]);
  });

  it('RT-07 the query finds parts of cells, and nothing in outputs', async () => {
    const { retrieve } = await open({
      'notes/a.ipynb': notebook(filler(0, 60), 'def round_half_even(price): ...\n', filler(60, 60)),
      'notes/b.ipynb': notebook('b = 1'),
    });
    const result = await retrieve({ query: 'round half even' });
    expect(shown(result)).toEqual(['search notes/a.ipynb']);
    const [found] = result.items;
    expect(found?.content).toContain('# %%\ndef round_half_even(price): ...');
    expect(found?.content.split('\n')).toHaveLength((found?.range?.endLine ?? 0) - (found?.range?.startLine ?? 0) + 1);
    expect((await retrieve({ query: 'iVBORw0KGgo image png' })).items).toEqual([]);
  });

  it('RT-07 a broken notebook, and one that is too large, is the text that it is', async () => {
    const large = notebook(`a = "${'a'.repeat(fixedLimits.notebooks.bytes)}"`);
    const { retrieve } = await open({ 'broken.ipynb': '{"cells": [', 'large.ipynb': large });
    const { items } = await retrieve({ openTabs: ['broken.ipynb', 'large.ipynb'] });
    expect(items.map(({ content, truncated }) => [content.slice(0, 11), truncated])).toEqual([
      ['{"cells": [', false],
      ['{"cells":[{', true],
    ]);
  });

  it('RT-07 cells longer than a file may be are cut', async () => {
    const { retrieve } = await open({ 'long.ipynb': notebook('é'.repeat(700_000)) });
    const [item] = (await retrieve({ openTabs: ['long.ipynb'], budget: { maxTokens: 10_000_000 } })).items;
    expect([item?.truncated, item?.content.startsWith('# %%\néé'), item?.content.length]).toEqual([
      true,
      true,
      5 + Math.floor((1024 * 1024 - 5) / 2),
    ]);
  });

  it('RT-07 a changed notebook is read again', async () => {
    const { retrieve, files } = await open(tree);
    await retrieve({ openTabs: ['notes/prices.ipynb'] });
    files.write(`${project}/notes/prices.ipynb`, notebook('new = 1'));
    expect((await retrieve({ openTabs: ['notes/prices.ipynb'] })).items[0]?.content).toBe('# %%\nnew = 1\n');
  });
});

import { describe, expect, it } from 'vitest';
import { fixedLimits } from '../../src/settings.ts';
import { notebookText } from '../../src/texts/notebook.ts';

const code = (...source: unknown[]) => ({ cell_type: 'code', outputs: [{ data: { 'image/png': 'iVBOR' } }], source });
const textOf = (...cells: unknown[]) => notebookText(JSON.stringify({ cells, nbformat: 4 }));

describe('a notebook as text', () => {
  it('RT-07 has cells in their order, what is not code as comments, and no outputs', () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Prices\n', '\n', 'In cents.'] },
      code('import shop\n', 'shop.total()\n'),
      { cell_type: 'raw', source: 'as is' },
      code(),
    ];
    expect(textOf(...cells)).toBe(
      '# %% [markdown]\n# # Prices\n#\n# In cents.\n\n# %%\nimport shop\nshop.total()\n\n# %% [raw]\n# as is\n\n# %%\n',
    );
  });

  it.each([
    [
      '%matplotlib inline\n!pip install shop\n  %time total()',
      '# %matplotlib inline\n# !pip install shop\n#   %time total()',
    ],
    ['! pip install \\\n  shop\na = 1', '# ! pip install \\\n#   shop\na = 1'],
    ['x = (\n  y\n  % 4\n  != b\n)\na %= 2\n"%s"', 'x = (\n  y\n  % 4\n  != b\n)\na %= 2\n"%s"'],
    ['! pip install \\\r\n  shop\r\na = 1', '# ! pip install \\\n#   shop\na = 1'],
    ['a = 1 + \\\n  2', 'a = 1 + \\\n  2'],
    ['%R plot(x)', '# %R plot(x)'],
    [' \n', ''],
    ['%%capture out\ntotal()', '# %%capture out\ntotal()'],
    ['%%python3\ntotal()', '# %%python3\ntotal()'],
    ['%%bash\nls -l', '# %%bash\n# ls -l'],
    ['\n%%time\ntotal()', '\n# %%time\ntotal()'],
    ['%%timeit -n 1\ntotal()', '# %%timeit -n 1\ntotal()'],
  ])('RT-07 commands of the notebook are comments, and so is another language below one: %j', (source, text) => {
    expect(textOf(code(source))).toBe(`# %%\n${text === '' ? '' : `${text}\n`}`);
  });

  it.each(['{"cells": [', '[]', 'null', '{"cells": {}}', '{"worksheets": []}'])('RT-07 %s is no notebook', (text) => {
    expect(notebookText(text)).toBeUndefined();
  });

  it('RT-07 what is no cell or no text in it is left out', () => {
    expect(textOf(null, 1, [], {}, code(1, 'a = 1\n', null, { b: 1 }), { cell_type: 'code', source: 7 })).toBe(
      '# %% [markdown]\n\n# %%\na = 1\n\n# %%\n',
    );
  });

  it('RT-07 a text with too many parts is not parsed; what is inside its texts does not count', () => {
    const many = fixedLimits.notebooks.parts;
    expect(notebookText(`{"cells": [], "a": [${'[],'.repeat(many)}0]}`)).toBeUndefined();
    expect(notebookText(`{"cells": [], "a": [${'"",'.repeat(many)}0]}`)).toBeUndefined();
    expect(notebookText(`{"cells": [], "a": [${'0,'.repeat(many * 5)}0]}`)).toBeUndefined();
    expect(notebookText(`{"cells": [], "a": [${'[],'.repeat(many / 1.3)}0]}`)).toBe('\n');
    expect(notebookText(`{"cells": [], "a": "${'[{\\"\\\\'.repeat(many)}"}`)).toBe('\n');
  });

  it('RT-07 of many lines the first are taken, and NUL characters are left out', () => {
    const { characters } = fixedLimits.notebooks;
    expect(textOf(code('a\n'.repeat(characters)), code('b'))?.length).toBeLessThan(characters + 10);
    expect(textOf(code('a\u0000b'))).toBe('# %%\nab\n');
  });
});

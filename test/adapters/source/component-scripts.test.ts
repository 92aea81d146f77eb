import { describe, expect, it } from 'vitest';
import { type ComponentLanguage, onlyMarkup, onlyScripts } from '../../../src/adapters/source/component-scripts.ts';
import { loadExtractor } from '../../../src/adapters/source/load-extractor.ts';
import { expectQuick } from '../../support/expect-quick.ts';

const cases: [language: ComponentLanguage, text: string, scripts: string[]][] = [
  ['vue', '<template><scripture/></template>\n<script>\na\n</script>\n<style>b</style>', ['a']],
  ['vue', '<script generic=\'A<B>\' lang="ts">a</script><p/><SCRIPT setup>b</SCRIPT>', ['a', 'b']],
  ['vue', '<script>a', ['a']],
  ['vue', '<script lang="ts', []],
  ['svelte', '---\na\n---\n<script module>b</script>\n{c}', ['b']],
  ['astro', '\uFEFF\n---  \r\na\n---\n<p>---</p>\n<script>b</script>', ['a', 'b']],
  ['astro', '---\na\n', ['a']],
  ['astro', '<p>---</p>\n---\na\n---\n', []],
];

describe('scripts of components', () => {
  it.each(cases)('RT-02 %s: %j', (language, text, scripts) => {
    const only = onlyScripts(text, language);
    expect(only.split(/\s+/u).filter((word) => word !== '')).toEqual(scripts);
    expect(only).toHaveLength(text.length);
    for (const script of scripts)
      expect(only.indexOf(script)).toBe(text.search(new RegExp(`(?<=[>\\n])${script}`, 'u')));
    expect(only.split('\n')).toHaveLength(text.split('\n').length);
    const markup = onlyMarkup(text, language);
    expect([...only].map((each, at) => (each === ' ' ? markup[at] : each)).join('')).toBe(text);
  });

  it.each([
    ['vue', "<script setup>import * as Card from './card';</script>\n"],
    ['svelte', "<script>import * as Card from './card';</script>\n"],
    ['astro', "---\nimport * as Card from './card';\n---\n"],
  ] as const)('RT-02 %s: names of a whole module that only the markup uses', async (language, script) => {
    const markup = '<Card.Root title={Card.titles.short}>My.Card.Other</Card.Root>\n<a.b {Unknown.name} />\n';
    const { imports } = (await loadExtractor(language))(script + markup);
    expect(imports.map(({ names }) => names)).toEqual([['Root', 'titles']]);
  });

  it.each(['<script>', '<script ', '<script a="', '</script', '---\n', '<script></script>'])(
    'S-52 a text that repeats %j takes little time',
    (unit) => {
      for (const language of ['astro', 'svelte', 'vue'] as const)
        expectQuick(() => onlyMarkup(unit.repeat(1_000_000 / unit.length), language));
    },
  );
});

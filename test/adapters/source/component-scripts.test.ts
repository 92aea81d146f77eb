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
  [
    'astro',
    '---\na\n---\n<script src="/x.js" set:html={x.map((y) => "}")} />\n<p>it\'s</p><script>b</script>',
    ['a', 'b'],
  ],
  ['svelte', '<script type="application/ld+json">{"x": 1}</script>\n<script type="module">a</script>', ['a']],
  ['vue', '<!-- <script>b</script> -->\n<script>a</script><!-- <script>', ['a']],
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

  describe('of a long component', () => {
    const markup = `<template>\n${'  <p />\n'.repeat(60)}</template>\n`;
    const setup = '<script setup lang="ts">\ndefineProps<{ a: 1 }>();\n</script>';
    const options = "<script>\nexport default { name: 'A' };\n</script>";
    const front = '---\nconst { a } = Astro.props;\n---';
    const textOf = async (language: ComponentLanguage, text: string) => {
      const { definitions } = (await loadExtractor(language))(text);
      return definitions.filter(({ name }) => name === 'default').map((each) => each.text);
    };

    it.each([
      ['vue', `${markup}\n${setup}\n`, [`…\n${setup}`]],
      ['vue', `${setup}\n${markup}`, [`${setup}\n…`]],
      ['vue', `${options}\n${setup}\n${markup}`, ["export default { name: 'A' };", `${options}\n${setup}\n…`]],
      ['vue', `${options}\n${markup}`, ["export default { name: 'A' };"]],
      ['vue', markup, []],
      ['vue', `${setup}\n<p />\n`, []],
      [
        'svelte',
        `<script>\nlet { a } = $props();\n</script>\n${markup}`,
        ['<script>\nlet { a } = $props();\n</script>\n…'],
      ],
      ['astro', `${front}\n${markup}<script>\nshow();\n</script>\n`, [`${front}\n…`]],
      ['astro', `${markup}<script>\nshow();\n</script>\n`, []],
    ] as const)('RT-02 the scripts are its definition: %s %j', async (language, text, expected) => {
      expect((await textOf(language, text)).sort()).toEqual([...expected].sort());
    });

    it('RT-02 it spans all lines, and of a long script the beginning is shown', async () => {
      const script = `<script>\n${'run();\n'.repeat(200)}</script>`;
      const { definitions } = (await loadExtractor('svelte'))(`${script}\n<p />\n`);
      expect(definitions).toMatchObject([{ name: 'default', startLine: 1, endLine: 203 }]);
      expect(definitions[0]?.text.split('\n')).toHaveLength(121);
    });
  });

  it.each([
    '<script>',
    '<script ',
    '<script a="',
    '</script',
    '---\n',
    '<script></script>',
    '<!--',
    '<script/>',
    '<script type=',
  ])('S-52 a text that repeats %j takes little time', (unit) => {
    for (const language of ['astro', 'svelte', 'vue'] as const)
      expectQuick(() => onlyMarkup(unit.repeat(1_000_000 / unit.length), language));
  });
});

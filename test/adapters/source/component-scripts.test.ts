import { describe, expect, it } from 'vitest';
import { type ComponentLanguage, onlyScripts } from '../../../src/adapters/source/component-scripts.ts';
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
      expectQuick(() => onlyScripts(unit.repeat(1_000_000 / unit.length), language));
  });
});

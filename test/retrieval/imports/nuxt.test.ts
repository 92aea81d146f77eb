import { describe, expect, it } from 'vitest';
import { active, leftOut, open } from '../support/retrieving.ts';

const component = '<template><p /></template>\n';

/** The paths of what goes with a component, with what is taken of it. */
async function takenBy(text: string, tree: Record<string, string>, path = 'app/pages/index.vue') {
  const { retrieve } = await open({ 'nuxt.config.ts': 'export default {};\n', ...tree });
  const result = await retrieve({ ...active(text, path), automatic: { search: false } });
  expect(leftOut(result)).toEqual([]);
  return result.items.map(({ relativePath, content }) =>
    content === component ? relativePath : [relativePath, content],
  );
}

describe('Nuxt, which imports by itself', () => {
  it('RT-02 components by their directories and names, each repeated name once', async () => {
    const components = [
      ...['Plain', 'base/Button', 'account/AccountCard', 'account/settings/SettingsPage'],
      ...['chart/index', 'Map.client', 'nav/Navigation', 'deep/Lonely'],
    ].map((name) => `app/components/${name}.vue`);
    const others = ['Unused', 'Own', 'Native'].map((name) => `app/components/${name}.vue`);
    const tree = Object.fromEntries([...components, ...others].map((path) => [path, component]));
    const used =
      '<Plain /><base-button><AccountCard /><LazyAccountSettingsPage /><Chart /><Map></Map><NavNavigation /><Lonely /><native />';
    const text = `<script setup>\nconst Own = 1;\n</script>\n<template>${used}<Own /></template>\n`;
    expect(await takenBy(text, tree)).toEqual(components);
  });

  it('RT-02 functions of composables and utils that the script or the markup calls, unless the file has them itself', async () => {
    const tree = {
      'composables/cart.ts': 'export const useCart = () => 1;\n\nexport function useOther() {}\n',
      'utils/deep/text.ts': 'export async function shorten() {}\n\nexport function own() {}\n',
      'server/utils/text.ts': 'export const serve = 1;\n',
      'src/own.ts': 'export const imported = 1;\n',
      'utils/imported.ts': 'export const imported = 2;\n',
      'utils/round.ts': 'export const round = 3;\n',
      'components/Alert.vue': component,
      'utils/alert.ts': 'const alert = 1;\n\nconst warn = 2;\nexport { alert, warn as tell };\n',
      'composables/use-total.ts': 'export default function total() {}\n\nexport const other = 1;\n',
    };
    const script =
      "import { imported } from '../src/own';\nconst cart = useCart();\nconst { total: { round }, ...rest } = cart;\nfunction own() {}\nown(); imported(); serve(); cart.useOther(); alert(); useTotal();\n";
    const text = `<script setup lang="ts">\n${script}</script>\n<template>{{ shorten(cart, round(1)) }}</template>\n`;
    expect(await takenBy(text, tree, 'pages/index.vue')).toEqual([
      ['src/own.ts', 'export const imported = 1;'],
      ['utils/deep/text.ts', 'export async function shorten() {}'],
      ['composables/cart.ts', 'export const useCart = () => 1;'],
      ['utils/alert.ts', 'const alert = 1;'],
      ['composables/use-total.ts', 'export default function total() {}'],
    ]);
  });

  it('RT-02 no component that the file imports itself, however its tag is written', async () => {
    const tree = { 'own/Sole.vue': component, 'components/SoleButton.vue': component };
    const text = "<script setup>\nimport SoleButton from '../own/Sole.vue';\n</script>\n<sole-button />\n";
    expect(await takenBy(text, tree, 'pages/a.vue')).toEqual(['own/Sole.vue']);
  });

  it('RT-02 what a file imports from the names that Nuxt makes', async () => {
    const tree = {
      'components/base/Button.vue': component,
      'composables/cart.ts': 'export const useCart = 1;\n\nexport const useOther = 2;\n',
    };
    const code =
      "import { useCart as cart, useRoute } from '#imports';\nimport { BaseButton, NuxtLink } from '#components';\nimport { x } from '#app';\n";
    expect(await takenBy(code, tree, 'plugins/a.ts')).toEqual([
      ['composables/cart.ts', 'export const useCart = 1;'],
      'components/base/Button.vue',
    ]);
  });

  it('RT-02 in no other project, and in no other file', async () => {
    const tree = { 'components/Plain.vue': component, 'composables/cart.ts': 'export const useCart = 1;\n' };
    const text = '<script setup>\nuseCart();\n</script>\n<Plain />\n';
    expect(await takenBy(text, tree, 'pages/a.vue')).toHaveLength(2);
    expect(await takenBy('useCart();\n', tree, 'pages/a.ts')).toEqual([]);
    const { retrieve } = await open(tree);
    expect((await retrieve({ ...active(text, 'pages/a.vue'), automatic: { search: false } })).items).toEqual([]);
  });
});

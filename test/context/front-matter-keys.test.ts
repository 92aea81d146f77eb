/** All that knows the keys of front matter learns them from one table (CC-27). */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const keys = '../../src/context/front-matter-keys.ts';
const options = { path: '/w/.context/rule.md', frontMatterBytes: 16_384 };

/** The modules as they are when the table has one key more, whose patterns are read without quotes, and one of another tool. */
async function withOneKeyMore() {
  const { frontMatterKeys, foreignKeys } =
    await vi.importActual<typeof import('../../src/context/front-matter-keys.ts')>(keys);
  const { patterns } = await vi.importActual<typeof import('../../src/context/front-matter-key-forms.ts')>(
    '../../src/context/front-matter-key-forms.ts',
  );
  const audience = { form: patterns, default: ['all'], means: 'Who it is for.', example: '*.team' };
  vi.doMock(keys, () => ({
    frontMatterKeys: { ...frontMatterKeys, audience },
    foreignKeys: { ...foreignKeys, readers: { like: 'audience', write: '"audience"', isSign: 'anywhere' } },
  }));
  return {
    ...(await import('../../src/context/front-matter.ts')),
    ...(await import('../../src/validation/front-matter-fence.ts')),
    ...(await import('../../src/validation/validate-content.ts')),
    ...(await import('../../src/validation/json-schemas.ts')),
    ...(await import('../../openapi/key-table.ts')),
  };
}

describe('a key that is added to the table', () => {
  beforeEach(() => void vi.resetModules());
  afterEach(() => {
    vi.doUnmock(keys);
    vi.resetModules();
  });

  it('CC-27 is read, without the quotes that YAML demands, and has its default', async () => {
    const { readContextFile } = await withOneKeyMore();
    const read = (text: string) => readContextFile(text, options).value;
    expect(read('---\naudience: *.team, b\n---\n')).toMatchObject({ audience: ['*.team', 'b'], properties: {} });
    expect(read('---\nglobs: a\n---\n')).toMatchObject({ audience: ['all'] });
  });

  it('CC-25 shows that a text was meant to be front matter', async () => {
    const { readContextFile, misfencedFrontMatter, frontMatterInTextFile } = await withOneKeyMore();
    const codes = (text: string) => readContextFile(text, options).warnings.map(({ code }) => code);
    expect(codes('audience: a\n---\n')).toEqual(['unopened_front_matter']);
    expect(codes('readers: a\n---\n')).toEqual(['unopened_front_matter']);
    expect(codes('---\n---\n---\naudience: a\n---\n')).toEqual(['second_front_matter']);
    expect(misfencedFrontMatter('--\naudience: a\n--\n')).toMatchObject({ code: 'front_matter_fence' });
    expect(frontMatterInTextFile('---\naudience: a\n')).toMatchObject({ code: 'front_matter_in_text_file' });
  });

  it('AP-08 is what a misspelled key meant, and what a key of another tool means', async () => {
    const { validateContent } = await withOneKeyMore();
    const content = (key: string) => `---\n${key}: a\n---\nText.\n`;
    const messages = (key: string) =>
      validateContent({ kind: 'context-file', content: content(key) }).diagnostics.map(({ message }) => message);
    expect(messages('audiense')).toEqual(['This has no effect. Did you mean "audience"?']);
    expect(messages('readers')).toEqual(['"readers" has no effect here; write "audience".']);
    expect(messages('audience')).toEqual([]);
  });

  it('AP-08 is in the schema and in the documentation', async () => {
    const { jsonSchemaOf, withKeyTable } = await withOneKeyMore();
    expect(jsonSchemaOf('context-file')).toMatchObject({ properties: { audience: { description: 'Who it is for.' } } });
    const page = readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8');
    expect(withKeyTable(page)).toContain('| `audience` | Who it is for. | `audience: *.team` |');
  });
});

it('CC-27 the documentation lists the keys as they are, with examples that are read without a warning', async () => {
  const { withKeyTable } = await import('../../openapi/key-table.ts');
  const { frontMatterKeys } = await import('../../src/context/front-matter-keys.ts');
  const { readContextFile } = await import('../../src/context/front-matter.ts');
  const page = readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8');
  expect(withKeyTable(page), 'run `npm run openapi`').toBe(page);
  const examples = Object.entries(frontMatterKeys).map(([name, { example }]) => `${name}: ${example}`);
  const { value, warnings } = readContextFile(`---\n${examples.join('\n')}\n---\n`, options);
  expect(warnings).toEqual([]);
  expect(value).toMatchObject({ globs: ['src/**'], disabled: true, priority: 100, properties: {} });
});

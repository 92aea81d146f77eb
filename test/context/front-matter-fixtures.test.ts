import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readContextFile } from '../../src/context/front-matter.ts';

type Expected = { bodyLine: number; warnings: string[] } & Record<string, unknown>;

const directory = join(import.meta.dirname, '../../fixtures/front-matter');
const expected: Record<string, Expected> = JSON.parse(readFileSync(join(directory, 'expected.json'), 'utf8'));
const defaults = { description: '', globs: ['*'], disabled: false, trigger: 'manual', priority: 500, properties: {} };

describe('files as editors and agents write them', () => {
  it('S-60 there are at least 50, each with an expectation', () => {
    const files = readdirSync(directory).filter((name) => name !== 'expected.json');
    expect(files.length).toBeGreaterThanOrEqual(50);
    expect(files.sort()).toEqual(Object.keys(expected).sort());
  });

  it.each(Object.entries(expected))('S-60 %s', (name, { warnings, ...value }) => {
    const text = readFileSync(join(directory, name), 'utf8');
    const result = readContextFile(text, { path: `/${name}`, frontMatterBytes: 16_384 });
    const { body, hasFrontMatter, ...properties } = result.value;
    expect(properties).toEqual({ ...defaults, ...value });
    expect(
      result.warnings.map(({ code, line, column, pointer }) =>
        [code, `${line}:${column}`, pointer].filter(Boolean).join(' '),
      ),
    ).toEqual(warnings);
    expect(hasFrontMatter).toBe(value.bodyLine > 1);
    expect(text.endsWith(body)).toBe(true);
    expect(text.slice(0, text.length - body.length).split('\n')).toHaveLength(value.bodyLine);
  });
});

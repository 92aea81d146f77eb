/** Holds the law that a function is short enough to be read at once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { root, sourceFiles } from './support/layout.ts';

const maxLines = 80;

/** Longer ones, each with the reason why it is whole. One that is short enough by now does not belong here. */
const exceptions: Readonly<Record<string, string>> = {
  'src/search/key-rows.ts createKeyRows': 'apart from what they read, its inner loops take a third more time',
};

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof (value as Partial<Node> | null)?.type === 'string';
const nameOf = (value: unknown): string | undefined => (value as { name?: string } | null | undefined)?.name;

/** All functions with a body, each by the name that it is given, and its lines. */
function functionsIn(file: string, text: string): { name: string; lines: number }[] {
  const found: { name: string; lines: number }[] = [];
  const walk = (value: unknown, given: string): void => {
    if (Array.isArray(value)) for (const each of value) walk(each, given);
    if (!isNode(value)) return;
    const name = nameOf(value.id) ?? nameOf(value.key) ?? given;
    if (/Function/u.test(value.type) && isNode(value.body))
      found.push({ name, lines: text.slice(value.start, value.end).split('\n').length });
    for (const part of Object.values(value)) walk(part, name);
  };
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  walk(program, '');
  return found;
}

function longIn(file: string, text: string): string[] {
  const long = functionsIn(file, text).filter(({ lines }) => lines > maxLines);
  return long.map(({ name }) => `${file} ${name}`);
}

/** A function of so many lines, in several forms. */
function forms(lines: number): string[] {
  const body = `{${'\n'.repeat(lines - 1)}}`;
  return [
    `export function long() ${body}`,
    `const long = async () => ${body};`,
    `const verbs = { long() ${body} };`,
    `const verbs = { long: function () ${body} };`,
    `class Some { long() ${body} }`,
    `function short() { return () => { function long() ${body} } }`,
  ];
}

describe('functions', () => {
  it(`have at most ${maxLines} lines, but for those that say why not`, () => {
    const files = sourceFiles('src');
    expect(files.length).toBeGreaterThan(300);
    const long = files.flatMap((file) => longIn(file, readFileSync(join(root, file), 'utf8')));
    expect(long.sort()).toEqual(Object.keys(exceptions).sort());
  });

  it.each([0, 1, 2, 3, 4, 5])('are found when they are one line too long, form %i', (form) => {
    const [fitting, tooLong] = [maxLines, maxLines + 1].map((lines) => forms(lines)[form] ?? '');
    // What stands on the same line around the function of the last form is as long as it.
    expect(longIn('src/long.ts', fitting ?? '')).toEqual([]);
    expect(longIn('src/long.ts', tooLong ?? '')).toContain('src/long.ts long');
  });
});

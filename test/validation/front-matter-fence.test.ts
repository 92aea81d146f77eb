/** Front matter that is a character away from being front matter (CC-25, AP-08). */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateContent } from '../../src/validation/validate-content.ts';

const check = (content: string, path = 'rule.md') => validateContent({ kind: 'context-file', content, path });
const shown = (content: string, path?: string) =>
  check(content, path).diagnostics.map(({ severity, code, line, column }) => `${severity} ${code} ${line}:${column}`);

const properties = 'description: Style\ntrigger: always\n';

describe('nearly front matter', () => {
  it.for<[what: string, content: string, finding: string, message: string]>([
    ['a space before the first fence', ` ---\n${properties}---\nText.\n`, 'front_matter_fence 1:1', 'space before'],
    ['a space after the first fence', `--- \n${properties}---\nText.\n`, 'front_matter_fence 1:1', 'space after'],
    ['a tab after the first fence', `---\t\n${properties}---\nText.\n`, 'front_matter_fence 1:1', 'exactly "---"'],
    ['a no-break space', `---\u00a0\n${properties}---\nText.\n`, 'front_matter_fence 1:1', 'exactly "---"'],
    ['four dashes', `----\n${properties}----\nText.\n`, 'front_matter_fence 1:1', 'exactly "---"'],
    ['two dashes', `--\n${properties}--\nText.\n`, 'front_matter_fence 1:1', 'exactly "---"'],
    ['a typographic dash', `—\n${properties}—\nText.\n`, 'front_matter_fence 1:1', 'exactly "---"'],
    ['a language', `---yaml\n${properties}---\nText.\n`, 'front_matter_fence 1:1', 'exactly "---"'],
    ['the fence of TOML', `+++\nname: x\n+++\nText.\n`, 'front_matter_fence 1:1', 'exactly "---"'],
    ['a blank line before it', `\n---\n${properties}---\nText.\n`, 'front_matter_fence 2:1', 'first line'],
    ['blank lines before it', ` \r\n\r\n---\r\n${properties}---\nText.\n`, 'front_matter_fence 3:1', 'first line'],
    ['no last fence', `---\n${properties}Text.\n`, 'front_matter_not_closed 1:1', 'never closed'],
    ['no last fence and no text', `---\n${properties}`, 'front_matter_not_closed 1:1', 'never closed'],
    ['a space after the last fence', `---\n${properties}--- \nText.\n`, 'front_matter_fence 4:1', 'to end'],
    ['a space before the last fence', `---\n${properties} ---\nText.\n`, 'front_matter_fence 4:1', 'to end'],
    ['dots as the last fence', `---\n${properties}...\nText.\n`, 'front_matter_fence 4:1', 'to end'],
    ['a longer last fence', `---\n${properties}-----\nText.\n`, 'front_matter_fence 4:1', 'to end'],
    ['properties of other tools', `--- \nalwaysApply: true\n---\nText.\n`, 'front_matter_fence 1:1', 'space after'],
  ])('CC-25 AP-08 %s is an error', ([, content, finding, message]) => {
    expect(shown(content)).toEqual([`error ${finding}`]);
    expect(check(content).diagnostics[0]?.message).toContain(message);
    expect(check(content).valid).toBe(false);
  });

  it('CC-25 AP-08 a byte order mark does not hide it', () => {
    expect(shown(`\uFEFF--- \n${properties}---\nText.\n`)).toEqual(['error front_matter_fence 1:1']);
    expect(shown(`\uFEFF---\n${properties}---\nText.\n`)).toEqual([]);
  });

  it('CC-24 AP-08 front matter in a .txt is text', () => {
    expect(shown(`---\n${properties}---\nText.\n`, 'note.TXT')).toEqual(['error front_matter_in_text_file 1:1']);
    expect(shown('---\nA line.\n', 'note.txt')).toEqual([]);
    expect(shown(` ---\n${properties}---\nText.\n`, 'note.txt')).toEqual([]);
  });

  it('CC-25 what the parser says of a fence is said once', () => {
    expect(shown(`${properties}---\nText.\n`)).toEqual(['error unopened_front_matter 1:1']);
    expect(shown(`---\nname: x\n---\n\n---\n${properties}---\nText.\n`)).toEqual(['error second_front_matter 5:1']);
  });
});

describe('no front matter, and none was meant', () => {
  it.each([
    'Text.\n',
    '# Title\n\n---\n\nname: value\n',
    '---\n# Title\n\nname: of a thing\n',
    '----\nText between rules.\n----\n',
    '-- \nAda\n',
    '---\n- a\n- name: b\n',
    '---\n\n```yaml\nname: x\n```\n',
    '...\nand so on: to the end\n',
    '===\nText\n',
  ])('CC-25 %j has no finding', (content) => {
    expect(shown(content)).toEqual([]);
  });

  it('CC-25 CC-26 the parser and this check agree about every fixture', () => {
    const folder = new URL('../../fixtures/front-matter/', import.meta.url);
    const expected: Record<string, { warnings: string[] }> = JSON.parse(
      readFileSync(new URL('expected.json', folder), 'utf8'),
    );
    const names = readdirSync(folder).filter((name) => /\.mdc?$/u.test(name));
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      const found = check(readFileSync(new URL(name, folder), 'utf8'), name).diagnostics;
      // What the parser warns of is found here too, at the same place.
      for (const warning of expected[name]?.warnings ?? [])
        expect(
          found.map(({ code, line, column, pointer }) => `${code} ${line}:${column}${pointer ? ` ${pointer}` : ''}`),
          name,
        ).toContain(warning);
      expect(found.filter(({ code }) => code.startsWith('front_matter_')).map(({ code }) => `${name} ${code}`)).toEqual(
        name === 'not-front-matter-unclosed.md' ? [`${name} front_matter_not_closed`] : [],
      );
    }
  });
});

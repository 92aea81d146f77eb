import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type CheckPage, renderDiagnostics } from '../../../src/bin/render/diagnostics.ts';
import { createSheet, type PageOptions } from '../../../src/bin/render/page.ts';
import { textWidth } from '../../../src/bin/render/terminal-text.ts';
import type { Diagnostic } from '../../../src/validation/diagnostic.ts';

const directory = '/home/me/shop';
const config = `${directory}/.context/context-config.json`;

function finding(over: Partial<Diagnostic> = {}): Diagnostic {
  return {
    severity: 'error',
    code: 'invalid_config_value',
    message: 'Invalid value: expected a list. It is ignored.',
    path: config,
    line: 2,
    column: 21,
    pointer: '/clientContext/excludeFiles',
    ...over,
  };
}
const sources = new Map([
  [config, ['{', '    "excludeFiles": "drafts/**",', '  "env": {"T": "s3cret"}', '']],
  [`${directory}/.context/a.md`, ['--- ', 'Text.']],
]);
const render = (diagnostics: Diagnostic[], over: Partial<CheckPage & PageOptions> = {}) => {
  const sheet = createSheet({ columns: 80, colors: false, home: '/home/me', directory, ...over });
  return renderDiagnostics(diagnostics, { ...sheet, directory, strict: false, sources, ...over });
};

const many = [
  finding(),
  finding({
    severity: 'warning',
    code: 'unknown_config_key',
    message: 'Unknown key.',
    line: 3,
    column: 3,
    pointer: '/env',
  }),
  finding({
    code: 'front_matter_fence',
    message: 'This line must be exactly "---".',
    path: `${directory}/.context/a.md`,
    line: 1,
    column: 1,
  }),
  finding({
    severity: 'warning',
    code: 'symlink',
    message: `Not followed: ${directory}/.context/b.md.`,
    path: `${directory}/.context/b.md`,
    line: undefined,
    column: undefined,
  }),
  finding({
    severity: 'warning',
    code: 'limit_entries',
    message: 'At most 5 entries are read.',
    path: undefined,
    line: undefined,
    column: undefined,
  }),
];

describe('renderDiagnostics', () => {
  it('AP-08 shows three of many files in a folder with the same one warning, and counts the others', () => {
    const misnamed = (path: string, over: Partial<Diagnostic> = {}) =>
      finding({ severity: 'warning', code: 'misnamed_rule', message: 'Not read.', path, line: 1, column: 1, ...over });
    const rules = [1, 2, 3, 4, 5].map((each) => misnamed(`${directory}/.agents/rules/${each}.mdc`));
    const elsewhere = [1, 2, 3].map((each) => misnamed(`${directory}/lib/${each}.mdc`));
    const page = render([...rules, ...elsewhere]);
    expect(page.split('\n').filter((line) => line !== '' && !/Not read/u.test(line))).toEqual([
      ...[
        '.agents/rules/1.mdc',
        '.agents/rules/2.mdc',
        '.agents/rules/3.mdc',
        'and 2 more such files in .agents/rules',
      ],
      ...['lib/1.mdc', 'lib/2.mdc', 'lib/3.mdc', '8 warnings in 8 files.'],
    ]);
    const errors = rules.map((each) => ({ ...each, severity: 'error' as const }));
    expect(render(errors)).toContain('.agents/rules/5.mdc');
    const others = [1, 2, 3, 4].map((each) => misnamed(`${directory}/${each}.md`, { code: 'unknown_config_key' }));
    expect(render(others)).toContain('4.md');
  });

  it('AP-08 of many consequences ten are named and the others counted', () => {
    const consequences = Array.from({ length: 1_012 }, (_, index) => ({
      code: 'blocked_by_policy' as const,
      message: 'It is blocked.',
      path: `${directory}/.context/${index}.md`,
    }));
    const page = render([finding({ consequences })]);
    expect(page).toContain('    Because of this, 1,012 files are not delivered:\n      .context/0.md\n');
    expect(page).toContain('      .context/9.md\n      and 1,002 more\n');
    expect(page).not.toContain('.context/10.md');
    expect(page).toMatch(/\n1 error in 1 file\.\n$/u);
  });

  it('AP-08 shows each finding by file, with its line, the place in it, and a summary', () => {
    expect(render(many)).toBe(`.context/context-config.json
  ✕ 2:21 Invalid value: expected a list. It is ignored.  invalid_config_value
     2 │     "excludeFiles": "drafts/**",
       │                     ^
  ! 3:3 Unknown key.  unknown_config_key
     3 │   "env": {"T": "••••••"}
       │   ^

.context/a.md
  ✕ 1:1 This line must be exactly "---".  front_matter_fence
     1 │ ---·
       │ ^

.context/b.md
  ! Not followed: .context/b.md.  symlink

~/shop
  ! At most 5 entries are read.  limit_entries

2 errors and 3 warnings in 2 files.
`);
  });

  it('AP-08 says when there is nothing to say', () => {
    expect(render([])).toBe('No problems found.\n');
  });

  it.each([
    [[finding()], false, '1 error in 1 file.'],
    [[finding({ severity: 'warning' })], false, '1 warning in 1 file.'],
    [[finding({ severity: 'warning' })], true, '1 warning in 1 file, which counts as an error.'],
    [[many[1], many[4]], true, '2 warnings in 1 file, which count as errors.'],
    [[many[0], many[1]], true, '1 error and 1 warning in 1 file.'],
    [[many[4]], false, '1 warning.'],
  ])('AP-08 counts what was found', (diagnostics, strict, summary) => {
    expect(
      render(diagnostics as Diagnostic[], { strict })
        .trimEnd()
        .split('\n')
        .at(-1),
    ).toBe(summary);
  });

  it.each([40, 60, 80, 120, 500, 0])('AP-08 is no wider than %i columns, or 40, or 110', (columns) => {
    const long = finding({ message: `${'A long sentence. '.repeat(20)}${'x'.repeat(200)}.`, column: 500 });
    const wide = new Map([[config, ['', `${'漢'.repeat(300)}"x": "y"`]]]);
    for (const line of render([...many, long], { columns, sources: wide }).split('\n'))
      expect(textWidth(line), line).toBeLessThanOrEqual(Math.max(40, Math.min(110, columns)));
  });

  it('AP-08 S-44 lets nothing hostile reach the terminal', () => {
    const hostile = '\u001b[2J\u202e\r\u200b\u{e0041}\n';
    const path = `${directory}/${hostile}.md`;
    const page = render(
      [finding({ path, message: `It says ${hostile}.`, pointer: `/${hostile}`, line: 1, column: 1 })],
      {
        sources: new Map([[path, [hostile.replace('\n', '')]]]),
        directory: `/home/${hostile}`,
      },
    );
    expect(page.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(page).toContain(String.raw`\u{1b}[2J\u{202e}`);
    expect(page.split('\n')).toHaveLength(7);
  });

  it('AP-08 S-05 quotes no value of a configuration that may be secret', () => {
    const secret = 's3cret';
    const lines = [`"T": "${secret}", "clientContext": {"includeFiles": ["a"]}`];
    for (const name of ['config.json', 'context-config.json', 'config.yaml', 'config.yml']) {
      const path = `${directory}/.context/${name}`;
      for (const pointer of ['/mcpServers/x', '/T', '', undefined, '/clientContext/includeFiles/0'])
        for (const column of [1, 7, lines[0]?.indexOf('"a"') ?? 0])
          if (pointer !== '/clientContext/includeFiles/0' || column > 7)
            expect(
              render([finding({ path, pointer, line: 1, column })], { sources: new Map([[path, lines]]) }),
            ).not.toContain(secret);
    }
  });

  it('AP-08 colours the marks, where colours are wanted', () => {
    expect(render(many)).not.toContain('\u001b');
    const coloured = render(many, { colors: true });
    expect(coloured).toContain('\u001b[31m✕\u001b[39m');
    expect(coloured).toContain('\u001b[33m!\u001b[39m');
    expect(stripVTControlCharacters(coloured)).toBe(render(many));
  });

  it('AP-08 what is about a file as such shows no line of it', () => {
    const page = render([finding({ code: 'config_not_read', message: 'It cannot be read.', line: 1, column: 1 })]);
    expect(page).toBe('.context/context-config.json\n  ✕ It cannot be read.  config_not_read\n\n1 error in 1 file.\n');
  });

  it('AP-08 a line that is gone meanwhile, or empty, is not shown', () => {
    expect(render([finding({ line: 90 })])).not.toContain('│');
    expect(render([finding({ line: 4, column: 1 })])).not.toContain('│');
    expect(render([finding()], { sources: new Map() })).not.toContain('│');
  });
});

/** Checks of one text (AP-08; CC-09, CC-17, CC-27 … CC-30, S-65). */
import { describe, expect, it } from 'vitest';
import { ValidateResult } from '../../src/validation/diagnostic.ts';
import { validateContent } from '../../src/validation/validate-content.ts';

type Kind = Parameters<typeof validateContent>[0]['kind'];

function check(kind: Kind, content: string, path?: string): string[] {
  const result = ValidateResult.strict().parse(
    validateContent({ kind, content, ...(path === undefined ? {} : { path }) }),
  );
  expect(result.valid).toBe(!result.diagnostics.some(({ severity }) => severity === 'error'));
  return result.diagnostics.map(
    ({ severity, code, line, column, pointer }) =>
      `${severity} ${code} ${line}:${column}${pointer ? ` ${pointer}` : ''}`,
  );
}
const config = (content: string, path = 'context-config.json') => check('context-config', content, path);
const policy = (content: string) => check('ai-context-policy', content, '.ai-context-policy.yaml');
const file = (content: string, path = 'rule.md') => check('context-file', content, path);
const client = (value: object) => config(JSON.stringify({ clientContext: value }));
const message = (kind: Kind, content: string, path = 'x.md') =>
  validateContent({ kind, content, path }).diagnostics.map((each) => each.message);

describe('configurations', () => {
  it.each([
    '',
    '\uFEFF',
    '{}',
    '{"$schema": "../schemas/context-config.json", "clientContext": {}}',
    '{"clientContext": {"includeFiles": ["docs/**/*.md", "*", "../shared/*.{md,txt}", "[a]/b.md"], "excludeFiles": ["x/"]}}',
    '{"mcpServers": {"a": {"command": "npx", "type": "stdio"}, "b": {"url": "https://b.test/mcp", "type": "http"}}}',
  ])('AP-08 %j is right', (content) => {
    expect(config(content)).toEqual([]);
  });

  it('CC-09 a text that is broken as a whole is one error at its place', () => {
    expect(config('{\n  "clientContext": {},\n}\n')).toEqual(['error invalid_config 3:1']);
    expect(config('// ours\n{}\n')).toEqual(['error invalid_config 1:1']);
    expect(config('[]')).toEqual(['error invalid_config 1:1']);
    expect(config('clientContext:\n  includeFiles: [a\n', 'config.yaml')).toEqual(['error invalid_config 2:17']);
    expect(config(`{"a": "${'x'.repeat(300_000)}"}`)).toEqual(['error config_too_large 1:1']);
  });

  it('CC-09 a place past the last line is the end of the last line', () => {
    expect(config('{\n  "clientContext": {\n\n')).toEqual(['error invalid_config 3:1']);
    expect(config('{"clientContext": {\n')).toEqual(['error invalid_config 1:20']);
  });

  it('CC-09 wrong types are errors, unknown keys warnings', () => {
    expect(client({ includeFiles: 'a', ignoreGlobalContext: 'yes', theme: 'dark' })).toEqual([
      'error invalid_config_value 1:34 /clientContext/includeFiles',
      'error invalid_config_value 1:60 /clientContext/ignoreGlobalContext',
      'warning unknown_config_key 1:66 /clientContext/theme',
    ]);
  });

  it.each([
    ['{"clientContext": {"includefiles": []}}', '/clientContext/includefiles', '"includeFiles".'],
    ['{"clientContext": {"exclude_files": []}}', '/clientContext/exclude_files', '"excludeFiles".'],
    ['{"clientContext": {"exclude": []}}', '/clientContext/exclude', '"excludeFiles".'],
    ['{"clientcontext": {}}', '/clientcontext', '"clientContext".'],
    ['{"exclude_files": []}', '/exclude_files', '"excludeFiles" in "clientContext".'],
    ['{"mcpservers": {}}', '/mcpservers', '"mcpServers".'],
    ['{"mcpServers": {"a": {"command": "x", "arg": []}}}', '/mcpServers/a/arg', '"args".'],
  ])('CC-09 AP-08 in %s the right key is suggested', (content, pointer, suggestion) => {
    expect(config(content)).toEqual([expect.stringContaining(`error misspelled_config_key 1:`)]);
    expect(config(content)[0]).toContain(` ${pointer}`);
    expect(message('context-config', content)[0]).toBe(`This key has no effect; write ${suggestion}`);
  });

  it('CC-09 AP-08 a key that is written twice is an error at the second', () => {
    const content = '{\n  "mcpServers": {\n    "a": {"command": "x"},\n    "a": {"command": "y"}\n  }\n}';
    expect(config(content)).toEqual(['error duplicate_config_key 4:5 /mcpServers/a']);
    expect(config('mcpServers:\n  a: {command: x}\n  a: {command: y}\n', 'config.yml')).toEqual([
      'error invalid_config 3:3',
    ]);
  });

  it('CC-12 CC-17 a pattern that cannot be used is an error, one of another tool’s syntax a warning', () => {
    expect(client({ includeFiles: ['a', '{a,b}'.repeat(9), 'x/../y', '..'] })).toEqual([
      'error invalid_pattern 1:39 /clientContext/includeFiles/1',
      'error pattern_outside_granted_roots 1:87 /clientContext/includeFiles/2',
      'error pattern_outside_granted_roots 1:96 /clientContext/includeFiles/3',
    ]);
    const odd = ['!a', '@(a|b)', '[[:alpha:]]', 'a/{b,c', 'a, b', ' a'];
    expect(client({ excludeFiles: odd })).toEqual(
      odd.map((_, index) => expect.stringMatching(new RegExp(`^warning unsupported_glob_syntax .*/${index}$`, 'u'))),
    );
    expect(
      client({ excludeFiles: ['a(b)', 'a,b}', '{a|b}', 'app/(group)/[id].md', '!'.padStart(3, 'x')] }),
    ).toHaveLength(1);
  });

  it('CC-09 patterns that the parser refused are told of once', () => {
    expect(client({ includeFiles: ['', 'a'.repeat(513), 1] })).toHaveLength(3);
    expect(client({ includeFiles: Array.from({ length: 100 }, (_, index) => `!${index}`) }).length).toBeLessThan(70);
  });

  it('CC-09 AP-08 the address and the type of a server must fit', () => {
    const servers = {
      a: { url: 'localhost:3000' },
      b: { url: 'mcp.example.test' },
      c: { url: 'https://c.test', type: 'stdio' },
      d: { command: 'x', type: 'http' },
    };
    expect(config(JSON.stringify({ mcpServers: servers }, undefined, 1))).toEqual([
      'error invalid_server_url 4:11 /mcpServers/a/url',
      'error invalid_server_url 7:11 /mcpServers/b/url',
      'warning server_type_mismatch 11:12 /mcpServers/c/type',
      'warning server_type_mismatch 15:12 /mcpServers/d/type',
    ]);
  });

  it('CC-09 S-05 no message quotes a value', () => {
    const secret = 'hunter2-correct-horse';
    const contents = [
      `{"mcpServers": {"a": {"command": ["${secret}"], "env": {"A": ["${secret}"]}}}}`,
      `{"mcpServers": {"a": {"url": "${secret}"}}}`,
      `{"mcpServers": {"a": {"url": "https://x.test", "headers": {"A": {"${secret}": 1}}}}}`,
      `{"a": "${secret}`,
      `{"clientContext": {"includeFiles": "${secret}"}}`,
    ];
    for (const content of contents) expect(message('context-config', content).join('\n')).not.toContain(secret);
  });
});

describe('policies', () => {
  it('AP-04 AP-08 what blocks everything is an error, what is only unknown a warning', () => {
    expect(policy('ai_context_policy: allow\nexclude: [secret/**]\nversion: 1\n')).toEqual([]);
    expect(policy('ai_context_policy: allow\nexcludes: [secret/**]\n')).toEqual([
      'error misspelled_policy_key 2:1 /excludes',
    ]);
    expect(policy('ai_context_policy: maybe\n')).toEqual(['error invalid_policy_value 1:20 /ai_context_policy']);
    expect(policy('ai_context_policy: allow\nversion: 9\n')).toEqual(['error invalid_policy_value 2:10 /version']);
    expect(policy('ai_context_policy: allow\nteam: a\n')).toEqual(['warning unknown_policy_key 2:1 /team']);
    expect(policy('# later\n')).toEqual(['warning policy_without_kind 1:1']);
    expect(policy('ai_context_policy: allow\nexclude:\n  - "!a"\n')).toEqual([
      'warning unsupported_glob_syntax 3:5 /exclude/0',
    ]);
  });
});

describe('context files', () => {
  it.each([
    'Text.\n',
    '---\ndescription: Style\ntrigger: Always\n---\nText.\n',
    '---\ntrigger: auto\nglobs: **/*.{js|ts}, webpackconfig.js\n---\nText.\n',
    '---\ndescription: x\ntrigger: agent\nglobs: "*"\n---\nText.\n',
    '---\nname: x\ntags: [a]\ntitle: T\n---\nText.\n',
    '---\nalwaysApply: false\n---\nText.\n',
    '---\nalwaysApply: true\ntrigger: always\napplyTo: x\nglobs: "**"\n---\nText.\n',
  ])('AP-08 %j is right', (content) => {
    expect(file(content)).toEqual([]);
  });

  it('CC-26 CC-27 CC-30 what the front matter says wrongly is an error at its place', () => {
    expect(file('---\na: [\n---\nText.\n')).toEqual([expect.stringMatching(/^error invalid_front_matter \d:\d$/u)]);
    expect(file('---\ntrigger: sometimes\npriority: high\n---\nText.\n')).toEqual([
      'error unknown_trigger 2:10 /trigger',
      'error invalid_property 3:11 /priority',
    ]);
    expect(file('---\ntrigger: agent\n---\nText.\n')).toEqual(['error agent_without_description 2:10 /trigger']);
    expect(file(`---\nx: ${'y'.repeat(20_000)}\n---\nText.\n`)).toEqual(['error front_matter_too_large 2:1']);
  });

  it('CC-27 CC-28 AP-08 what does nothing is a warning', () => {
    expect(file('---\ndescription:\n---\nText.\n')).toEqual(['warning empty_description 2:1 /description']);
    expect(file('---\ndescription: ""\n---\nText.\n')).toEqual(['warning empty_description 2:1 /description']);
    expect(file('---\nglobs: src/**\n---\nText.\n')).toEqual(['warning globs_without_auto 2:1 /globs']);
    expect(file('---\ntrigger: always\nappliesTo: [src/**]\n---\nText.\n')).toEqual([
      'warning globs_without_auto 3:1 /appliesTo',
    ]);
    expect(file('---\ntrigger: auto\n---\nText.\n')).toEqual(['warning auto_without_globs 2:1 /trigger']);
    expect(file('---\ntrigger: auto\nglobs: a\nappliesTo: b\n---\nText.\n')).toEqual([
      'warning globs_overruled 3:1 /globs',
    ]);
    expect(file('---\nTrigger: always\n---\nText.\n')).toEqual(['warning misspelled_property 2:1 /Trigger']);
    expect(file('---\nalwaysApply: true\nglobs: a\n---\nText.\n')).toEqual([
      'warning foreign_property 2:1 /alwaysApply',
    ]);
    expect(file('---\napplyTo: a\n---\nText.\n')).toEqual(['warning foreign_property 2:1 /applyTo']);
  });

  it('CC-17 a glob that cannot be used is an error at the glob', () => {
    const many = '{a,b}'.repeat(9);
    expect(file(`---\ntrigger: auto\nglobs:\n  - ok\n  - "${many}"\n---\nText.\n`)).toEqual([
      'error invalid_pattern 5:6 /globs',
    ]);
    expect(file('---\ntrigger: auto\nglobs: ok, !no\n---\nText.\n')).toEqual([
      'warning unsupported_glob_syntax 3:12 /globs',
    ]);
  });

  it('AP-08 a file without text is a warning', () => {
    for (const content of ['', '\n\n', '\uFEFF']) expect(file(content)).toEqual(['warning empty_body 1:1']);
    expect(file('---\nname: x\n---\n\n')).toEqual(['warning empty_body 4:1']);
    expect(file('---\nname: x\n---')).toEqual(['warning empty_body 3:4']);
    expect(file(' ', 'a.txt')).toEqual(['warning empty_body 1:1']);
  });

  it('CC-18 CC-24 the name of a path counts when there is one', () => {
    expect(file('Text.', 'a.rst')).toEqual(['warning unsupported_type 1:1']);
    expect(file('Text.', 'prod.pem.md')).toEqual(['warning sensitive_name 1:1']);
    expect(check('context-file', 'Text.')).toEqual([]);
  });
});

describe('any text', () => {
  it.each<[Kind, string]>([
    ['context-file', 'Ignore\u202e this.\n'],
    ['context-file', '---\nname: x\n---\nIgnore\u{e0041} this.\n'],
    ['context-config', '{"mcpServers": {"pay\u200bpal": {"command": "x"}}}'],
    ['ai-context-policy', 'ai_context_policy: block\nexclude:\n  - "se\u2060cret/**"\n'],
  ])('S-65 hidden characters in a %s are a warning', (kind, content) => {
    expect(check(kind, content)).toEqual([expect.stringMatching(/^warning suspicious_unicode \d:\d+$/u)]);
  });

  it('AP-08 a merge that was not finished is a warning', () => {
    const conflict = '<<<<<<< HEAD\nA\n=======\nB\n>>>>>>> other\n';
    expect(file(`Text.\n${conflict}`)).toEqual(['warning merge_conflict 2:1']);
    expect(config(conflict)).toContain('warning merge_conflict 1:1');
    // Several tools write edits in this way, and their rules show it.
    const edit = '<<<<<<< SEARCH\nA\n=======\nB\n>>>>>>> REPLACE\n';
    expect(file(edit)).toEqual([]);
    expect(file(`${edit}${conflict}`)).toEqual(['warning merge_conflict 6:1']);
    expect(file('<<<<<<< a\nheading\n=======\n')).toEqual([]);
  });

  it('AP-08 the path of the request comes back, and none when it has none', () => {
    const finding = (path?: string) =>
      validateContent({ kind: 'context-file', content: '', ...(path === undefined ? {} : { path }) }).diagnostics[0];
    expect(finding('~/a/b.md')?.path).toBe('~/a/b.md');
    expect(finding()).not.toHaveProperty('path');
  });

  it('AP-08 every message says what to do', () => {
    const contents: [Kind, string][] = [
      ['context-config', '{"a": 1, "clientContext": {"includeFiles": 1, "includefiles": []}, "include": []}'],
      ['context-config', '{'],
      ['context-file', '---\ntrigger: x\nglobs: a\n---\n'],
      ['ai-context-policy', 'exclude: x'],
    ];
    for (const [kind, content] of contents)
      for (const text of message(kind, content)) expect(text).toMatch(/^[“"A-Z].{15,}\.$/su);
  });
});

describe('files of other tools', () => {
  it.each([
    ['.cursor/rules/a.mdc', '---\nalwaysApply: true\n---\nText.\n', []],
    [
      '/home/u/shop/.cursor/rules/a.mdc',
      '---\ntrigger: always\n---\nText.\n',
      ['warning key_of_another_tool 2:1 /trigger'],
    ],
    ['C:\\shop\\.clinerules\\a.md', '---\npaths: "*.ts"\n---\nText.\n', ['warning value_not_understood 2:1 /paths']],
    ['/home/u/shop/.roorules', 'Text.\n', []],
    ['shop/.context/AGENTS.md', '---\nalwaysApply: true\n---\nText.\n', ['warning foreign_property 2:1 /alwaysApply']],
    [
      'shop/.context/sub/AGENTS.md',
      '---\nalwaysApply: true\n---\nText.\n',
      ['warning foreign_property 2:1 /alwaysApply'],
    ],
  ])('AP-08 FM-02 %s: %j is checked as its own tool reads it', (path, text, findings) => {
    expect(file(text, path)).toEqual(findings);
  });
});

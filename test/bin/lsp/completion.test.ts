import { describe, expect, it } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { completionsAt } from '../../../src/bin/lsp/completion.ts';
import { hoverAt } from '../../../src/bin/lsp/hover.ts';
import { placeAt } from '../../../src/bin/lsp/place.ts';
import { type WrittenFile, writtenFileAt } from '../../../src/bin/lsp/written-file.ts';
import { expectQuick } from '../../support/expect-quick.ts';

const contextFile = '/p/.context/a.md';
const policy = '/p/.ai-context-policy.yaml';
const yamlConfig = '/p/.context/config.yml';
const jsonConfig = '/p/.context/context-config.json';

/** `marked` has a `|` where the cursor is. */
function open(path: string, marked: string) {
  const at = marked.indexOf('|');
  const document = TextDocument.create(`file://${path}`, 'x', 1, marked.slice(0, at) + marked.slice(at + 1));
  return { document, position: document.positionAt(at), file: writtenFileAt(path, '.context') as WrittenFile };
}

function complete(path: string, marked: string) {
  const { document, position, file } = open(path, marked);
  return completionsAt(document, position, file);
}
const labels = (path: string, marked: string) => complete(path, marked).map(({ label }) => label);

/** The text after the one completion that fits what was typed. */
function completed(path: string, marked: string, label: string): string {
  const { document } = open(path, marked);
  const item = complete(path, marked).find((each) => each.label === label);
  if (!item?.textEdit || !('range' in item.textEdit)) throw new Error(`no ${label}`);
  return TextDocument.applyEdits(document, [item.textEdit]);
}

describe('which file a path is', () => {
  it.each([
    [policy, 'ai-context-policy', '/p'],
    ['/p/sub/.context/deep/a.txt', 'context-file', '/p/sub'],
    [jsonConfig, 'context-config', '/p'],
    ['/p/.context/deep/config.json', undefined, undefined],
    ['/p/.context/picture.png', undefined, undefined],
    ['/p/src/a.md', undefined, undefined],
    ['/p/AGENTS.md', 'context-file', '/p'],
    ['/p/.cursor/rules/deep/a.mdc', 'context-file', '/p'],
  ])('%s: %s', (path, kind, owner) => {
    expect(writtenFileAt(path, '.context')?.kind).toBe(kind);
    expect(writtenFileAt(path, '.context')?.owner).toBe(owner);
  });
});

describe('completion', () => {
  it('knows what a cursor is in, in YAML that is not whole', () => {
    expect(labels(contextFile, '---\ntrigger: |')).toContain('always');
    expect(labels(contextFile, '---\ntri|\n---\n')).toContain('trigger');
    expect(labels(contextFile, '---\nname: a\n|\ntrigger: auto\n---\n')).not.toContain('trigger');
    expect(labels(contextFile, '---\nname: a\n---\n|')).toEqual([]);
    expect(labels(contextFile, '---\n# |\n---\n')).toEqual([]);
    expect(labels(contextFile, '\uFEFF---\r\ntrigger: |\r\n---\r\nText\r\n')).toContain('always');
    expect(labels(yamlConfig, 'clientContext:\n  formats: [cursor, |]\n')).toContain('agents-md');
    expect(labels(yamlConfig, 'clientContext:\n  formats:\n    - |\n')).toContain('agents-md');
    expect(labels(yamlConfig, 'clientContext:\n  formats:\n  - |\n')).toContain('agents-md');
    expect(labels(yamlConfig, 'clientContext:\n  |\n')).toContain('includeFiles');
    expect(labels(yamlConfig, 'clientContext:\n  includeFiles:\n    - pattern: a\n      |\n')).toContain('trigger');
    expect(labels(yamlConfig, 'clientContext:\n  includeFiles:\n    - pattern: a\n      trigger: |\n')).toContain(
      'agent',
    );
    expect(labels(yamlConfig, 'clientContext:\n  ignoreGlobalContext: |\n')).toEqual(['true', 'false']);
    expect(labels(yamlConfig, 'mcpServers:\n  github:\n    |\n')).toContain('command');
    expect(labels(yamlConfig, 'clientContext:\n  a: b\n|')).toContain('mcpServers');
    expect(labels(policy, '|')).toEqual(['ai_context_policy', 'exclude', 'version']);
  });

  it('knows what a cursor is in, in JSON that is not whole', () => {
    expect(labels(jsonConfig, '{ | }')).toContain('clientContext');
    expect(labels(jsonConfig, '{ "clientContext": { "formats": ["|"')).toContain('cursor');
    expect(labels(jsonConfig, '{ "clientContext": { "formats": [ | ] } }')).toContain('cursor');
    expect(labels(jsonConfig, '{ "clientContext": { "ignoreGlobalContext": | } }')).toEqual(['true', 'false']);
    expect(labels(jsonConfig, '{ "clientContext": { "formats": [], "|" } }')).not.toContain('formats');
    expect(labels(jsonConfig, '|')).toEqual([]);
  });

  it('replaces what was typed, and adds what is missing', () => {
    expect(completed(contextFile, '---\ntri|\n---\n', 'trigger')).toBe('---\ntrigger: \n---\n');
    expect(completed(contextFile, '---\ntri|: auto\n---\n', 'trigger')).toBe('---\ntrigger: auto\n---\n');
    expect(completed(contextFile, '---\ntrigger: al|\n---\n', 'always')).toBe('---\ntrigger: always\n---\n');
    expect(completed(yamlConfig, 'clientContext:\n  formats: [cursor, ag|]\n', 'agents-md')).toBe(
      'clientContext:\n  formats: [cursor, agents-md]\n',
    );
    expect(completed(jsonConfig, '{ "cli|" }', 'clientContext')).toBe('{ "clientContext":  }');
    expect(completed(jsonConfig, '{ cl| }', 'clientContext')).toBe('{ "clientContext":  }');
    expect(completed(jsonConfig, '{ "cli|": {} }', 'clientContext')).toBe('{ "clientContext": {} }');
    expect(completed(jsonConfig, '{ "clientContext": { "formats": ["cu|"] } }', 'cursor')).toBe(
      '{ "clientContext": { "formats": ["cursor"] } }',
    );
  });

  it('offers front matter to a file without text, with the keys of its format', () => {
    expect(completed(contextFile, '|', 'front matter')).toBe('---\ntrigger: \nglobs: \ndescription: \n---\n');
    expect(completed('/p/.cursor/rules/a.mdc', '--|', 'front matter')).toBe(
      '---\nglobs: \ndescription: \nalwaysApply: \n---\n',
    );
    expect(labels(contextFile, 'Text|')).toEqual([]);
    expect(labels('/p/AGENTS.md', '|')).toEqual([]);
  });

  it('offers front matter above the text of a file that has none', () => {
    // Some editors show a new file with the end of its first line.
    expect(completed(contextFile, '|\n', 'front matter')).toBe('---\ntrigger: \nglobs: \ndescription: \n---\n\n');
    expect(completed(contextFile, '-|--\r\nUse tabs.\r\n', 'front matter')).toBe(
      '---\ntrigger: \nglobs: \ndescription: \n---\n\r\nUse tabs.\r\n',
    );
    expect(labels(contextFile, '---|\ntrigger: auto\n---\nText\n')).toEqual([]);
    expect(labels(contextFile, '|\n---\ntrigger: auto\n---\nText\n')).toEqual([]);
  });

  it('offers nothing in plain text, which has no front matter', () => {
    expect(labels('/p/.context/a.txt', '|')).toEqual([]);
    expect(labels('/p/.context/A.TXT', '---\ntri|\n---\n')).toEqual([]);
  });
});

describe('hover', () => {
  const hovered = (path: string, marked: string) => {
    const { document, position, file } = open(path, marked);
    const contents = hoverAt(document, position, { file, effects: [] })?.contents as { value: string } | undefined;
    return contents?.value.split(':', 1)[0];
  };
  it('tells what the key of a line means, over the key and over its value', () => {
    expect(hovered(contextFile, '---\ntri|gger: auto\n---\n')).toBe('**trigger**');
    expect(hovered(contextFile, '---\ntrigger: au|to\n---\n')).toBe('**trigger**');
    expect(hovered(contextFile, '---\nglobs:\n  - a|\n---\n')).toBe('**globs**');
    expect(hovered(jsonConfig, '{ "client|Context": { "includeFiles": [] } }')).toBe('**clientContext**');
    expect(hovered(jsonConfig, '{ "clientContext": { "include|Files": [] } }')).toBe('**includeFiles**');
    expect(hovered(contextFile, '---\nmine|: 1\n---\n')).toBeUndefined();
    expect(hovered(contextFile, '---\nname: a\n---\nname: |b\n')).toBeUndefined();
    expect(hovered('/p/.context/a.txt', '---\ntri|gger: auto\n---\n')).toBeUndefined();
  });
});

describe('a text from outside', () => {
  it.each<[string, string, string]>([
    ['JSON of many levels', jsonConfig, '{"a":['.repeat(50_000)],
    ['YAML of many lines', yamlConfig, `${'a:\n'.repeat(100_000)}  `],
    ['YAML of many levels', yamlConfig, Array.from({ length: 1_000 }, (_, n) => `${' '.repeat(n)}a:\n`).join('')],
    ['one line', contextFile, `---\n${'a: '.repeat(100_000)}`],
    ['dashes', yamlConfig, '- '.repeat(100_000)],
    ['quotes', jsonConfig, '{"a":"'.repeat(50_000)],
  ])('takes time in proportion: %s', (_, path, text) => {
    const { document, file } = open(path, `${text}|`);
    expectQuick(() => {
      placeAt(document, document.positionAt(text.length), file);
      completionsAt(document, document.positionAt(text.length), file);
    });
  });
});

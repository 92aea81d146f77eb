/** What the front matter of other tools means, as it is found in the wild (FM-04, FM-08). */
import { describe, expect, it } from 'vitest';
import { ContextFile } from '../../../src/context/context-file.ts';
import { ruleFormats } from '../../../src/context/formats/formats.ts';

function readAs(format: string, text: string, at = 0) {
  const places = ruleFormats.find(({ name }) => name === format)?.places ?? [];
  const read = places[at]?.read;
  if (read === undefined) throw new Error(`no place ${at} of "${format}"`);
  const { value, warnings } = read(text, { path: `/p/${format}`, frontMatterBytes: 16_384 });
  const { trigger, globs, description, name, disabled, disabledBy, body, properties } = value;
  return { trigger, globs, description, name, disabled, disabledBy, body, properties, warnings };
}

const withKeys = (...lines: string[]) => `---\n${lines.join('\n')}\n---\nBody.\n`;

describe('front matter of other tools', () => {
  it.each<[format: string, lines: string[], meaning: Record<string, unknown>]>([
    ['claude-rules', [], { trigger: 'always' }],
    ['claude-rules', ['paths: src/**/*.ts'], { trigger: 'auto', globs: ['src/**/*.ts'] }],
    [
      'claude-rules',
      ['paths:', '  - "src/**"', '  - lib/*.{ts,tsx}'],
      { trigger: 'auto', globs: ['src/**', 'lib/*.{ts,tsx}'] },
    ],
    ['claude-rules', ['globs: a, b'], { trigger: 'auto', globs: ['a', 'b'] }],
    ['cursor', [], { trigger: 'manual' }],
    ['cursor', ['alwaysApply: true'], { trigger: 'always' }],
    [
      'cursor',
      ['description: How errors look', 'globs:', 'alwaysApply: false'],
      { trigger: 'agent', description: 'How errors look' },
    ],
    ['cursor', ['globs: *.ts', 'alwaysApply: false'], { trigger: 'auto', globs: ['*.ts'] }],
    ['cursor', ['globs: **/*.ts,**/*.tsx'], { trigger: 'auto', globs: ['**/*.ts', '**/*.tsx'] }],
    ['cursor', ['globs: ["*.a", "*.b"]'], { trigger: 'auto', globs: ['*.a', '*.b'] }],
    ['cursor', ['globs: src/{a,b}/*.ts'], { trigger: 'auto', globs: ['src/{a,b}/*.ts'] }],
    ['cursor', ['globs: {src/**}'], { trigger: 'auto', globs: ['{src/**}'] }],
    ['cursor', ['description:', 'globs: null', 'alwaysApply: true'], { trigger: 'always', description: '' }],
    ['trae', [], { trigger: 'always' }],
    ['trae', ['alwaysApply: false', 'description: x'], { trigger: 'agent', description: 'x' }],
    ['trae', ['alwaysApply: false'], { trigger: 'manual' }],
    ['trae', ['scene: git_message'], { trigger: 'manual' }],
    ['trae', ['globs: *.ts'], { trigger: 'auto', globs: ['*.ts'] }],
    ['openhands', ['name: repo', 'type: repo', 'agent: CodeActAgent'], { trigger: 'always', name: 'repo' }],
    [
      'openhands',
      ['name: docs', 'triggers:', '- documentation', '- docs'],
      { trigger: 'agent', description: 'documentation, docs' },
    ],
    [
      'openhands',
      ['description: Runs evaluations', 'triggers: [run eval]'],
      { trigger: 'agent', description: 'Runs evaluations (run eval)' },
    ],
    ['openhands', ['paths: "**/*.py"', 'triggers: [python]'], { trigger: 'auto', globs: ['**/*.py'] }],
    ['openhands', ['inputs:', '- name: FILE', '  description: a file'], { trigger: 'manual' }],
    ['openhands', ['triggers: []'], { trigger: 'always' }],
    ['copilot-instructions', [], { trigger: 'manual' }],
    ['copilot-instructions', ['applyTo: "**"'], { trigger: 'always' }],
    ['copilot-instructions', ['applyTo: **/*'], { trigger: 'always' }],
    [
      'copilot-instructions',
      ["applyTo: '**/*.ts,**/*.tsx'", 'name: TS'],
      { trigger: 'auto', globs: ['**/*.ts', '**/*.tsx'], name: 'TS' },
    ],
    ['copilot-instructions', ['description: x'], { trigger: 'agent' }],
    ['windsurf', [], { trigger: 'always' }],
    ['windsurf', ['trigger: always_on'], { trigger: 'always' }],
    ['windsurf', ['trigger: always', 'globs: *.py'], { trigger: 'always' }],
    ['windsurf', ['trigger: model_decision', 'description: x'], { trigger: 'agent', description: 'x' }],
    ['windsurf', ['trigger: glob', 'globs: *.py'], { trigger: 'auto', globs: ['*.py'] }],
    ['windsurf', ['trigger: manual'], { trigger: 'manual' }],
    ['windsurf', ['globs: *.py'], { trigger: 'auto', globs: ['*.py'] }],
    ['antigravity', ['trigger: model_decision', 'description: x'], { trigger: 'agent' }],
    ['cline', [], { trigger: 'always' }],
    ['cline', ['paths:', '  - "src/**"'], { trigger: 'auto', globs: ['src/**'] }],
    ['cline', ['paths: []'], { disabled: true, disabledBy: '`paths: []`' }],
    ['continue', [], { trigger: 'always' }],
    ['continue', ['name: A rule', 'globs: "**/*.ts"'], { trigger: 'auto', globs: ['**/*.ts'], name: 'A rule' }],
    ['continue', ['globs: "**/*.ts"', 'alwaysApply: true'], { trigger: 'always' }],
    ['continue', ['alwaysApply: false', 'description: x'], { trigger: 'agent' }],
    ['continue', ['alwaysApply: false'], { trigger: 'manual' }],
    ['continue', ['invokable: true'], { trigger: 'manual' }],
    ['jetbrains', [], { trigger: 'always' }],
    ['jetbrains', ['apply: always'], { trigger: 'always' }],
    ['jetbrains', ['apply: manually'], { trigger: 'manual' }],
    ['jetbrains', ['apply: by model decision', 'instructions: x'], { trigger: 'agent', description: 'x' }],
    [
      'jetbrains',
      ['apply: by file patterns', 'patterns: *.feature, *.kt'],
      { trigger: 'auto', globs: ['*.feature', '*.kt'] },
    ],
    ['jetbrains', ['apply: off'], { disabled: true, disabledBy: '`apply: off`' }],
    ['kiro', [], { trigger: 'always' }],
    ['kiro', ['inclusion: always'], { trigger: 'always' }],
    ['kiro', ['inclusion: auto', 'name: n', 'description: x'], { trigger: 'agent', name: 'n', description: 'x' }],
    ['kiro', ['inclusion: manual'], { trigger: 'manual' }],
    ['kiro', ['inclusion: fileMatch', 'fileMatchPattern: "**/*.tsx"'], { trigger: 'auto', globs: ['**/*.tsx'] }],
    ['kiro', ['inclusion: fileMatch', 'fileMatchPattern: ["a", "b"]'], { trigger: 'auto', globs: ['a', 'b'] }],
    ['augment', [], { trigger: 'always' }],
    ['augment', ['type: always_apply', 'description: x'], { trigger: 'always', description: 'x' }],
    ['augment', ['type: agent_requested', 'description: x'], { trigger: 'agent', description: 'x' }],
    ['augment', ['type: manual'], { trigger: 'manual' }],
    ['amazon-q', [], { trigger: 'always' }],
    ['qwen', ['paths: "src/**"'], { trigger: 'auto', globs: ['src/**'] }],
  ])('FM-04 %s with %j', (format, lines, meaning) => {
    expect(readAs(format, withKeys(...lines))).toMatchObject({ ...meaning, body: 'Body.\n', warnings: [] });
    expect(readAs(format, withKeys(...lines).replaceAll('\n', '\r\n'))).toMatchObject({
      ...meaning,
      body: 'Body.\r\n',
    });
    // Without front matter a file means what one means whose front matter says nothing.
    if (lines.length === 0)
      expect(readAs(format, 'Body.\n')).toMatchObject({ ...meaning, body: 'Body.\n', warnings: [] });
  });

  it.for<[format: string, lines: string[], trigger: string, line: number]>([
    ['cursor', ['globs: {a: 1}'], 'manual', 2],
    ['cursor', ['description: x', 'alwaysApply: maybe'], 'agent', 3],
    ['cursor', ['description: "x'], 'manual', 2],
    ['kiro', ['inclusion: sometimes'], 'always', 2],
    ['windsurf', ['trigger:', '  - glob'], 'always', 3],
    ['windsurf', ['description: x', 'trigger: glob'], 'auto', 3],
    ['kiro', ['inclusion: fileMatch'], 'auto', 2],
    ['copilot-instructions', ['- applyTo'], 'manual', 2],
    ['claude-rules', ['just text'], 'always', 2],
    ['continue', ['description: x', 'regex: "import .* from"'], 'agent', 3],
    ['continue', ['regex: [a-z]+'], 'manual', 2],
    ['continue', ['globs: "*.ts"', 'regex: [a, b]'], 'auto', 3],
    ['continue', ['regex: x', 'alwaysApply: true'], 'always', 2],
  ])(
    'FM-08 what %s cannot read in %j is a warning at its line, and the tool’s default holds',
    ([format, lines, trigger, line]) => {
      const { warnings, ...read } = readAs(format, withKeys(...lines));
      expect(read).toMatchObject({ trigger, body: 'Body.\n' });
      expect(warnings).toMatchObject([{ path: `/p/${format}`, line }]);
    },
  );

  it('FM-08 empty front matter, comments and a rule in the body are nothing to warn about', () => {
    for (const text of ['---\n---\nBody.', '---\n# nothing\n---\nBody.', '---\n\n---\nBody.'])
      expect(readAs('cursor', text)).toMatchObject({ trigger: 'manual', body: 'Body.', warnings: [] });
    expect(readAs('cursor', 'One.\n---\nTwo.\n---\n')).toMatchObject({ body: 'One.\n---\nTwo.\n---\n', warnings: [] });
    expect(readAs('agents-md', '---\ntitle: x\n---\nBody.')).toMatchObject({
      trigger: 'always',
      body: '---\ntitle: x\n---\nBody.',
    });
  });

  it('FM-08 keys that mean nothing are kept as written', () => {
    const { properties, warnings } = readAs('cursor', withKeys('tags: [a, b]', 'trigger: always', 'alwaysApply: true'));
    expect(properties).toEqual({ tags: ['a', 'b'], trigger: 'always' });
    expect(warnings).toEqual([]);
  });

  it('FM-02 are of a format that there is, in answers too', () => {
    expect(ContextFile.shape.format.safeParse('cursor').success).toBe(true);
    expect(ContextFile.shape.format.safeParse('nothing').success).toBe(false);
  });
});

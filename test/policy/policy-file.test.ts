/** Policy files: what is read, and that whatever cannot be understood blocks (AP-01, AP-02, AP-04). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockingPolicy, parsePolicyFile } from '../../src/policy/policy-file.ts';
import { sized } from '../support/test-size.ts';

const texts = sized(10_000, 10_000, 2_000);
const path = '/w/.ai-context-policy.yaml';
const parse = (text: string) => parsePolicyFile(text, { path });
const shown = (text: string) =>
  parse(text).warnings.map(
    ({ code, line, column, pointer }) => `${code} ${line}:${column}${pointer ? ` ${pointer}` : ''}`,
  );

describe('what a policy says', () => {
  it('AP-01 allow and block with their exceptions', () => {
    const text = 'ai_context_policy: allow\n\nexclude:\n- glob/**/pattern\n- foo_bar.js\nversion: 1\n';
    const value = { aiContextPolicy: 'allow', exclude: ['glob/**/pattern', 'foo_bar.js'], version: 1 };
    expect(parse(text)).toEqual({ value, valid: true, warnings: [] });
    expect(parse(text.replace('allow', 'block')).value.aiContextPolicy).toBe('block');
    expect(parse(text.replaceAll('\n', '\r\n'))).toEqual({ value, valid: true, warnings: [] });
    expect(parse(`\uFEFF${text}`)).toEqual({ value, valid: true, warnings: [] });
  });

  it('AP-01 a version that is not written is the newest', () => {
    expect(parse('ai_context_policy: allow')).toEqual({
      value: { aiContextPolicy: 'allow', exclude: [], version: 1 },
      valid: true,
      warnings: [],
    });
  });

  it('AP-01 a key without a value sets nothing', () => {
    const { value, valid, warnings } = parse('ai_context_policy: allow\nexclude:\n#  - later/**\nversion:\n');
    expect({ value, valid, warnings }).toEqual({
      value: { aiContextPolicy: 'allow', exclude: [], version: 1 },
      valid: true,
      warnings: [],
    });
  });

  it('AP-02 without ai_context_policy a file blocks, and its exceptions are let through', () => {
    const { value, valid } = parse('exclude: [docs/**]');
    expect({ value, valid }).toEqual({
      value: { aiContextPolicy: 'block', exclude: ['docs/**'], version: 1 },
      valid: true,
    });
    expect(shown('exclude: [docs/**]')).toEqual(['policy_without_kind 1:1']);
    expect(shown('version: 1\nai_context_policy:\n')).toEqual(['policy_without_kind 2:1']);
    expect(shown('# Ours\nversion: 1\n')).toEqual(['policy_without_kind 2:1']);
  });

  it.each(['', '\n\n', '\uFEFF', '# nothing yet\n', '---\n', '---\n# x\n...\n', '~', 'null'])(
    'AP-04 %j counts as present with all fields missing',
    (text) => {
      expect(parse(text)).toMatchObject({ value: blockingPolicy, valid: true });
      expect(shown(text)).toEqual(['policy_without_kind 1:1']);
    },
  );

  it('AP-04 an unknown key is a warning and changes nothing', () => {
    const text = 'ai_context_policy: allow\nowner: security@example.test\n';
    expect(parse(text)).toMatchObject({ value: { aiContextPolicy: 'allow' }, valid: true });
    expect(shown(text)).toEqual(['unknown_policy_key 2:1 /owner']);
  });
});

describe('what cannot be understood', () => {
  it.each<[string, string, string]>([
    ['no YAML', 'ai_context_policy: allow\n\texclude: []\n', 'invalid_policy 2:1'],
    ['a bare star', 'ai_context_policy: allow\nexclude:\n  - *.key\n', 'invalid_policy 3:5'],
    ['a list', '- ai_context_policy: allow\n', 'invalid_policy 1:1'],
    ['a text', 'allow', 'invalid_policy 1:1'],
    ['two documents', 'ai_context_policy: allow\n---\nai_context_policy: allow\n', 'invalid_policy 2:1'],
    ['a key twice', 'ai_context_policy: block\nai_context_policy: allow\n', 'invalid_policy 2:1'],
    ['an alias', 'exclude: &a [x]\nai_context_policy: *a\n', 'invalid_policy 2:20'],
    ['a tag', 'ai_context_policy: !!js/function "allow"', 'invalid_policy 1:20'],
    ['another policy', 'ai_context_policy: deny', 'invalid_policy_value 1:20 /ai_context_policy'],
    ['a policy in capitals', 'ai_context_policy: ALLOW', 'invalid_policy_value 1:20 /ai_context_policy'],
    [
      'the placeholder of the blueprint',
      'ai_context_policy: [allow|block]',
      'invalid_policy_value 1:20 /ai_context_policy',
    ],
    ['an unknown version', 'ai_context_policy: allow\nversion: 2\n', 'invalid_policy_value 2:10 /version'],
    ['a version as text', 'ai_context_policy: allow\nversion: "1"\n', 'invalid_policy_value 2:10 /version'],
    ['exceptions as text', 'ai_context_policy: allow\nexclude: secret/**\n', 'invalid_policy_value 2:10 /exclude'],
    [
      'an exception that is no text',
      'ai_context_policy: allow\nexclude: [a, 1]\n',
      'invalid_policy_value 2:14 /exclude/1',
    ],
    ['an empty exception', 'ai_context_policy: allow\nexclude: [a, ""]\n', 'invalid_policy_value 2:14 /exclude/1'],
    [
      'a nothing as an exception',
      'ai_context_policy: allow\nexclude:\n  - a\n  -\n',
      'invalid_policy_value 4:4 /exclude/1',
    ],
    ['a misspelled key', 'ai_context_policy: allow\nexcludes: [secret/**]\n', 'misspelled_policy_key 2:1 /excludes'],
    ['a merge key', 'ai_context_policy: allow\n<<: {exclude: [secret/**]}\n', 'invalid_policy_value 2:1 /<<'],
    ['a key in capitals', 'ai_context_policy: allow\nExclude: [secret/**]\n', 'misspelled_policy_key 2:1 /Exclude'],
    ['another misspelled key', 'ai-context-policy: allow\n', 'misspelled_policy_key 1:1 /ai-context-policy'],
  ])('AP-04 S-63 %s blocks everything, with a warning at its place', (_, text, warning) => {
    expect(parse(text)).toMatchObject({ value: blockingPolicy, valid: false });
    expect(shown(text)).toContain(warning);
    expect(shown(text).filter((each) => each.startsWith('policy_without_kind'))).toEqual([]);
    for (const { message, path: at } of parse(text).warnings) {
      expect(at).toBe(path);
      expect(message).toMatch(/blocked until this is fixed\.$/u);
    }
  });

  it.each([
    ['{{{{{a,b},c},d},e},f}', 'nests'],
    ['{a,b}'.repeat(9), 'alternatives'],
    ['{1..1000}', 'range'],
    ['../secret.md', 'leads out'],
    ['docs/../secret.md', 'leads out'],
    ['..', 'leads out'],
    ['{a,[.]./b}', 'leads out'],
    ['~/project/secret.md', 'leads out'],
  ])('AP-04 S-53 the pattern %s cannot be used, so nothing is let through', (pattern, why) => {
    const { value, valid, warnings } = parse(`ai_context_policy: allow\nexclude:\n  - ok\n  - "${pattern}"\n`);
    expect({ value, valid }).toEqual({ value: blockingPolicy, valid: false });
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'invalid_pattern', line: 4, column: 5, pointer: '/exclude/1' }),
    ]);
    expect(warnings[0]?.message).toContain(why);
  });

  it('AP-04 CC-06 more exceptions than are read, and a file that is too large, block', () => {
    const list = Array.from({ length: 65 }, (_, index) => `  - f${index}\n`);
    expect(parse(`ai_context_policy: allow\nexclude:\n${list.join('')}`)).toMatchObject({
      value: blockingPolicy,
      valid: false,
    });
    expect(parse(`ai_context_policy: allow\nexclude:\n${list.slice(1).join('')}`).valid).toBe(true);
    const large = parsePolicyFile('ai_context_policy: allow\n', { path, policyBytes: 24 });
    expect(large).toMatchObject({
      value: blockingPolicy,
      valid: false,
      warnings: [{ code: 'policy_too_large', line: 1 }],
    });
    expect(parsePolicyFile('ai_context_policy: allow\n', { path, policyBytes: 25 }).valid).toBe(true);
  });

  it('AP-04 a file is invalid even when the reason is past the warnings that are listed', () => {
    const unknown = Array.from({ length: 40 }, (_, index) => `unknown${index}: 1\n`).join('');
    const { value, valid, warnings } = parse(`ai_context_policy: allow\n${unknown}version: 3\n`);
    expect({ value, valid }).toEqual({ value: blockingPolicy, valid: false });
    expect(warnings.at(-1)).toMatchObject({ code: 'more_warnings' });
  });

  it('S-58 more keys and values than are read in time block everything', () => {
    const keys = Array.from({ length: 3_000 }, (_, n) => `other${n}: 1\n`).join('');
    const { valid, warnings } = parse(`ai_context_policy: allow\n${keys}`);
    expect(valid).toBe(false);
    expect(warnings[0]?.message).toContain('more than 6000 keys, values and marks');
  });

  it('S-59 names of the prototype are keys like others', () => {
    const { value, valid, warnings } = parse('ai_context_policy: allow\n__proto__: {exclude: [x]}\nconstructor: 1\n');
    expect({ value, valid }).toEqual({ value: { aiContextPolicy: 'allow', exclude: [], version: 1 }, valid: true });
    expect(warnings.map(({ code }) => code)).toEqual(['unknown_policy_key', 'unknown_policy_key']);
    expect(({} as Record<string, unknown>).exclude).toBeUndefined();
  });
});

describe('generated policies', () => {
  const value = fc.oneof(
    fc.constantFrom(
      'allow',
      'block',
      '1',
      '2',
      '[]',
      '[a, b]',
      '\n  - a/**\n  - "*.ts"',
      '',
      '{a: 1}',
      '"',
      '*a',
      '!x',
      '- -',
    ),
    fc.string({ maxLength: 12 }),
  );
  const key = fc.oneof(
    fc.constantFrom('ai_context_policy', 'exclude', 'version', 'excludes', 'other', '__proto__', '?'),
    fc.string({ maxLength: 6 }),
  );
  const text = fc
    .array(fc.tuple(key, value), { maxLength: 5 })
    .map((lines) => lines.map(([name, written]) => `${name}: ${written}\n`).join(''))
    .chain((rest) => fc.constantFrom(rest, `ai_context_policy: allow\n${rest}`));

  it('AP-04 S-63 never throw, are valid or block, and let something through only when they say so plainly', () => {
    let allowing = 0;
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (content) => {
        const { value: policy, valid, warnings } = parse(content);
        if (!valid) {
          expect(policy).toEqual(blockingPolicy);
          expect(warnings.length).toBeGreaterThan(0);
        }
        if (policy.aiContextPolicy === 'allow') {
          allowing += 1;
          expect(content).toMatch(/ai_context_policy["']?\s*:\s*["']?allow/u);
          expect(warnings.every(({ code }) => code === 'unknown_policy_key')).toBe(true);
        }
        for (const { line = 0, column = 0 } of warnings) expect(Math.min(line, column)).toBeGreaterThan(0);
      }),
      { numRuns: texts, seed: 20_260_105 },
    );
    expect(allowing).toBeGreaterThan(texts / 100);
  });
});

/** What a policy is written as: what was asked for, with as much as possible of what was there (AP-09). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePolicyFile } from '../../src/policy/policy-file.ts';
import { changePolicyText } from '../../src/policy/policy-text.ts';
import { sized } from '../support/test-size.ts';

const written = `# Who may see what
version: 1 # of the format

# Everything,
ai_context_policy: "allow" # by default

exclude:
- 'secrets/**' # keys
# for people
- "notes/*.md"
- plain/**

# The end.
`;
const allow = (...exclude: string[]) => ({ aiContextPolicy: 'allow' as const, exclude });
const block = (...exclude: string[]) => ({ aiContextPolicy: 'block' as const, exclude });

describe('what stays', () => {
  it('AP-09 everything, to the byte, when the file says it already', () => {
    const odd = 'exclude:   [ a,"b" ]   # x\r\nai_context_policy:    allow';
    expect(changePolicyText(written, allow('secrets/**', 'notes/*.md', 'plain/**'))).toBe(written);
    expect(changePolicyText(odd, allow('a', 'b'))).toBe(odd);
  });

  it('AP-09 comments, order and quotes, when something changes', () => {
    expect(changePolicyText(written, block('secrets/**', 'notes/*.md', 'plain/**', '*.new'))).toBe(
      written.replace('"allow"', '"block"').replace('- plain/**\n', '- plain/**\n- "*.new"\n'),
    );
    expect(changePolicyText(written, allow('plain/**', 'secrets/**'))).toBe(
      written.replace(/exclude:\n[\s\S]*?\n\n/u, "exclude:\n# for people\n- plain/**\n- 'secrets/**' # keys\n\n"),
    );
  });

  it('AP-09 comments also where the last exception goes, or the first comes', () => {
    const none = changePolicyText(written, allow());
    for (const comment of ['# Who may see what', '# of the format', '# by default', '# for people', '# The end.'])
      expect(none).toContain(comment);
    const first = changePolicyText('ai_context_policy: allow\nexclude:\n#  - later/**\n', allow('now/**'));
    expect(first).toContain('#  - later/**');
  });

  it('AP-09 indentation, line ends and a mark at the beginning', () => {
    const text = '\uFEFFai_context_policy: block\r\nexclude:\r\n  - a\r\n';
    expect(changePolicyText(text, block('a', 'b'))).toBe(`${text}  - b\r\n`);
    expect(changePolicyText('exclude:\n- a\nai_context_policy: allow\n', allow('a', 'b'))).toBe(
      'exclude:\n- a\n- b\nai_context_policy: allow\n',
    );
    expect(changePolicyText('exclude: [a, "b"]\nai_context_policy: allow\n', allow('a', 'b', 'c'))).toBe(
      'exclude: [a, "b", c]\nai_context_policy: allow\n',
    );
  });

  it('AP-09 unknown keys', () => {
    const text = 'owner: security\nai_context_policy: allow\nreviewed: 2026-01-05\n';
    expect(changePolicyText(text, block())).toBe(text.replace('allow', 'block'));
  });
});

describe('what is new', () => {
  it('AP-09 a whole file where there is none, or one that cannot be used', () => {
    const fresh = 'ai_context_policy: allow\nexclude:\n  - "*.md"\n  - "a: b"\n';
    for (const text of [undefined, '{', 'version: 2\n', 'ai_context_policy: allow\nexlude: [x]\n', '- a\n'])
      expect(changePolicyText(text, allow('*.md', 'a: b')), text).toBe(fresh);
    expect(changePolicyText(undefined, block())).toBe('ai_context_policy: block\n');
  });

  it('AP-02 what the policy is, where the file did not say', () => {
    for (const text of ['# later\n', '# later'])
      expect(changePolicyText(text, block())).toBe('# later\nai_context_policy: block\n');
    expect(changePolicyText('exclude: [a]\n', block('a'))).toBe(
      'ai_context_policy: block\nexclude: [ a ]\n'.replace('[ a ]', '[a]'),
    );
  });
});

it('AP-09 whatever there was, the new text says what was asked for, and says it again unchanged', () => {
  const piece = fc.constantFrom(
    ...['ai_context_policy: allow\n', 'ai_context_policy: "block" # why\n', 'exclude:\n', '- a\n', '  - "b/**" # b\n'],
    ...[
      'exclude: [x, y]\n',
      '# remark\n',
      '\n',
      '---\n',
      '...\n',
      'version: 1\n',
      'x: {y: z}\n',
      '- - a\n',
      'exclude: ~\n',
    ],
    ...['\t', '- *a\n', '&a ', '? ', '| \n', '"', "'", '\r\n', '\uFEFF', '- >-\n   folded\n   text\n', '!!str '],
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const pattern = fc.oneof(
    fc.constantFrom(
      'a',
      'b/**',
      'x',
      '*',
      '# no remark',
      '- dash',
      'a: b',
      '"q"',
      "it's",
      '~',
      'true',
      '1',
      ' lead',
      '{a,b}',
      '[x]',
      '!x',
      '&x',
      '%x',
      '@x',
      '`x',
      'é',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((each) => !/[\0\r\n]/u.test(each)),
  );
  const wanted = fc.record({
    aiContextPolicy: fc.constantFrom('allow' as const, 'block' as const),
    exclude: fc.array(pattern, { maxLength: 5 }),
  });
  fc.assert(
    fc.property(fc.option(text, { nil: undefined }), wanted, (before, policy) => {
      const after = changePolicyText(before, policy);
      const { value, valid } = parsePolicyFile(after, { path: 'p' });
      // A pattern that the matcher refuses is refused before anything is written.
      fc.pre(parsePolicyFile(`exclude: ${JSON.stringify(policy.exclude)}`, { path: 'p' }).valid);
      expect({ valid, ...value }).toEqual({ valid: true, version: 1, ...policy });
      expect(changePolicyText(after, policy)).toBe(after);
    }),
    { numRuns: sized(2_000, 2_000, 400), seed: 1 },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSecrets, maskSecrets, withoutSecrets } from '../src/find-secrets.ts';
import { alphabets, type SecretForm, secretForms } from '../src/secret-forms.ts';
import { expectQuick } from './support/expect-quick.ts';

const kindsIn = (text: string) => findSecrets(text).map(({ kind }) => kind);

/** A token of a form, of characters that none of the marks around it has. */
function tokenOf({ prefix, alphabet, least, parts }: SecretForm, more = 0): string {
  if (parts !== undefined) return `eyJ${'hbGciOi'.repeat(3)}.eyJ${'zdWIiOi'.repeat(3)}.${'aB3d'.repeat(6)}`;
  const characters = alphabets[alphabet].replaceAll(/[^0-9A-Za-z]/gu, '');
  return prefix + Array.from({ length: least + more }, (_, at) => characters[(at * 7) % characters.length]).join('');
}
const keyLines = (name: string, lines = 4) =>
  [`-----BEGIN ${name}-----`, ...Array(lines).fill('MIIEvQIBADANBgkqhkiG9w0BAQ=='), `-----END ${name}-----`].join('\n');

describe('possible secrets', () => {
  it('S-65 tokens of each form are found alone, in quotes, in sentences and as values', () => {
    for (const form of secretForms) {
      const token = tokenOf(form);
      for (const [before, after] of [
        ['', ''],
        ['key: "', '"'],
        ['Use ', '. Then'],
        ['TOKEN=', '\n'],
        ['(', ')'],
        ['日', '本'],
      ]) {
        const text = `one\n${before}${token}${after}`;
        const found = findSecrets(text);
        expect([form.prefix, text, found.map(({ kind }) => kind)]).toEqual([form.prefix, text, [form.kind]]);
        expect(found[0]).toMatchObject({ start: 4 + (before ?? '').length, line: 2, endLine: 2 });
        expect(maskSecrets(text, found)).toBe(`one\n${before}***${after}`);
      }
    }
  });

  it('S-65 what is shorter, longer, within a word or a placeholder is none', () => {
    for (const form of secretForms.filter(({ prefix, parts }) => parts === undefined && !prefix.startsWith('xoxe.'))) {
      const { prefix, least, most } = form;
      expect([prefix, kindsIn(tokenOf({ ...form, least: least - 1 }))]).toEqual([prefix, []]);
      expect([prefix, kindsIn(`x${tokenOf(form)}`)]).toEqual([prefix, []]);
      const filler = form.alphabet === 'hexadecimal' ? 'a' : 'X';
      expect([prefix, kindsIn(prefix + filler.repeat(least))]).toEqual([prefix, []]);
      if (most !== undefined) expect([prefix, kindsIn(tokenOf(form, most - least + 1))]).toEqual([prefix, []]);
    }
    expect(kindsIn('eyJhbGciOi.eyJzdWIi and sk-learn, task-force, skip_live, AKIA, ghp_token, hf_hub')).toEqual([]);
  });

  it('S-65 tokens that follow an escape are found, and only they are masked', () => {
    const token = tokenOf(secretForms.find(({ prefix }) => prefix === 'ghp_') as SecretForm);
    for (const before of ['?key%3D', '%2f', String.raw`"a\n`, String.raw`'\t`, String.raw`\r`]) {
      const text = `${before}${token}"`;
      expect([before, maskSecrets(text, findSecrets(text))]).toEqual([before, `${before}***"`]);
    }
    for (const before of ['n', '3D', '%3', '%zD', String.raw`\x`])
      expect([before, kindsIn(before + token)]).toEqual([before, []]);
  });

  it('S-65 passwords in addresses are found, and those of examples are not', () => {
    for (const [before, password, after] of [
      ['https://ada:', 'hunter22', '@example.com/a'],
      ['DATABASE_URL=postgres://app:', 'p@ss:w0rd', '@db.internal:5432/shop'],
      ['"redis://:', 'aB3dE5', '@cache"'],
      ['git+ssh://ada:', 'x%40y%2Fz1', '@host'],
      ['[a](amqp://u:', 'Tr0ub4dor&3', '@h)'],
    ] as const) {
      const text = `one\n${before}${password}${after}`;
      expect([text, maskSecrets(text, findSecrets(text))]).toEqual([text, `one\n${before}***${after}`]);
    }
    for (const text of [
      'https://user:password@example.com postgres://postgres:postgres@localhost/x mysql://root:root@db redis://:@h',
      'https://$USER:$PASSWORD@host https://a:$(secret)@host https://a:<password>@host https://a:{pass}@h http://a:%s@h',
      'https://ada@example.com http://localhost:8080/@scope/name mailto:ada@example.com a://b:c@d https://x:***@h',
      'http://[::1]:80/ https://example.com/a:b@c https://a:xxxxxxxx@h //ada:hunter22@h',
    ])
      expect([text, kindsIn(text)]).toEqual([text, []]);
  });

  it('S-65 private keys are found as blocks, in strings, quoted, without end, and not where only their name is', () => {
    for (const name of ['PRIVATE KEY', 'RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK']) {
      const text = `Before.\n${keyLines(name)}\nAfter.`;
      const found = findSecrets(text);
      expect(found).toMatchObject([{ kind: 'private_key', line: 2, endLine: 7 }]);
      expect(maskSecrets(text, found)).toBe('Before.\n***\n***\n***\n***\n***\n***\nAfter.');
    }
    const written = JSON.stringify({ private_key: keyLines('PRIVATE KEY'), id: 1 });
    expect(maskSecrets(written, findSecrets(written))).toBe('{"private_key":"***","id":1}');
    expect(kindsIn(keyLines('EC PRIVATE KEY').slice(0, -30))).toEqual(['private_key']);
    expect(kindsIn(keyLines('RSA PRIVATE KEY').replaceAll('\n', '\n> '))).toEqual(['private_key']);
    expect(kindsIn('PuTTY-User-Key-File-3: x\nComment: y\nPrivate-Lines: 1\nAAAAQQ==\n')).toEqual(['private_key']);
    expect(kindsIn(keyLines('PUBLIC KEY'))).toEqual([]);
    expect(kindsIn(keyLines('CERTIFICATE'))).toEqual([]);
    expect(kindsIn('It begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.')).toEqual([]);
  });

  it('S-65 masked, a text keeps its lines and holds none of its secrets', () => {
    const secret = fc.constantFrom(...secretForms.map((form) => tokenOf(form)), keyLines('PRIVATE KEY'));
    const other = fc.string({ unit: fc.constantFrom(...'ab \n\r"-.=😀'), maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.tuple(other, secret), { maxLength: 6 }), (parts) => {
        const text = parts.map(([before, token]) => `${before} ${token} `).join('\n');
        const holder = withoutSecrets({ text });
        expect(holder.text.split('\n').length).toBe(text.split('\n').length);
        for (const [, token] of parts) expect(holder.text).not.toContain(token.slice(0, 40));
        expect(findSecrets(holder.text)).toEqual([]);
      }),
      { numRuns: 300, seed: 65 },
    );
    const plain = { text: 'Nothing.' };
    expect(withoutSecrets(plain)).toBe(plain);
  });

  it('S-65 S-52 no text takes longer than its length allows', () => {
    const prefixes = new Set(secretForms.flatMap(({ prefix }) => [prefix, `${prefix}a`, `${prefix}-`, `${prefix}.`]));
    const others = [
      'a://',
      'a://b:c@',
      'a:b@',
      '%3Dghp_',
      'eyJ.eyJ.',
      '-----BEGIN ',
      '-----BEGIN PRIVATE KEY-----',
      'PuTTY-User-Key-File-2\nPrivate-Lines:',
    ];
    for (const unit of [...prefixes, ...others]) {
      const text = unit.repeat(Math.ceil((64 * 1024) / unit.length));
      expectQuick(() => findSecrets(text), 60);
    }
  });
});

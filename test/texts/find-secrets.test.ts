import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSecrets } from '../../src/texts/find-secrets.ts';
import { maskSecrets, withoutSecrets } from '../../src/texts/mask.ts';
import { alphabets, type SecretForm, secretForms } from '../../src/texts/secret-forms.ts';
import { expectQuick } from '../support/expect-quick.ts';

const kindsIn = (text: string) => findSecrets(text).map(({ kind }) => kind);

/** A token of a form, of characters that none of the marks around it has. */
function tokenOf({ prefix, alphabet, min, isWeb }: SecretForm, more = 0): string {
  if (isWeb === true) return `eyJ${'hbGciOi'.repeat(3)}.eyJ${'zdWIiOi'.repeat(3)}.${'aB3d'.repeat(6)}`;
  const characters = alphabets[alphabet].replaceAll(/[^0-9A-Za-z]/gu, '');
  return prefix + Array.from({ length: min + more }, (_, at) => characters[(at * 7) % characters.length]).join('');
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
        ['https://a.b/?token%3D', '%26c'],
        ['"one\\n', '\\n"'],
        ['"\\u003d', '"'],
        ['\\x22', '\\x22'],
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
    for (const form of secretForms.filter(({ prefix, isWeb }) => isWeb !== true && !prefix.startsWith('xoxe.'))) {
      const { prefix, min, max, anywhere = false } = form;
      expect([prefix, kindsIn(tokenOf({ ...form, min: min - 1 }))]).toEqual([prefix, []]);
      expect([prefix, kindsIn(`x${tokenOf(form)}`)]).toEqual([prefix, anywhere ? [form.kind] : []]);
      const filler = form.alphabet === 'hexadecimal' ? 'a' : 'X';
      expect([prefix, kindsIn(prefix + filler.repeat(min))]).toEqual([prefix, []]);
      if (max !== undefined) expect([prefix, kindsIn(tokenOf(form, max - min + 1))]).toEqual([prefix, []]);
    }
    expect(kindsIn('eyJhbGciOi.eyJzdWIi and sk-learn, task-force, skip_live, AKIA, ghp_token, hf_hub')).toEqual([]);
    // A line of genes: one of 256 has these four letters 20 before its end.
    expect(kindsIn(`${'GATTACAGTC'.repeat(4)}ACCAGATTGCATGCATTAGC\n`)).toEqual([]);
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
    expect(kindsIn("begins('PuTTY-User-Key-File-') && has('Private-Lines:')")).toEqual([]);
    expect(kindsIn(keyLines('PUBLIC KEY'))).toEqual([]);
    expect(kindsIn(keyLines('CERTIFICATE'))).toEqual([]);
    expect(kindsIn('It begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.')).toEqual([]);
  });

  it('S-65 long and special tokens are found within words, too', () => {
    const [github = '', aws = ''] = ['ghp_', 'AKIA'].map((prefix) =>
      tokenOf(secretForms.find((form) => form.prefix === prefix) as SecretForm),
    );
    for (const [text, masked] of [
      [`x${github}`, 'x***'],
      [`C:\\new${github} b`, 'C:\\new*** b'],
      [`key=${aws}`, 'key=***'],
      [`key${aws}.`, 'key***.'],
      [`\x1b[31m${github}\x1b[0m`, '\x1b[31m***\x1b[0m'],
    ] as const)
      expect(withoutSecrets({ text }).text).toBe(masked);
  });

  it('S-65 passwords in addresses are found, and only they are masked', () => {
    const masked = (text: string): string => withoutSecrets({ text }).text;
    expect(findSecrets('a\nurl = postgres://app:s3cr3T-pw@db.corp.net:5432/shop')).toMatchObject([
      { kind: 'url_password', line: 2, start: 23, end: 32 },
    ]);
    for (const [before, password, after] of [
      ['postgres://app:', 'Xk39-fj2!', '@localhost/shop'],
      ['DATABASE_URL="mysql://root:', 'tr0ub4dor', '@10.0.0.5:3306"'],
      ['redis://:', 'n7Qz0pLw', '@cache:6379'],
      ['mongodb+srv://u:', 'a%40b-9z', '@c1.mongodb.net,c2.mongodb.net/x'],
      ['(https://oauth2:', 'p@ss:Wörd7', '@git.corp.net/a.git)'],
      ['{"dsn":"amqp:\\/\\/svc:', '4815162342', '@mq\\/v"}'],
      ['<ftp://bob:', 'correcthorse', '@ftp.corp.net>'],
    ] as const)
      expect(masked(before + password + after)).toBe(`${before}***${after}`);
    const token = `ghp_${'aB3dE6gH9j'.repeat(4)}`;
    expect(kindsIn(`https://x-access-token:${token}@github.com/a/b`)).toEqual(['github_token']);
    expect(masked(`https://${token}:x-oauth-basic@github.com/a/b`)).not.toContain(token);
  });

  it('S-65 addresses that show where a password belongs have none', () => {
    for (const text of [
      ...[`\${PASSWORD}`, '$PASSWORD', '$(pw)', '<password>', '{password}', '{{ .Password }}', '#{pw}', '%PASSWORD%'],
      ...[
        '%(password)s',
        '%s',
        '[password]',
        '[YOUR-PASSWORD]',
        '(password)',
        'password',
        'PASSWORD',
        'pass',
        'secret',
      ],
      ...['my_password', 'mysecretpassword', 'your-token-here', 'DB_PASSWORD', 'changeme123', 'hunter2', '12345678'],
      ...['xxxxxxxx', '********', '••••••••', '......', '…', 'app', 'pa ss', 'pw', '', '" + password + "'],
    ].map((password) => `postgres://app:${password}@db.corp.net/shop`))
      expect([text, findSecrets(text)]).toEqual([text, []]);
    for (const text of [
      ...[
        'https://user:pass@example.com',
        'postgres://postgres:postgres@localhost/a',
        'http://ada:s3cr3T-pw@example.com/',
      ],
      ...[
        'ssh://git@github.com:22/a/b',
        'http://localhost:3000/@scope/a',
        'https://a.b:443/c@d',
        'a://b:s3cr3T-pw',
        '://:@',
      ],
      ...['git@github.com:ada/shop.git', 'http://ada:s3cr3T-pw@db.test', 'see http://a.b:80, ada@corp.net', 'std::a@b'],
    ])
      expect([text, findSecrets(text)]).toEqual([text, []]);
  });

  it('S-65 what begins within a secret and goes on behind it is masked to its end', () => {
    const text = `glpat-${'aB3dE6gH9j'.repeat(3)}${keyLines('PRIVATE KEY')}`;
    expect(withoutSecrets({ text }).text).toBe('******\n***\n***\n***\n***\n***');
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
    const others = ['eyJ.eyJ.', '-----BEGIN ', '-----BEGIN PRIVATE KEY-----', 'PuTTY-User-Key-File-2\nPrivate-Lines:'];
    const addresses = [
      '://a:b@',
      'a://b:',
      'a://b:c@d',
      `a://b:${'pass'.repeat(10)}@c `,
      'a:\\/\\/:',
      `a://${'b:'.repeat(500)}@ `,
    ];
    const joined = ['eyJ', 'eyJ-', 'eyJ.', 'a.eyJ-', 'SG.......', 'xoxe.xoxb', 'glpat-.', 'hooks.slack.com/service'];
    for (const unit of [...prefixes, ...others, ...addresses]) {
      const text = unit.repeat(Math.ceil((64 * 1024) / unit.length));
      expectQuick(() => findSecrets(text), 250);
    }
    for (const unit of joined) {
      const text = unit.repeat(Math.ceil((64 * 1024) / unit.length));
      expectQuick(() => findSecrets(text + '.'.repeat(64 * 1024)), 250);
    }
    // As long as a file may be.
    for (const unit of ['ghp_', 'eyJ.eyJ.', 'sk-', '-----BEGIN PRIVATE KEY-----', ...addresses]) {
      const text = unit.repeat(Math.ceil((1024 * 1024) / unit.length));
      expectQuick(() => findSecrets(text));
    }
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseName } from '../../src/access/paths.ts';
import { decideSensitive } from '../../src/access/sensitive.ts';
import { compileGlob } from '../../src/globs/globs.ts';
import { expectQuick } from '../support/expect-quick.ts';
import { sensitivePatterns } from '../support/sensitive-patterns.ts';
import { sized } from '../support/test-size.ts';

const draws = sized(100_000, 100_000, 10_000);
const comparisons = sized(4_000, 4_000, 1_000);

/** The list every implementation must have, word for word (client-hosted context specification, "Explicit context exclusion"). */
const listed = [
  ...[
    '.env',
    '.env.*',
    '.key',
    '.key.*',
    '.pem',
    '.pem.*',
    '.crt',
    '.crt.*',
    '.p12',
    '.p12.*',
    '.pfx',
    '.pfx.*',
    '.jks',
    '.jks.*',
  ],
  ...[
    '.keystore',
    '.keystore.*',
    '.ppk',
    '.ppk.*',
    '.ssh/id_*',
    '.kdbx',
    '.kdbx.*',
    '.asc',
    '.asc.*',
    '.gpg',
    '.gpg.*',
  ],
  ...['credentials*', '*_key', '*_key.*', '.ovpn', '.ovpn.*'],
];

const isSensitive = (path: string): boolean => decideSensitive(path) !== undefined;
const [directoryPatterns, namePatterns] = [
  sensitivePatterns.filter((each) => each.includes('/')),
  sensitivePatterns.filter((each) => !each.includes('/')),
];

const innocent = [
  ...[
    'README.md',
    'keynote.md',
    'environment.md',
    'monkey.md',
    'key-decisions.md',
    'style.md',
    'key.md',
    'keys.md',
    'env.md',
    'pem.md',
    'asc',
    'gpg',
  ],
  ...[
    'envoy.yaml',
    '.environment',
    '.envoy',
    '.keyboard.md',
    'a.keys',
    'a.envelope',
    'public-key.md',
    'key_rotation.md',
    'monkey_keys.md',
    'hockey.md',
  ],
  ...[
    'identity.md',
    'idea.md',
    'ids.md',
    'my-credentials.md',
    'rsa.md',
    'about-rsa.md',
    'netrc',
    'npmrc.md',
    '.npmignore',
    '.gitignore',
    'certificates.md',
  ],
  ...[
    'ssh.md',
    '.sshd/notes.md',
    'aws/readme.md',
    'a.ssh/x.md',
    '.aws-notes/x.md',
    'x.md',
    '.context/context-config.json',
    'ﬁle.md',
    'naïve.md',
    '用户.md',
  ],
];

describe('sensitive files', () => {
  it('S-51 every name of the list, exact, prefixed, suffixed, in capitals and in a sub-folder', () => {
    for (const pattern of listed) {
      const exact = pattern.replace('*', 'x');
      const [directory, name] = pattern.startsWith('.ssh/') ? ['.ssh/', exact.slice(5)] : ['', exact];
      const names = [name, `${name}.bak`, `${name} `, `${name}~`];
      if (name.startsWith('.') || pattern.startsWith('*')) names.push(`server${name}`, `a.b${name}`, `.${name}`);
      for (const each of names.map((variant) => directory + variant))
        for (const path of [
          each,
          each.toUpperCase(),
          `/home/u/${each}`,
          `deep/er/${each.toUpperCase()}`,
          `.context/${each}`,
          `a\\${each}`,
        ])
          expect([path, isSensitive(path)]).toEqual([path, true]);
    }
  });

  it('S-51 CC-18 what the list evidently means', () => {
    const names = [
      ...[
        'server.key',
        'prod.pem',
        'id_rsa',
        'id_ed25519.pub',
        'ID_ECDSA',
        'prod.env',
        'prod.env.local',
        '.envrc',
        'my.keystore',
        'backup.kdbx.old',
        'a.p12.b.c',
      ],
      ...[
        '.credentials',
        '.credentials.json',
        'credentials',
        'credentials-guide.md',
        'api_key',
        'api_key.txt',
        'stripe_key.json.md',
        'deploy_rsa',
        'github_ed25519',
      ],
      ...[
        '.netrc',
        '_netrc',
        '.npmrc',
        '.pypirc',
        '.pgpass',
        '.git-credentials',
        '.htpasswd',
        '.vault-token',
        'secring.gpg',
        'secring.skr',
        'ca.cer',
        'ca.der',
        'a.p8',
        'a.pk8',
        'a.pkcs12',
      ],
    ];
    for (const name of names)
      expect([name, isSensitive(name), isSensitive(`/x/${name.toUpperCase()}`)]).toEqual([name, true, true]);
  });

  it('CC-18 everything in .ssh, .gnupg and .aws, at any depth', () => {
    for (const directory of ['.ssh', '.gnupg', '.aws', '.Ssh', '.AWS', '.\u017Fsh'])
      for (const path of [
        directory,
        `${directory}/config`,
        `/home/u/${directory}/a/b/notes.md`,
        `x/${directory}/y.md`,
        `/x/${directory}./y.md`,
      ])
        expect([path, isSensitive(path)]).toEqual([path, true]);
    expect(decideSensitive('/home/u/.ssh/config')).toEqual({ pattern: '**/.ssh' });
  });

  it('S-51 innocent names, and directories with sensitive names, are not hit', () => {
    for (const name of innocent)
      for (const path of [name, `/home/u/${name}`, name.toUpperCase()])
        expect([path, decideSensitive(path)]).toEqual([path, undefined]);
    const paths = [
      '/home/u/my_key/project/a.md',
      'packages/credentials/readme.md',
      '.env/lib/a.md',
      'id_service/a.md',
      'x.key/y/a.md',
      '/etc/ssl/certs.pem.d/a.md',
    ];
    for (const path of [...paths, '', '/', '.', '..', '/a/'])
      expect([path, decideSensitive(path)]).toEqual([path, undefined]);
  });

  it('S-50 letter case, Unicode forms and endings that a file system ignores change nothing', () => {
    const paths = [
      ...[
        '.ENV',
        'Prod.PEM',
        'CREDENTIALS.json',
        '.Ssh/ID_ed25519',
        'İd_rsa',
        'ıd_rsa',
        'i\u0307d_rsa',
        '.\u212Aey',
        'a_\u212AEY',
        '.keyſtore',
        'CREDENTİALS',
      ],
      ...[
        '.env.',
        '.env ',
        '.env . .',
        '.env~',
        '.env::$DATA',
        'server.key:x',
        '.e\u200Cnv',
        '\uFEFF.env',
        '.ｅｎｖ',
        '.keyﬆore',
        'a.ｋｅｙ',
        '.e\u00ADnv',
      ],
    ];
    for (const path of paths) expect([path, isSensitive(path), isSensitive(`/a/${path}`)]).toEqual([path, true, true]);
  });

  it('S-52 a path that repeats what the list looks for costs little', () => {
    const firsts = new Set(sensitivePatterns.flatMap((pattern) => /^\*\*\/([^/]+)/u.exec(pattern)?.[1] ?? []));
    for (const directory of [...firsts, '.', '. ~', '\u00e9'])
      for (const ending of ['x', `x${'.bak'.repeat(60)}`, `x${'.1'.repeat(120)}.bak`]) {
        const path = `/p/${`${directory}/`.repeat(300)}${ending}`;
        expectQuick(() => decideSensitive(path), 50);
      }
    expectQuick(() => decideSensitive(`/p/x${'.bak'.repeat(250)}`), 50);
    // Warm, so that it is the path that costs, and of a length that a request may name.
    for (const ending of ['.bak', '.1', '.bak.1'])
      expectQuick(() => decideSensitive(`/p/x${ending.repeat(4_000 / ending.length)}`), 10);
  });

  it('S-51 copies of what lies in a place of secrets are found, however many directories and endings there are', () => {
    const deep = '.git/'.repeat(30);
    for (const path of [
      `${deep}config`,
      `${deep}x/config.bak.old.1`,
      `.git/x/.git/logs/a.bak`,
      'a/.config/b/.config/gh.bak',
    ])
      expect(decideSensitive(`/p/${path}`), path).toBeDefined();
    for (const path of [`${deep}x.bak`, 'config.bak', 'a/.config/b/gh.bak', '.config/x/.git.bak'])
      expect(decideSensitive(`/p/${path}`), path).toBeUndefined();
  });

  it(`S-50 denied(x) implies denied(any case of x), in ${draws} draws`, () => {
    const variants: Record<string, string[]> = {
      i: ['i', 'I', 'İ', 'ı', 'i\u0307'],
      k: ['k', 'K', '\u212A'],
      s: ['s', 'S', 'ſ'],
    };
    const part = fc.string({ unit: fc.constantFrom(...'abikst._-1é'), maxLength: 6 });
    const pattern = fc.constantFrom(...sensitivePatterns.map((each) => each.replace('**/', '')));
    let denied = 0;
    fc.assert(
      fc.property(
        fc.record({
          glob: pattern,
          first: part,
          second: part,
          below: fc.boolean(),
          // One for each of the five characters that follow one another.
          picks: fc.nat(5 ** 5 - 1),
        }),
        ({ glob, first, second, below, picks }) => {
          const path = `${below ? `${first}/` : ''}${glob.replace('*', first).replace('*', second)}`;
          if (!isSensitive(path)) return;
          denied += 1;
          const cased = [...path].map((character, at) => {
            const forms = variants[character] ?? [character, character.toUpperCase()];
            return forms[(Math.floor(picks / 5 ** (at % 5)) % 5) % forms.length];
          });
          if (!isSensitive(cased.join(''))) expect.fail(`${path} is denied, ${cased.join('')} is not`);
        },
      ),
      { numRuns: draws, seed: 50 },
    );
    expect(denied).toBeGreaterThan(0.9 * draws);
  });

  it('CC-18 decides as the glob matcher does with the same patterns', () => {
    const globs = (patterns: readonly string[]) =>
      patterns.flatMap((each) => {
        const compiled = compileGlob(each);
        return 'glob' in compiled ? [compiled.glob] : [];
      });
    const [forNames, forPaths] = [globs(namePatterns), globs(directoryPatterns)];
    expect(forNames.length + forPaths.length).toBe(sensitivePatterns.length);
    const word = fc.constantFrom(
      '',
      'a',
      '.',
      'env',
      'key',
      '_key',
      '.key',
      'pem',
      'id_',
      'id',
      'credentials',
      '.ssh',
      '.aws',
      '/',
      '/',
      'x.',
      '_rsa',
      '.npmrc',
      'secring',
      'keys',
      'p12',
      'Env',
    );
    let denied = 0;
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        // Endings that only some file systems ignore are no matter of globs.
        const path = words
          .join('')
          .split('/')
          .map((name) => name.replace(/[. ~]+$/u, ''))
          .filter(Boolean)
          .join('/');
        const decision = decideSensitive(path);
        const expected =
          forNames.some((glob) => glob.matches(baseName(path))) || forPaths.some((glob) => glob.matches(path));
        if ((decision !== undefined) !== expected) expect.fail(`${path}: ${decision?.pattern}`);
        if (decision === undefined) return;
        denied += 1;
        expect(sensitivePatterns).toContain(decision.pattern);
        const found = compileGlob(decision.pattern);
        expect([
          path,
          decision.pattern,
          'glob' in found && found.glob.matches(decision.pattern.includes('/') ? path : baseName(path)),
        ]).toEqual([path, decision.pattern, true]);
      }),
      { numRuns: comparisons, seed: 18 },
    );
    expect(denied).toBeGreaterThan(comparisons / 4);
  });

  it('CC-18 the list of the specification is contained', () => {
    for (const pattern of listed.filter((each) => each !== '.ssh/id_*')) expect(sensitivePatterns).toContain(pattern);
    for (const pattern of ['id_*', '**/.ssh']) expect(sensitivePatterns).toContain(pattern);
    expect(new Set(sensitivePatterns).size).toBe(sensitivePatterns.length);
  });
});

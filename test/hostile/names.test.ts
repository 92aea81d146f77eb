/** Names that split lines, pose as others, or disguise a secret. */
import { linkSync, renameSync } from 'node:fs';
import { expect } from 'vitest';
import { attackDaemon, attackWith, canary, type HostileCase } from '../support/hostile-cases.ts';
import { always } from '../support/hostile-workspaces.ts';

const attack = attackDaemon();

const oddNames: [row: string, what: string, name: string][] = [
  ['S-44', 'a line end', 'a\nb.md'],
  ['S-44', 'a carriage return', 'a\rb.md'],
  ['S-44', 'a tab', 'a\tb.md'],
  ['S-84', 'a line that looks like a log line', 'x\n{"level":60,"msg":"forged"}\n.md'],
  ['S-84', 'a terminal sequence', '\u001b[2J\u001b]0;owned\u0007.md'],
  ['S-44', 'C1 controls', 'a\u009b31m.md'],
  ['S-44', 'a bidi override', 'exe\u202edm.cod.md'],
  ['S-44', 'characters that nobody sees', 'a\u200b\u2060b.md'],
  ['S-44', 'tag characters', 'a\u{e0041}\u{e0042}.md'],
  ['S-44', 'an emoji', '\u{1F468}\u200d\u{1F469}.md'],
  ['S-44', 'a decomposed letter', 'e\u0301.md'],
  ['S-44', 'a composed letter', '\u00e9.md'],
  ['S-44', 'the replacement character itself', '\ufffd.md'],
  ['S-44', 'a name that objects inherit', '__proto__.md'],
  ['S-44', 'another one', 'constructor.md'],
  ['S-44', 'a device of another system', 'con.md'],
  ['S-44', 'a trailing blank before the extension', 'a .md'],
  ['S-44', 'blanks only', '   .md'],
  ['S-44', 'a leading dash', '-rf.md'],
  ['S-44', 'an option', '--help.md'],
  ['S-44', 'a backslash', 'a\\b.md'],
  ['S-44', 'a climbing backslash', '..\\..\\x.md'],
  ['S-44', 'quotes', `a"b'c\`d.md`],
  ['S-44', 'a shell expression', '$(touch mark);`touch mark`.md'],
  ['S-44', 'percent-encoded climbing', '..%2f..%2fx.md'],
  ['S-44', 'a stream of another system', 'a.md:stream.md'],
  ['S-44', 'glob characters', '[*]?{a,b}.md'],
  ['S-44', 'markup', '<img src=x onerror=alert(1)>.md'],
  ['S-44', 'what the kernel adds to deleted files', 'x (deleted).md'],
  ['S-44', 'only an extension', '.md'],
  ['S-44', 'three dots', '....md'],
  ['S-44', '255 bytes', `${'x'.repeat(252)}.md`],
  ['S-44', '255 bytes of emoji', `${'\u{1F600}'.repeat(63)}.md`],
  ['S-44', 'an upper-case extension', 'A.MD'],
];

attackWith(
  'odd names',
  attack,
  oddNames.map(
    ([row, what, name]): HostileCase => ({
      name: `${row} ${what}`,
      build: (tree) => tree.write(`.context/${name}`, always('odd')),
      files: { [name]: 'active' },
      bodies: { [name]: 'odd' },
      async also({ files }, tree, { send }) {
        const names = files.map((file) => file.name);
        expect(new Set(names).size).toBe(2);
        const explained = await send('/v1/context/explain', { mountedDirectory: tree.root, path: `.context/${name}` });
        expect(explained.status).toBeLessThan(500);
      },
    }),
  ),
);

attackWith('odd names together', attack, [
  {
    name: 'S-44 names that are not UTF-8 are left out and told, whatever they look like',
    build(tree) {
      for (let byte = 0x80; byte <= 0xff; byte += 1) tree.badName('.context', [byte, 0x2e, 0x6d, 0x64]);
      tree.badName('.context', [0x61, 0xc3, 0x2e, 0x6d, 0x64]);
      tree.write('.context/\ufffd.md', 'text');
    },
    files: { '\ufffd.md': 'available' },
    // All but one of the bad names are shown exactly like the good one, which must be found whatever order they come in.
    excluded: { 'a\ufffd.md': 'undecodable_name' },
    warnings: ['undecodable_name .'],
  },
  {
    name: 'S-44 a directory whose name is not UTF-8',
    build: (tree) => tree.badName('.context/sub', [0xfe, 0xff]),
    excluded: { 'sub/\ufffd\ufffd': 'undecodable_name' },
    warnings: ['undecodable_name sub/\ufffd\ufffd'],
  },
  {
    name: 'S-44 composed and decomposed twins are both there, under names of their own',
    build(tree) {
      tree.write('.context/e\u0301.md', always('decomposed'));
      tree.write('.context/\u00e9.md', always('composed'));
    },
    files: { 'e\u0301.md': 'active', '\u00e9.md': 'active' },
    bodies: { 'e\u0301.md': 'decomposed', '\u00e9.md': 'composed' },
  },
  {
    name: 'S-44 names in front matter that pose as other files',
    build(tree) {
      for (const [index, name] of ['good', '~:good', 'packages/a:good', '../good', '/etc/passwd'].entries())
        tree.write(`.context/x${index}.md`, `---\ntrigger: always\nname: "${name}"\n---\nx`);
    },
    files: Object.fromEntries([0, 1, 2, 3, 4].map((index) => [`x${index}.md`, 'active'])),
    warnings: ['duplicate_name x0.md', 'invalid_property x1.md', 'invalid_property x2.md'],
    also: ({ files }) => expect(new Set(files.map(({ name }) => name)).size).toBe(6),
  },
  {
    name: 'S-84 files of other types with names that split lines, in a warning',
    build(tree) {
      tree.write('.context/a\n{"level":60}.exe', '');
      tree.write('.context/\u001b[2J.exe', '');
    },
    excluded: { 'a\n{"level":60}.exe': 'unsupported_type', '\u001b[2J.exe': 'unsupported_type' },
    warnings: ['unsupported_type .'],
    also: ({ text }) => expect(text).not.toMatch(/\p{Cc}/u),
  },
]);

const secrets = [
  ...['.env', '.ENV', '.env.local', 'x.env.md', '.key', 'server.key', 'SERVER.KEY.md', 'prod.pem', 'Prod.PEM'],
  ...['ca.crt', 'a.p12', 'a.pfx', 'a.jks', 'a.keystore', 'id_rsa', 'ID_ED25519', 'id_rsa.md', 'credentials'],
  ...['CREDENTIALS.json', 'credentials.md', '.npmrc', '.netrc', '.htpasswd', '.git-credentials', 'deploy_rsa'],
  ...['.env.', '.env ', '.env~', 'server.key.md', 'a.kdbx', 'vault.asc', 'secring.gpg.txt', 'server_key.md'],
  ...['.\uff45nv', '.e\u200bnv', 'a.\u212aey', '.env\u202e.md', '.env:x.md', 'prod.p\u0435m.pem.txt'],
];

attackWith(
  'secrets in disguise',
  attack,
  secrets.map(
    (name): HostileCase => ({
      name: `S-50 S-51 CC-18 ${JSON.stringify(name)}`,
      build(tree) {
        tree.write(`.context/${name}`, always(canary));
        tree.write(`.context/deep/${name}`, always(canary));
        tree.write(`beside/${name}`, always(canary));
        tree.config({ clientContext: { includeFiles: ['beside/**'] } });
      },
      request: { mentions: [name, `.context/${name}`, `beside/${name}`], files: [`beside/${name}`] },
      excluded: {
        'context-config.json': 'excluded_by_config',
        [name]: 'sensitive',
        [`deep/${name}`]: 'sensitive',
        [`../beside/${name}`]: 'sensitive',
      },
      warnings: [
        ...['mention_not_found', 'mention_not_found', 'mention_not_found'],
        ...(/\.(?:md|txt)$/iu.test(name) ? [] : ['unsupported_type context-config.json']),
      ],
    }),
  ),
);

const directories = ['.ssh', '.SSH', '.gnupg', '.aws', '.Ssh ', '.\u017fsh'];

attackWith('secrets by place and by name', attack, [
  ...directories.map(
    (directory): HostileCase => ({
      name: `S-50 CC-18 all below ${JSON.stringify(directory)}`,
      build: (tree) => tree.write(`.context/${directory}/deep/notes.md`, always(canary)),
      excluded: { [`${directory}/deep/notes.md`]: 'sensitive' },
    }),
  ),
  {
    name: 'S-51 a rename after the first answer',
    build: (tree) => tree.write('.context/notes.md', always('not secret yet')),
    files: { 'notes.md': 'active' },
    async also(_, tree, { resolve }) {
      tree.write('.context/notes.md', always(canary));
      renameSync(tree.path('.context/notes.md'), tree.path('.context/credentials.md'));
      const { files, excluded } = await resolve(tree);
      expect(files.map(({ name }) => name)).toEqual(['good']);
      expect(excluded).toMatchObject([{ reason: { code: 'sensitive' } }]);
    },
  },
  {
    name: 'S-51 a directory renamed to .ssh after the first answer',
    build: (tree) => tree.write('.context/notes/a.md', always('not secret yet')),
    files: { 'notes/a.md': 'active' },
    async also(_, tree, { resolve }) {
      tree.write('.context/notes/a.md', always(canary));
      renameSync(tree.path('.context/notes'), tree.path('.context/.ssh'));
      expect((await resolve(tree)).excluded).toMatchObject([{ reason: { code: 'sensitive' } }]);
    },
  },
  {
    name: 'S-51 the other way round: the name decides, not what it was',
    build: (tree) => tree.write('.context/credentials.md', always('now public')),
    excluded: { 'credentials.md': 'sensitive' },
    async also(_, tree, { resolve }) {
      renameSync(tree.path('.context/credentials.md'), tree.path('.context/public.md'));
      expect((await resolve(tree)).files.map(({ name }) => name)).toEqual(['good', 'public']);
    },
  },
  {
    name: 'S-51 a link with an innocent name to a secret',
    build(tree) {
      tree.write('.env', canary);
      tree.link('.context/notes.md', '../.env');
    },
    excluded: { 'notes.md': 'symlink' },
    warnings: ['symlink notes.md'],
  },
  {
    name: 'S-51 a secret name on an innocent hard link is still a secret',
    build(tree) {
      tree.write('.context/notes.md', always('text'));
      linkSync(tree.path('.context/notes.md'), tree.path('.context/server.key'));
    },
    files: { 'notes.md': 'active' },
    excluded: { 'server.key': 'sensitive' },
  },
  {
    name: 'S-51 a client context path that is itself secret',
    build: (tree) => tree.write('.ssh/notes.md', always(canary)),
    request: { clientContextPath: '.ssh' },
    alone: true,
    excluded: { '../.ssh/notes.md': 'sensitive' },
    warnings: ['context_directory_outside_granted_roots ~/.ssh'],
  },
  {
    name: 'S-51 a mounted directory that is itself secret',
    build: (tree) => tree.write('.aws/.context/notes.md', always(canary)),
    request: (tree) => ({ mountedDirectory: `${tree.root}/.aws` }),
    alone: true,
    excluded: { '../.aws/.context/notes.md': 'sensitive' },
  },
]);

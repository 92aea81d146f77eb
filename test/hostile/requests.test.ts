/** Requests that reach outside, and workspaces at odd places: what a caller sends is refused, never guessed at. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { attackDaemon, attackWith, canary, type HostileCase } from '../support/hostile-cases.ts';
import { always } from '../support/hostile-workspaces.ts';

const attack = attackDaemon();

const refused = (name: string, request: HostileCase['request'], code: string): HostileCase => ({
  name,
  ...(request !== undefined && { request }),
  status: code === 'path_outside_roots' ? 403 : code === 'not_found' ? 404 : 400,
  code,
});
const outside = 'path_outside_roots';
const invalid = 'invalid_request';

const mounted: [what: string, path: (root: string) => string, code: string][] = [
  ['/etc', () => '/etc', outside],
  ['/', () => '/', outside],
  ['the home directory', () => '~', outside],
  ['climbing out of the root', (root) => `${root}/../../../etc`, outside],
  ['a neighbour with the same beginning', () => `${attack.base}-evil`, outside],
  ['the ungranted neighbour', () => attack.outside, outside],
  ['a relative path', () => 'innocent', invalid],
  ['percent-encoded climbing', (root) => `${root}/%2e%2e/%2e%2e/etc`, invalid],
  ['a drive', () => 'C:\\Windows', invalid],
  ['a share', () => '\\\\?\\C:\\Windows', invalid],
  ['a URL', () => 'file:///etc', invalid],
  ['a NUL', (root) => `${root}\0/../../etc`, invalid],
  ['a trailing blank', (root) => `${root} `, 'not_found'],
  ['a trailing quote', (root) => `${root}"`, 'not_found'],
  ['5,000 characters', (root) => `${root}/${'a'.repeat(5_000)}`, invalid],
  ['a name of 4,000 characters', (root) => `${root}/${'a'.repeat(4_000)}`, 'not_found'],
  ['half a pair', (root) => `${root}/\ud800`, invalid],
  ['nothing', () => '', invalid],
];

attackWith(
  'the mounted directory',
  attack,
  mounted.map(([what, path, code]) =>
    refused(`S-34 mountedDirectory: ${what}`, (tree) => ({ mountedDirectory: path(tree.root) }), code),
  ),
);

const inside: [what: string, path: string, code: string][] = [
  ['climbing', '../..', outside],
  ['climbing after going down', 'a/../../x', outside],
  ['an absolute path elsewhere', '/etc/passwd', outside],
  ['the home directory', '~/.ssh', outside],
  ['backslashes', '..\\..\\x', outside],
  ['percent-encoded climbing', '%2e%2e/x', invalid],
  ['a drive', 'C:\\x', invalid],
  ['a NUL', 'a\0b', invalid],
  ['half a pair', 'a\udfffb', invalid],
  ['5,000 characters', 'a'.repeat(5_000), invalid],
];

attackWith(
  'paths inside it',
  attack,
  inside.flatMap(([what, path, code]) => [
    refused(`S-34 workingDirectory: ${what}`, { workingDirectory: path }, code),
    code === outside
      ? { name: `S-34 AN-02 files: ${what}`, request: { files: ['good.ts', path] } }
      : refused(`S-34 files: ${what}`, { files: ['good.ts', path] }, code),
  ]),
);

attackWith('what is harmless inside it', attack, [
  {
    name: 'S-34 mentions of anything else name nothing',
    request: { mentions: ['/etc/passwd', '../../outside/secret.md', '\ud800', '__proto__', '*', '~/.ssh/id_rsa'] },
    warnings: Array.from({ length: 6 }, () => 'mention_not_found'),
  },
  {
    name: 'S-61 names that objects inherit, as files in play',
    request: { files: ['__proto__', 'constructor/prototype', 'toString'] },
  },
  {
    name: 'S-44 files in play with names that split lines',
    request: { files: ['a\nb.ts', '\u001b[2J', '\u202e.ts'] },
  },
  refused('S-66 unknown keys', { __proto: {}, command: 'touch mark' }, invalid),
  refused('S-66 wrong types', { files: 'a', scopes: [{}], content: 'yes' }, invalid),
  refused('S-66 257 files in play', { files: Array.from({ length: 257 }, () => 'a') }, invalid),
]);

const clientPaths: [path: string, code: string | undefined, warnings: string[]][] = [
  ['/etc', invalid, []],
  ['~', invalid, []],
  ['~/.context', invalid, []],
  ['a\0b', invalid, []],
  ['.', invalid, []],
  ['./', invalid, []],
  [' ', invalid, []],
  ['C:\\context', invalid, []],
  ['a'.repeat(2_000), invalid, []],
  ['../../../../../../../../etc', undefined, ['context_directory_outside_granted_roots']],
  ['../../outside', undefined, ['context_directory_outside_granted_roots']],
  ['$HOME', undefined, ['context_directory_outside_granted_roots']],
  ['a'.repeat(1_000), undefined, ['context_directory_outside_granted_roots']],
  ['%2e%2e/outside', undefined, ['context_directory_outside_granted_roots']],
  ['.context\n', undefined, ['context_directory_outside_granted_roots']],
];

attackWith('the client context path', attack, [
  ...clientPaths.map(
    ([path, code, warnings]): HostileCase =>
      code === undefined
        ? {
            name: `S-35 clientContextPath ${JSON.stringify(path).slice(0, 40)}`,
            request: { clientContextPath: path },
            alone: true,
            also: (answer) => {
              expect(answer.status).toBe(200);
              expect(answer.files).toEqual([]);
              expect([...new Set(answer.warnings.map((warning) => warning.code))]).toEqual(warnings);
            },
            anything: true,
          }
        : refused(`S-35 clientContextPath ${JSON.stringify(path).slice(0, 40)}`, { clientContextPath: path }, code),
  ),
  {
    name: 'S-35 a directory beside the workspace that was granted is used',
    build: (tree) => tree.write('../shared/x.md', always('shared')),
    request: { clientContextPath: '../shared', scopes: ['static'] },
    alone: true,
    files: { '../../shared/x.md': 'active' },
  },
  ...['/etc', '/', '/proc/self', '/root'].map(
    (path): HostileCase => ({
      name: `S-35 globalContextPath ${path}`,
      request: { globalContextPath: path },
      warnings: ['context_directory_outside_granted_roots'],
    }),
  ),
  refused('S-35 globalContextPath relative', { globalContextPath: 'x' }, invalid),
  refused('S-35 globalContextPath with a NUL', { globalContextPath: '/a\0b' }, invalid),
  {
    name: 'S-35 globalContextPath that is the workspace: each file once, where it is most specific',
    request: (tree) => ({ globalContextPath: tree.root }),
    also: ({ files }) => expect(files).toMatchObject([{ scope: 'static' }]),
  },
]);

const oddPlaces = [
  'with blanks',
  'with "quotes"',
  "it's",
  'a\nb',
  'a\tb',
  '\u202erig',
  '$(touch mark)',
  '[*]',
  '{a,b}',
];
oddPlaces.push('%41', 'e\u0301', 'back\\slash', '-rf', '__proto__');

describe('workspaces at odd places', () => {
  it.each(oddPlaces)('S-44 a workspace called %j', async (name) => {
    const tree = attack.tree(`places/${name}`);
    tree.write('.context/good.md', always('good'));
    tree.write('docs/x.md', always('x'));
    tree.config({ clientContext: { includeFiles: ['docs/*.md'] } });
    const answer = await attack.resolve(tree);
    // A caller's backslash is a separator, so such a place cannot be named.
    if (name.includes('\\')) expect(answer).toMatchObject({ status: 404, code: 'not_found' });
    else expect(answer.files.map(({ content }) => content)).toEqual(['good', 'x']);
  });

  it.each(['granted "twice" \n here', 'granted\u202e'])('S-44 a root granted at %j', async (name) => {
    const path = `${attack.outside}/${name}`;
    mkdirSync(`${path}/.context`, { recursive: true });
    expect((await attack.send('/v1/context/resolve', { mountedDirectory: path })).status).toBe(403);
    expect((await attack.send('/v1/roots', { path })).status).toBe(201);
    const answer = await attack.send('/v1/context/resolve', { mountedDirectory: path });
    expect(answer).toMatchObject({ status: 200, body: { files: [], warnings: [] } });
    const revoked = await attack.daemon.request(`/v1/roots?path=${encodeURIComponent(path)}`, { method: 'DELETE' });
    expect(revoked.status).toBe(204);
    expect((await attack.send('/v1/context/resolve', { mountedDirectory: path })).status).toBe(403);
  });

  it('S-37 a root that is granted by a link, and then leads elsewhere', async () => {
    const tree = attack.tree();
    const link = `${attack.outside}/link`;
    symlinkSync(tree.root, link);
    tree.write('.context/good.md', always('good'));
    expect((await attack.send('/v1/roots', { path: link })).status).toBe(201);
    const answer = await attack.send('/v1/context/resolve', { mountedDirectory: link });
    expect(answer.body).toMatchObject({ files: [{ content: 'good' }] });
    await attack.daemon.request(`/v1/roots?path=${encodeURIComponent(link)}`, { method: 'DELETE' });
  });

  it('CC-33 two mounted directories, one in the other, each see what is theirs', async () => {
    const tree = attack.tree();
    tree.write('.context/outer.md', always('outer'));
    tree.write('inner/.context/inner.md', always('inner'));
    const resolve = (mountedDirectory: string, workingDirectory: string) =>
      attack.resolve(tree, { mountedDirectory, workingDirectory });
    const [outer, both, inner] = await Promise.all([
      resolve(tree.root, '.'),
      resolve(tree.root, 'inner'),
      resolve(`${tree.root}/inner`, '.'),
    ]);
    const names = ({ files }: { files: { name: string }[] }) => files.map(({ name }) => name);
    expect([outer, both, inner].map(names)).toEqual([['outer'], ['outer', 'inner:inner'], ['inner']]);
  });
});

/** A body as bytes, with the token. */
function sendRaw(body: string | Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${attack.daemon.token}`, 'content-type': 'application/json' };
    const url = `${attack.daemon.url}/v1/context/resolve`;
    const request = httpRequest(url, { method: 'POST', agent: false, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject).end(body);
  });
}

describe('bodies', () => {
  const bodies: [what: string, body: string | Buffer, status: number][] = [
    ['half a pair as an escape', '{"mountedDirectory":"/\\ud800"}', 400],
    ['bytes that are not UTF-8', Buffer.from('{"mountedDirectory":"/\xff"}', 'latin1'), 400],
    ['halves of a pair as bytes', Buffer.from('{"mountedDirectory":"/\xed\xa0\x80"}', 'latin1'), 400],
    ['an inherited name as a key', '{"mountedDirectory":"/","__proto__":{"polluted":1}}', 400],
    ['another one', '{"mountedDirectory":"/","constructor":{"prototype":{"polluted":1}}}', 400],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000), 400],
    ['a byte order mark', '\uFEFF{}', 400],
    ['UTF-16', Buffer.from('{}', 'utf16le'), 400],
    ['a NUL', '{}\0', 400],
    ['two values', '{}{}', 400],
    ['more than 1 MiB', `{"mountedDirectory":"${'a'.repeat(1024 * 1024)}"}`, 413],
  ];
  it.each(bodies)('S-66 %s', async (_, body, status) => {
    expect(await sendRaw(body)).toBe(status);
  });

  it('S-09 nothing of a body is in the log', async () => {
    await sendRaw(JSON.stringify({ mountedDirectory: canary }));
    expect(attack.daemon.process.output.stderr).not.toContain(canary);
  });
});

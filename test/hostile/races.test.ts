/** Workspaces that change while they are asked about: no half file, no file from outside, never a 5xx, and never stale. */
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { attackDaemon, canary, type ResolveAnswer, resolveInnocent } from '../support/hostile-cases.ts';
import { always, createHostileTree, type HostileTree } from '../support/hostile-workspaces.ts';

const attack = attackDaemon();
const workers: Worker[] = [];
const rounds = 60;

/** Repeats `body` in another thread until the test ends; resolves when it runs. `fs`, `ws`, `outside` are in its scope. */
async function disturb(tree: HostileTree, body: string): Promise<void> {
  const code = `const fs = require('node:fs'); let round = 0;
    const ws = ${JSON.stringify(tree.root)}; const outside = ${JSON.stringify(attack.outside)};
    const attempt = (work) => { try { work(); } catch {} };
    const pause = new Int32Array(new SharedArrayBuffer(4));
    const rest = () => Atomics.wait(pause, 0, 0, round % 4);
    const always = (text) => '---\\ntrigger: always\\n---\\n' + text;
    require('node:worker_threads').parentPort.postMessage('ready');
    for (;;) { round += 1; ${body} }`;
  const worker = new Worker(code, { eval: true });
  workers.push(worker);
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}

/** Bodies by name, of `rounds` answers, four at a time. */
async function collect(tree: HostileTree, request: object = {}): Promise<Map<string, Set<string>>> {
  const bodies = new Map<string, Set<string>>();
  for (let round = 0; round < rounds; round += 4) {
    const answers = await Promise.all(
      // `content` keeps the four from being answered as one.
      [0, 1, 2, 3].map((nth) => attack.resolve(tree, { ...request, mentions: [`${nth}`] })),
    );
    for (const answer of answers) {
      expect(answer.status, answer.text).toBe(200);
      for (const { path, content } of answer.files) {
        const name = path.slice(tree.root.length + 1);
        bodies.set(name, (bodies.get(name) ?? new Set()).add(content ?? ''));
      }
    }
  }
  return bodies;
}

const contents = ({ files }: ResolveAnswer) => files.map(({ content }) => content);

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
});

describe('things that change during requests', () => {
  afterAll(() => resolveInnocent(attack, 20));

  const fresh = () => {
    const tree = attack.tree();
    tree.write('.context/good.md', always('good'));
    return tree;
  };
  const lines = 2_000;

  it('S-48 files replaced by new versions come whole, in one version', async () => {
    const tree = fresh();
    tree.write('.context/x.md', always('0\n'.repeat(lines)));
    await disturb(
      tree,
      `fs.writeFileSync(ws + '/new', always((String(round % 10) + '\\n').repeat(${lines})));
       fs.renameSync(ws + '/new', ws + '/.context/x.md');`,
    );
    const bodies = await collect(tree);
    expect(bodies.get('.context/good.md')).toEqual(new Set(['good']));
    const versions = [...(bodies.get('.context/x.md') ?? [])];
    expect(versions.length).toBeGreaterThan(1);
    for (const text of versions) expect(text === `${text.slice(0, 1)}\n`.repeat(lines), text.slice(0, 20)).toBe(true);
  });

  it('S-48 files that are deleted and made again', async () => {
    const tree = fresh();
    await disturb(
      tree,
      `const path = ws + '/.context/' + (round % 20) + '.md';
       attempt(() => fs.renameSync(ws + '/new', path)); fs.writeFileSync(ws + '/new', always('whole'));
       attempt(() => fs.unlinkSync(ws + '/.context/' + ((round + 10) % 20) + '.md'));`,
    );
    const bodies = await collect(tree);
    expect(bodies.get('.context/good.md')).toEqual(new Set(['good']));
    for (const [name, texts] of bodies) if (!name.endsWith('good.md')) expect(texts).toEqual(new Set(['whole']));
  });

  it('S-48 directories that are renamed, removed and made again', async () => {
    const tree = fresh();
    await disturb(
      tree,
      `const dir = ws + '/.context/d' + (round % 5);
       attempt(() => { fs.mkdirSync(dir); fs.writeFileSync(dir + '/x.md', always('x')); });
       attempt(() => fs.renameSync(dir, dir + '-moved'));
       attempt(() => fs.rmSync(dir + '-moved', { recursive: true }));`,
    );
    expect((await collect(tree)).get('.context/good.md')).toEqual(new Set(['good']));
  });

  it('S-39 a directory of the context directory that changes places with a link to the outside', async () => {
    const tree = fresh();
    tree.write('.context/d/secret.md', always('inside'));
    symlinkSync(attack.outside, tree.path('link'));
    await disturb(
      tree,
      `fs.renameSync(ws + '/.context/d', ws + '/away'); fs.renameSync(ws + '/link', ws + '/.context/d');
       fs.renameSync(ws + '/.context/d', ws + '/link'); fs.renameSync(ws + '/away', ws + '/.context/d');
       rest();`,
    );
    const bodies = await collect(tree);
    expect(bodies.get('.context/d/secret.md')).toEqual(new Set(['inside']));
  });

  it('S-39 the context directory itself changes places with a link to the outside', async () => {
    const tree = fresh();
    symlinkSync(attack.outside, tree.path('link'));
    await disturb(
      tree,
      `fs.renameSync(ws + '/.context', ws + '/away'); fs.renameSync(ws + '/link', ws + '/.context');
       fs.renameSync(ws + '/.context', ws + '/link'); fs.renameSync(ws + '/away', ws + '/.context');
       rest();`,
    );
    for (const [name, texts] of await collect(tree)) {
      expect(name).toBe('.context/good.md');
      expect(texts).toEqual(new Set(['good']));
    }
  });

  it('S-39 S-36 an included directory that changes places with a link to the outside', async () => {
    const tree = fresh();
    tree.write('docs/secret.md', always('inside'));
    tree.config({ clientContext: { includeFiles: ['docs/**'] } });
    symlinkSync(attack.outside, tree.path('link'));
    await disturb(
      tree,
      `fs.renameSync(ws + '/docs', ws + '/away'); fs.renameSync(ws + '/link', ws + '/docs');
       fs.renameSync(ws + '/docs', ws + '/link'); fs.renameSync(ws + '/away', ws + '/docs');
       rest();`,
    );
    const bodies = await collect(tree);
    expect([...(bodies.get('docs/secret.md') ?? ['inside'])]).toEqual(['inside']);
  });

  it('S-51 a file that changes names with a secret', async () => {
    const tree = fresh();
    tree.write('.context/notes.md', always('notes'));
    tree.write('.context/.env', canary);
    await disturb(
      tree,
      `fs.renameSync(ws + '/.context/notes.md', ws + '/.context/other.md');
       fs.renameSync(ws + '/.context/other.md', ws + '/.context/notes.md');`,
    );
    for (const [name, texts] of await collect(tree)) {
      if (!name.endsWith('good.md')) expect(texts).toEqual(new Set(['notes']));
    }
  });

  it('S-62 a configuration that is whole, broken, gone, a directory and a FIFO in turn', async () => {
    const tree = fresh();
    tree.fifo('pipe');
    await disturb(
      tree,
      `const path = ws + '/.context/context-config.json';
       attempt(() => fs.writeFileSync(path, '{"clientContext":{"excludeFiles":["x.md"]}}'));
       attempt(() => fs.writeFileSync(path, '{"clientContext":'));
       attempt(() => fs.unlinkSync(path)); attempt(() => fs.mkdirSync(path)); attempt(() => fs.rmdirSync(path));
       attempt(() => fs.renameSync(ws + '/pipe', path)); attempt(() => fs.renameSync(path, ws + '/pipe'));`,
    );
    expect((await collect(tree)).get('.context/good.md')).toEqual(new Set(['good']));
  });

  it('S-40 S-48 a file that becomes a FIFO, a socket’s place and a file again while it is read', async () => {
    const tree = fresh();
    tree.fifo('pipe');
    tree.write('.context/x.md', always('x'));
    await disturb(
      tree,
      `const path = ws + '/.context/x.md';
       fs.renameSync(path, ws + '/file'); fs.renameSync(ws + '/pipe', path);
       fs.renameSync(path, ws + '/pipe'); fs.renameSync(ws + '/file', path);`,
    );
    const bodies = await collect(tree);
    expect(bodies.get('.context/good.md')).toEqual(new Set(['good']));
    expect([...(bodies.get('.context/x.md') ?? ['x'])]).toEqual(['x']);
  });

  it('S-48 the mounted directory disappears and comes back', async () => {
    const tree = fresh();
    await disturb(tree, `fs.renameSync(ws, ws + '-away'); fs.renameSync(ws + '-away', ws);`);
    const seen = new Set<number>();
    for (let round = 0; round < rounds; round += 1) {
      const { status, files } = await attack.resolve(tree);
      seen.add(status);
      if (status === 200) for (const { content } of files) expect(content).toBe('good');
    }
    for (const status of seen) expect([200, 404]).toContain(status);
  });
});

describe('things that change between requests', () => {
  afterAll(() => resolveInnocent(attack, 20));

  it('S-40 CC-36 a workspace that is a directory, a file, a FIFO, a link, nothing, and a directory again', async () => {
    const tree = attack.tree();
    const remake = (make: () => void) => {
      rmSync(tree.root, { recursive: true });
      make();
    };
    const ask = async () => {
      const { status, code } = await attack.resolve(tree);
      return `${status} ${code ?? ''}`;
    };
    const good = () => createHostileTree(tree.root).write('.context/good.md', always('good'));
    good();
    expect(await ask()).toBe('200 ');
    remake(() => tree.write(tree.root, 'text'));
    expect(await ask()).toBe('400 invalid_request');
    remake(() => tree.fifo(tree.root));
    expect(await ask()).toBe('400 invalid_request');
    remake(() => symlinkSync(attack.outside, tree.root));
    expect(await ask()).toBe('403 path_outside_roots');
    remake(() => symlinkSync(tree.root, tree.root));
    expect(await ask()).toBe('403 path_outside_roots');
    remake(() => {});
    expect(await ask()).toBe('404 not_found');
    good();
    expect(contents(await attack.resolve(tree))).toEqual(['good']);
  });

  it('S-37 CC-36 .context is replaced by a link after the first answer, and comes back', async () => {
    const tree = attack.tree();
    tree.write('.context/good.md', always('good'));
    expect(contents(await attack.resolve(tree))).toEqual(['good']);
    renameSync(tree.path('.context'), tree.path('away'));
    for (const target of ['away', attack.outside, '.context']) {
      tree.link('.context', target);
      const { files, warnings } = await attack.resolve(tree);
      expect(files).toEqual([]);
      expect(warnings).toMatchObject([{ code: 'symlink' }]);
      rmSync(tree.path('.context'));
    }
    renameSync(tree.path('away'), tree.path('.context'));
    expect(contents(await attack.resolve(tree))).toEqual(['good']);
  });

  it('S-37 CC-36 a directory above the working directory is replaced by a link after the first answer', async () => {
    const tree = attack.tree();
    tree.write('a/b/.context/x.md', always('x'));
    const request = { workingDirectory: 'a/b' };
    expect(contents(await attack.resolve(tree, request))).toEqual(['x']);
    renameSync(tree.path('a'), tree.path('real'));
    tree.link('a', 'real');
    const linked = await attack.resolve(tree, request);
    expect(linked.files).toEqual([]);
    expect(linked.warnings.map(({ code }) => code)).toContain('symlink');
    rmSync(tree.path('a'));
    renameSync(tree.path('real'), tree.path('a'));
    expect(contents(await attack.resolve(tree, request))).toEqual(['x']);
  });

  it('S-48 CC-36 the mounted directory is removed while it is in use, and another comes in its place', async () => {
    const tree = attack.tree();
    tree.write('.context/x.md', always('first'));
    expect(contents(await attack.resolve(tree))).toEqual(['first']);
    const many = Array.from({ length: 20 }, () => attack.resolve(tree));
    rmSync(tree.root, { recursive: true });
    for (const { status } of await Promise.all(many)) expect([200, 404]).toContain(status);
    expect((await attack.resolve(tree)).code).toBe('not_found');
    mkdirSync(tree.root);
    tree.write('.context/x.md', always('other'));
    expect(contents(await attack.resolve(tree))).toEqual(['other']);
  });

  it('S-48 CC-36 a file of the same size and time is another file', async () => {
    const tree = attack.tree();
    for (const text of ['one', 'two', 'six', 'ten']) {
      tree.write('.context/x.md', always(text));
      expect(contents(await attack.resolve(tree))).toEqual([text]);
    }
  });
});

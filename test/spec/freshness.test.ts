/** Answers are never from the past, and unchanged files are not read again. */
import { describe, expect, it } from 'vitest';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { config, contextFile, createWorkspace, names, project } from '../support/workspace.ts';

const always = contextFile({ trigger: 'always' });

describe('freshness', () => {
  it('CC-36 sees every write that returned before the request, even of the same size at the same instant', async () => {
    const { resolve, files, clock } = await createWorkspace({
      '.context/a.md': contextFile({ trigger: 'always' }, 'one'),
    });
    const body = async (): Promise<string | undefined> => (await resolve()).files[0]?.content;
    expect(await body()).toBe('one');
    files.write(`${project}/.context/a.md`, contextFile({ trigger: 'always' }, 'two'));
    expect(await body()).toBe('two');
    files.write(`${project}/.context/b.md`, always);
    expect(names(await resolve())).toEqual(['a', 'b']);
    files.rename(`${project}/.context/b.md`, `${project}/.context/c.md`);
    expect(names(await resolve())).toEqual(['a', 'c']);
    files.remove(`${project}/.context/c.md`);
    clock.advance(10_000);
    expect(names(await resolve())).toEqual(['a']);
    files.write(`${project}/.context/context-config.json`, config({ clientContext: { excludeFiles: ['a.md'] } }));
    expect(names(await resolve())).toEqual([]);
  });

  it('CC-36 trusts no signature of a file or a directory that may still be written within its step of time', async () => {
    const { resolve, files, clock } = await createWorkspace({});
    const path = `${project}/.context/a.md`;
    files.write(path, contextFile({ trigger: 'always' }, '0'));
    for (let round = 1; round <= 8; round += 1) {
      // In the same step as the write before, at its end, or in the next one.
      clock.advance(round * 250);
      await resolve();
      files.write(path, contextFile({ trigger: 'always' }, String(round)));
      expect((await resolve()).files[0]?.content).toBe(String(round));
      files.rename(path, `${path}.md`);
      expect(names(await resolve())).toEqual(['a.md']);
      files.rename(`${path}.md`, path);
    }
  });

  it('CC-36 a request never joins a run that began before it', async () => {
    const { resolve, files } = await createWorkspace({ '.context/a.md': contextFile({ trigger: 'always' }, '0') });
    const read = files.read.bind(files);
    const seen: [string | undefined, string][] = [];
    for (let round = 1; round <= 20; round += 1) {
      files.read = async (path, options) => {
        const content = await read(path, options);
        await new Promise((done) => setImmediate(done));
        return content;
      };
      const running = resolve();
      await new Promise((done) => setImmediate(done));
      await new Promise((done) => setImmediate(done));
      files.write(`${project}/.context/a.md`, contextFile({ trigger: 'always' }, String(round)));
      seen.push([(await resolve()).files[0]?.content, String(round)]);
      await running;
    }
    expect(seen.map(([content]) => content)).toEqual(seen.map(([, expected]) => expected));
  });

  it('CC-36 a request never joins the looks of another that began before it', async () => {
    const path = `${project}/.context/first.md`;
    const { engine, files, clock } = await createWorkspace({ '.context/first.md': always });
    const [asked, other] = [{ mountedDirectory: project }, { mountedDirectory: project, mentions: ['first'] }];
    clock.advance(10_000);
    for (const request of [asked, other, asked, other]) await engine.resolve(request);
    const turn = Promise.withResolvers<ReturnType<typeof engine.resolve>>();
    setImmediate(() => {
      // A run that waits for the next turn, and one that looks before it.
      setImmediate(() => void engine.resolve(asked));
      void engine.resolve(other).then(() => {
        files.write(path, contextFile({ trigger: 'always' }, 'after the write'));
        setTimeout(() => turn.resolve(engine.resolve(asked)), 0);
        const end = performance.now() + 3;
        while (performance.now() < end);
      });
    });
    expect((await turn.promise).files[0]?.content).toBe('after the write');
  });

  it('CC-36 reads and parses nothing again while nothing changes', async () => {
    const tree = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`.context/f${index}.md`, always]));
    const { resolve, engine, files } = await createWorkspace({ ...tree, '.context/context-config.json': '{}' });
    await resolve();
    const before = engine.statistics();
    files.resetCounters();
    for (let round = 0; round < 10; round += 1) await resolve();
    expect(engine.statistics()).toEqual(before);
    expect(files.reads + files.lists).toBe(0);
    expect(before.filesParsed).toBe(60);
  });

  it('CC-36 only looks at what the request before has read, once that cannot change without a sign', async () => {
    const looksAfter = async (settleMs: number): Promise<number[]> => {
      const { resolve, files, clock } = await createWorkspace({});
      for (let at = 0; at < 20; at += 1) files.write(`${project}/.context/f${at}.md`, always);
      clock.advance(settleMs);
      await resolve();
      const looks: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        files.resetCounters();
        expect((await resolve()).files).toHaveLength(20);
        looks.push(files.stats + files.realPaths);
      }
      return looks;
    };
    const [first, ...others] = await looksAfter(10_000);
    expect(others).toEqual([first, first]);
    const [unsettled] = await looksAfter(500);
    expect(unsettled).toBeGreaterThan(first as number);
  });

  it('CC-36 looks for a request for all context no more than for its parts', async () => {
    const tree = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`.context/f${at}.md`, always]));
    const { engine, files, clock } = await createWorkspace({ ...tree, 'src/a.ts': 'export {};\n' });
    clock.advance(60_000);
    const looksOf = async (ask: () => Promise<unknown>): Promise<number> => {
      for (let round = 0; round < 3; round += 1) {
        files.resetCounters();
        await ask();
      }
      return files.stats + files.realPaths;
    };
    const path = 'src/a.ts';
    const gather = (rules: boolean) => () =>
      engine.gatherContext({
        mountedDirectory: project,
        documents: [{ path }],
        include: { rules, tabs: false, supplementary: false, imports: 'off', search: false },
      });
    const parts = await looksOf(() => engine.resolve({ mountedDirectory: project, files: [path] }));
    expect(await looksOf(gather(true))).toBeLessThanOrEqual(parts + (await looksOf(gather(false))));
  });

  it('RT-01 a single unsaved text counts instead of the file on disk', async () => {
    const path = '.context/a.md';
    const { engine } = await createWorkspace({ [path]: contextFile({ trigger: 'always' }, 'saved words') });
    const content = contextFile({ trigger: 'always' }, 'other words');
    const gathered = await engine.gatherContext({
      mountedDirectory: project,
      documents: [{ path, content }],
      include: { tabs: false, supplementary: false, imports: 'off', search: false },
    });
    const text = JSON.stringify(gathered);
    expect([text.includes('other words'), text.includes('saved words')]).toEqual([true, false]);
  });

  it('CC-36 opens nothing again where a file is left out for what a look shows', async () => {
    const { resolve, files, clock } = await createWorkspace({ '.context/a.md': always, 'other.md': always });
    files.symlink(`${project}/.context/link.md`, '../other.md');
    clock.advance(60_000);
    const shown = ({ files: active, excluded }: ResolveResult) => [
      active.length,
      excluded.map(({ reason }) => reason.code),
    ];
    for (let round = 0; round < 2; round += 1) expect(shown(await resolve())).toEqual([1, ['symlink']]);
    files.resetCounters();
    expect(shown(await resolve())).toEqual([1, ['symlink']]);
    expect(files.reads + files.lists).toBe(0);
    const { stats, realPaths } = files;
    files.resetCounters();
    await resolve();
    expect([files.stats, files.realPaths]).toEqual([stats, realPaths]);
    files.remove(`${project}/.context/link.md`);
    expect(shown(await resolve())).toEqual([1, []]);
  });

  it('CC-36 looks once for different requests that come together, and costs nothing for what lies beside the way', async () => {
    const tree = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`src/.context/f${index}.md`, always]));
    const beside = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`docs/.context/g${index}.md`, always]),
    );
    const looksOf = async (given: Record<string, string>, count: number): Promise<number> => {
      const { resolve, files } = await createWorkspace(given);
      const ask = () =>
        Promise.all(
          Array.from({ length: count }, (_, n) =>
            resolve({ workingDirectory: 'src', budget: { maxTokens: 9_000 + n } }),
          ),
        );
      await ask();
      await ask();
      files.resetCounters();
      await ask();
      return files.stats + files.realPaths;
    };
    const one = await looksOf(tree, 1);
    expect(one).toBeGreaterThan(60);
    // Requests that a busy machine takes apart share their looks: then a directory that one request asks for twice is asked
    // for once.
    const many = await looksOf(tree, 20);
    expect(many).toBeLessThanOrEqual(one);
    expect(many).toBeGreaterThan(60);
    expect(await looksOf({ ...tree, ...beside }, 1)).toBe(one);
  });

  it('CC-36 answers fifty requests at once, each rightly', async () => {
    const { engine } = await createWorkspace(
      Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`p${index}/.context/r${index}.md`, always])),
    );
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => engine.resolve({ mountedDirectory: `${project}/p${index % 10}` })),
    );
    for (const [index, answer] of answers.entries()) expect(names(answer)).toEqual([`r${index % 10}`]);
  });
});

/** What is watched for listeners, and what they are told of it (SY-03, S-55), through the engine. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ContextChanged, type EventData, type EventType } from '../../src/events/event.ts';
import type { WatchOptions } from '../../src/ports/ports.ts';
import { expectQuick } from '../support/expect-quick.ts';
import { createMemoryWatcher, type MemoryWatcher } from '../support/memory-watcher.ts';
import { createWorkspace, home, project, type TestWorkspace } from '../support/workspace.ts';

let watcher: MemoryWatcher;
let workspace: TestWorkspace;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  watcher = createMemoryWatcher();
  workspace = await createWorkspace(
    { '.context/style.md': 'Tabs.', 'src/app/.context/app.md': 'App.', '~/.context/mine.md': 'Mine.' },
    { ports: { watcher } },
  );
});
afterEach(() => vi.useRealTimers());

/** Fewer promises are on the way to the watcher, and no timer is among them. */
const settle = async () => {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
};
const resolveNow = async (request = {}) => {
  await workspace.resolve(request);
  await settle();
};
async function listen() {
  const events: { type: EventType; data: EventData[EventType] }[] = [];
  const { close } = workspace.engine.subscribe({ deliver: ({ type, data }) => events.push({ type, data }), end() {} });
  await settle();
  return { events, close };
}
const watchedDirectories = () => watcher.added.flatMap(({ directories }) => directories).sort();
const windowPasses = () => vi.advanceTimersByTimeAsync(50);

describe('interest', () => {
  it('SY-03 watches nothing while nobody listens, and nothing nobody asked about', async () => {
    await resolveNow();
    expect(watcher.open).toBe(0);
    expect(workspace.engine.watching()).toEqual({ directories: 0 });
    const other = await createWorkspace({}, { ports: { watcher } });
    other.engine.subscribe({ deliver() {}, end() {} });
    expect(watchedDirectories()).toEqual([]);
  });

  it('SY-03 watches what was asked about before and while somebody listens', async () => {
    await resolveNow();
    const { close } = await listen();
    expect(watchedDirectories()).toEqual([`${home}/.context`, project]);
    await resolveNow({ files: ['src/app/main.ts'] });
    expect(watchedDirectories()).toEqual(
      [`${home}/.context`, `${home}/.context`, project, project, `${project}/src`, `${project}/src/app`].sort(),
    );
    expect(workspace.engine.watching()).toEqual({ directories: 4 });
    await resolveNow({ files: ['src/app/main.ts'] });
    expect(watcher.added).toHaveLength(2);
    close();
    expect(watcher.open).toBe(0);
    expect(workspace.engine.watching()).toEqual({ directories: 0 });
  });

  it('SY-03 watches all directories of included files, or says that there are too many', async () => {
    const config = JSON.stringify({ clientContext: { includeFiles: ['docs/**/*.md'] } });
    for (const count of [300, 2_100]) {
      const pages = Array.from({ length: count }, (_, at) => [`docs/${at}/page.md`, 'page']);
      const tree = { '.context/context-config.json': config, ...Object.fromEntries(pages) };
      const large = await createWorkspace(tree, { ports: { watcher } });
      const reasons: unknown[] = [];
      const { close } = large.engine.subscribe({
        deliver: ({ type, data }) => type === 'resync' && reasons.push(data),
        end() {},
      });
      await large.resolve();
      await expect.poll(() => watcher.added).not.toEqual([]);
      if (count === 300)
        expect(watchedDirectories()).toEqual(
          expect.arrayContaining(pages.map(([path]) => `${project}/docs/${path?.split('/')[1]}`)),
        );
      const isTold = reasons.some((reason) => JSON.stringify(reason).includes('too_many_directories'));
      expect([count, isTold]).toEqual([count, count > 2_000]);
      close();
    }
  });

  it('SY-03 begins again seldom where answers of one place are made of other directories each time', async () => {
    const config = JSON.stringify({ clientContext: { includeFiles: ['docs/**/*.md'] } });
    const pages = Array.from({ length: 300 }, (_, at) => [`docs/${at}/page.md`, 'page']);
    const tree = { '.context/context-config.json': config, ...Object.fromEntries(pages) };
    const large = await createWorkspace(tree, { ports: { watcher } });
    const reasons: unknown[] = [];
    large.engine.subscribe({ deliver: ({ type, data }) => type === 'resync' && reasons.push(data), end() {} });
    const ask = async (request = {}) => {
      const { length } = watcher.added;
      await large.resolve(request);
      if (length === 0) await expect.poll(() => watcher.added).not.toEqual([]);
      await settle();
    };
    for (let turn = 0; turn < 3; turn += 1) {
      await ask();
      await ask({ scopes: ['global'] });
    }
    expect(reasons).toEqual([]);
    const change = (includeFiles: string[]) =>
      large.files.write(`${project}/.context/context-config.json`, JSON.stringify({ clientContext: { includeFiles } }));
    for (let turn = 0; turn < 3; turn += 1) {
      change([]);
      await ask();
      change(['docs/**/*.md']);
      await ask();
    }
    expect(reasons).toHaveLength(1);
    large.clock.advance(60_000);
    change([]);
    await ask();
    expect(reasons).toHaveLength(2);
  });

  it.each([
    { what: 'many entries', count: 15_000, includeFiles: ['docs/**/*.md'], extension: 'svg' },
    {
      what: 'many hostile patterns',
      count: 1_000,
      includeFiles: Array.from({ length: 1_500 }, (_, at) => `docs/**/${'*a'.repeat(30)}${at}.md`),
      extension: 'md',
    },
  ])(
    'S-52 SY-03 decides quickly in a directory of included files with $what',
    async ({ count, includeFiles, extension }) => {
      const names = Array.from({ length: count }, (_, at) => `${'a'.repeat(120)}${at}.${extension}`);
      const config = JSON.stringify({ clientContext: { includeFiles } });
      const files = names.map((name) => [`docs/${name}`, '']);
      let decide: WatchOptions['decide'] | undefined;
      const watch = (options: WatchOptions) => {
        ({ decide } = options);
        return watcher.watch(options);
      };
      const tree = { '.context/context-config.json': config, ...Object.fromEntries(files) };
      const large = await createWorkspace(tree, { ports: { watcher: { watch } } });
      large.engine.subscribe({ deliver() {}, end() {} });
      await large.resolve();
      await settle();
      // A watcher asks about an entry before it knows what it is.
      expectQuick(() => {
        for (const name of names) decide?.(`${project}/docs/${name}`, undefined);
      });
      expect(decide?.(`${project}/docs/${names[0]}.svg`, 'file')).toBe('ignore');
      expect(decide?.(`${project}/docs/new`, undefined)).toBe('report');
    },
  );

  it('SY-03 counts an explanation as asking, and a refusal not', async () => {
    await listen();
    await expect(workspace.engine.resolve({ mountedDirectory: '/etc' })).rejects.toThrow();
    await settle();
    expect(watcher.added).toEqual([]);
    await workspace.engine.explain({ mountedDirectory: project });
    await settle();
    expect(watchedDirectories()).toContain(project);
  });

  it('SY-03 forgets what was asked about more than an hour before', async () => {
    await resolveNow();
    workspace.clock.advance(3_600_001);
    await listen();
    expect(watcher.added).toEqual([]);
  });

  it('SY-03 asks to be told what changed since the directory was asked about, or was last watched', async () => {
    const askedAtMs = workspace.clock.now();
    await resolveNow();
    workspace.clock.advance(5_000);
    const first = await listen();
    expect(watcher.added.map(({ sinceMs }) => Math.ceil(sinceMs))).toEqual([askedAtMs]);
    workspace.clock.advance(60_000);
    first.close();
    await listen();
    expect(watcher.added.map(({ sinceMs }) => Math.ceil(sinceMs))).toEqual([workspace.clock.now() - 1_000]);
  });

  it('SY-03 watches once, however many listen', async () => {
    await resolveNow();
    const listeners = [await listen(), await listen(), await listen()];
    expect(watcher.open).toBe(1);
    watcher.change(`${project}/.context/style.md`);
    await windowPasses();
    for (const { events } of listeners) expect(events).toHaveLength(1);
    for (const { close } of listeners.slice(1)) close();
    expect(watcher.open).toBe(1);
    listeners[0]?.close();
    expect(watcher.open).toBe(0);
  });

  it('S-55 remembers a bounded number of directories', async () => {
    for (let index = 0; index < 250; index += 1) {
      await workspace.resolve({ workingDirectory: `deep/${index}` });
    }
    await listen();
    await settle();
    expect(watcher.added).toHaveLength(200);
  });

  it('CC-33 begins again when roots are granted or revoked, so that only what is granted is watched', async () => {
    workspace.files.write('/srv/other/.context/a.md', 'A');
    await workspace.engine.grantRoot('/srv/other');
    await resolveNow({ mountedDirectory: '/srv/other' });
    const { events } = await listen();
    expect(watchedDirectories()).toContain('/srv/other');
    await workspace.engine.revokeRoot('/srv/other');
    await settle();
    expect(watcher.open).toBe(1);
    expect(watchedDirectories()).toEqual([]);
    watcher.change('/srv/other/.context/a.md');
    await windowPasses();
    expect(events).toEqual([{ type: 'resync', data: { reason: 'roots_changed' } }]);
    await expect(workspace.engine.revokeRoot('/srv/none')).rejects.toMatchObject({ code: 'not_found' });
    await windowPasses();
    expect(events).toHaveLength(1);
  });
});

describe('events', () => {
  it('SY-03 tells which mounted directory to resolve again, and what happened', async () => {
    await resolveNow({ files: ['src/app/main.ts'] });
    const { events } = await listen();
    watcher.change(`${project}/.context/style.md`);
    watcher.change(`${project}/src/app/.context/new.md`, 'added');
    watcher.change(`${home}/.context/mine.md`, 'removed');
    expect(events).toEqual([]);
    await windowPasses();
    const data = {
      mountedDirectories: [project],
      changes: [
        { path: `${home}/.context/mine.md`, change: 'removed' },
        { path: `${project}/.context/style.md`, change: 'changed' },
        { path: `${project}/src/app/.context/new.md`, change: 'added' },
      ],
    };
    expect(events).toEqual([{ type: 'context-changed', data }]);
    ContextChanged.strict().parse(events[0]?.data);
  });

  it('SY-03 tells of configurations, policies and context directories, and of nothing else', async () => {
    await resolveNow({ files: ['src/app/main.ts'] });
    const { events } = await listen();
    const told = ['.context/config.json', '.context/a/b/c.mdc'];
    const policies = ['src/.ai-context-policy.yaml', '.ai-context-policy.yml', '.context/a/.ai-context-policy.yml'];
    for (const path of [...told, ...policies]) watcher.change(`${project}/${path}`);
    watcher.change(`${project}/src/.context`, 'added', 'directory');
    const untold = [
      'docs/.ai-context-policy.yml',
      'src/main.ts',
      '.context/image.png',
      '.context/a/config.yaml',
      'docs/.context/x.md',
      'x.md',
    ];
    for (const path of untold) watcher.change(`${project}/${path}`);
    await windowPasses();
    const seen = events.map(({ type, data }) => [
      type,
      ContextChanged.parse(data).changes.map(({ path }) => path.slice(project.length + 1)),
    ]);
    expect(seen).toEqual([
      ['context-changed', [...told, 'src/.context'].sort()],
      ['policy-changed', policies.sort()],
    ]);
  });

  it('S-51 never names a sensitive file', async () => {
    await resolveNow();
    const { events } = await listen();
    for (const name of ['.env', 'server.key', 'id_rsa.md', '.ssh/notes.md', '.aws/config.md', 'credentials.md'])
      watcher.change(`${project}/.context/${name}`, 'added');
    await windowPasses();
    expect(events).toEqual([]);
  });

  it('S-55 makes at most 50 events of 10,000 changes in a second, and says when it does not list all', async () => {
    await resolveNow();
    const { events } = await listen();
    for (let ms = 0; ms < 1_000; ms += 1) {
      for (let index = 0; index < 10; index += 1) watcher.change(`${project}/.context/${ms}-${index}.md`, 'added');
      await vi.advanceTimersByTimeAsync(1);
    }
    await windowPasses();
    expect(events.length).toBeGreaterThan(10);
    expect(events.length).toBeLessThanOrEqual(50);
    const count = events.length;
    for (let index = 0; index < 600; index += 1) watcher.change(`${project}/.context/${index}.md`);
    await windowPasses();
    expect(events).toHaveLength(count + 1);
    const last = ContextChanged.parse(events.at(-1)?.data);
    expect(last.truncated).toBe(true);
    expect(last.changes).toHaveLength(500);
  });

  it('SY-03 makes one of what happened to a path within a moment', async () => {
    await resolveNow();
    const { events } = await listen();
    const sequence = {
      a: ['added', 'changed'],
      b: ['removed', 'added'],
      c: ['added', 'removed'],
      d: ['changed', 'changed'],
    };
    for (const [name, changes] of Object.entries(sequence))
      for (const change of changes) watcher.change(`${project}/.context/${name}.md`, change as 'added');
    await windowPasses();
    expect(ContextChanged.parse(events[0]?.data).changes.map(({ change }) => change)).toEqual([
      'added',
      'changed',
      'removed',
      'changed',
    ]);
  });

  it('SY-03 gives to who comes back what was about to be told when the last one left', async () => {
    await resolveNow();
    const ids: string[] = [];
    const { close } = workspace.engine.subscribe({ deliver: ({ id }) => ids.push(id), end() {} });
    await settle();
    watcher.change(`${project}/.context/style.md`);
    await windowPasses();
    watcher.change(`${project}/.context/style.md`);
    close();
    const missed: string[] = [];
    const since = ids[0] as string;
    workspace.engine.subscribe({ since, deliver: ({ id }) => missed.push(id), end() {} });
    expect(ids).toHaveLength(1);
    expect(missed).toEqual([since.replace('-1', '-2')]);
  });

  it('S-55 says when the system has no more watches, and when not all directories are watched', async () => {
    await resolveNow();
    const { events, close } = await listen();
    watcher.trouble('overflow');
    expect(workspace.engine.watching()).toEqual({ directories: 2 });
    watcher.trouble('polling');
    expect(workspace.engine.watching()).toEqual({ directories: 2, degraded: 'polling' });
    watcher.trouble('too_many_directories');
    expect(events.map(({ data }) => data)).toEqual([
      { reason: 'overflow' },
      { reason: 'polling' },
      { reason: 'too_many_directories' },
    ]);
    close();
    await listen();
    expect(workspace.engine.watching().degraded).toBeUndefined();
  });

  it('CC-36 answers the same without any watcher', async () => {
    const bare = await createWorkspace({ '.context/style.md': 'Tabs.' });
    bare.engine.subscribe({ deliver() {}, end() {} });
    const before = await bare.resolve();
    bare.files.write(`${project}/.context/style.md`, 'Spaces.');
    expect((await bare.resolve()).files[0]?.sha256).not.toBe(before.files[0]?.sha256);
    expect(bare.engine.watching()).toEqual({ directories: 0 });
  });
});

describe('policies above the mounted directory', () => {
  it('AP-03 SY-03 are watched up to the top of the repository, and told for what lies below them', async () => {
    workspace.files.write(`${home}/.git/HEAD`, 'x');
    await resolveNow();
    const { events } = await listen();
    expect(watchedDirectories()).toEqual([home, `${home}/.context`, project].sort());
    watcher.change(`${home}/.ai-context-policy.yaml`, 'added');
    watcher.change(`${home}/notes.md`, 'added');
    await windowPasses();
    const changes = [{ path: `${home}/.ai-context-policy.yaml`, change: 'added' }];
    expect(events).toEqual([{ type: 'policy-changed', data: { mountedDirectories: [project], changes } }]);
  });
});

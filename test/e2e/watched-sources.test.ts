/** Events of the real daemon about everything that an answer was made of (SY-03). */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { openEventStream } from '../support/event-stream.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

let directory: string;
let project: string;
beforeEach(() => {
  directory = temporaryDirectory();
  project = join(directory, 'project');
  mkdirSync(join(project, 'docs/deep'), { recursive: true });
  write('project/.context/config.json', {
    clientContext: { includeFiles: ['docs/**/*.md', 'AGENTS.md', 'later/on/guide.md', '../shared/*.md'] },
  });
  write('project/docs/guide.md', 'first');
  write('project/docs/deep/inner.md', 'inner');
  write('shared/rules.md', 'shared');
});

function write(path: string, content: unknown): void {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeTree(directory, { [path]: path.endsWith('.md') ? `---\ntrigger: always\n---\n${text}` : text });
}

/** All that was told so far; `next` waits for an event of a type that names a path, told from now on. */
async function follow(daemon: TestDaemon) {
  const { text, close } = await openEventStream(daemon);
  return {
    told: text,
    async next(type: string, path: string, make: () => void) {
      const from = text().length;
      make();
      const line = new RegExp(`event: ${type}\ndata: .*${path.replaceAll('.', '\\.')}`, 'u');
      await until(() => line.test(text().slice(from)), 8_000);
    },
    close,
  };
}

async function resolve(daemon: TestDaemon): Promise<Record<string, string | undefined>> {
  const answer = await daemon.request('/v1/context/resolve', { body: { mountedDirectory: project } });
  expect(answer.status).toBe(200);
  const { files } = answer.body as { files: { relativePath: string; content?: string; reason: unknown }[] };
  return Object.fromEntries(files.map(({ relativePath, content }) => [relativePath, content]));
}

/** Until what was remembered is watched. */
async function settled(daemon: TestDaemon): Promise<void> {
  let before = -1;
  await until(async () => {
    const { watching } = (await daemon.request('/v1/status')).body as { watching: { directories: number } };
    const isSame = watching.directories === before && before > 0;
    before = watching.directories;
    if (!isSame) await delay(150);
    return isSame;
  });
}

describe('included files', () => {
  it('SY-03 are told when they change, are replaced at once, are deleted and come where they were sought', async () => {
    await using daemon = await startDaemon({ grantRoots: [directory] });
    const events = await follow(daemon);
    const again = async () => {
      const files = await resolve(daemon);
      await settled(daemon);
      return files;
    };
    expect((await again())['docs/guide.md']).toBe('first');
    await events.next('context-changed', 'docs/guide.md', () => write('project/docs/guide.md', 'second'));
    expect((await again())['docs/guide.md']).toBe('second');
    await events.next('context-changed', 'docs/guide.md', () => {
      write('project/docs/.guide.tmp.md', 'third');
      renameSync(join(project, 'docs/.guide.tmp.md'), join(project, 'docs/guide.md'));
    });
    expect((await again())['docs/guide.md']).toBe('third');
    await events.next('context-changed', 'docs/deep/inner.md', () => rmSync(join(project, 'docs/deep/inner.md')));
    await events.next('context-changed', 'AGENTS.md', () => write('project/AGENTS.md', 'agents'));
    expect(await again()).toMatchObject({ 'AGENTS.md': 'agents' });
    await events.next('context-changed', 'shared/rules.md', () => write('shared/rules.md', 'changed'));
    // A new directory stands for what is in it.
    await events.next('context-changed', 'project/later"', () => write('project/later/on/guide.md', 'late'));
    await events.next('context-changed', 'docs/new', () => mkdirSync(join(project, 'docs/new')));
    expect((await again())['later/on/guide.md']).toBe('late');
    await events.next('context-changed', 'docs/new/page.md', () => write('project/docs/new/page.md', 'page'));
    expect((await again())['docs/new/page.md']).toBe('page');
    // What no pattern means is not told.
    write('project/docs/picture.svg', 'x');
    write('project/NOTES.md', 'x');
    await delay(300);
    expect(events.told()).not.toMatch(/picture|NOTES/u);
    events.close();
  });

  it('SY-03 AP-03 are told of a policy that comes beside the way, in the project and in another root', async () => {
    await using daemon = await startDaemon({ grantRoots: [directory] });
    const events = await follow(daemon);
    expect(await resolve(daemon)).toMatchObject({ 'docs/guide.md': 'first', 'docs/deep/inner.md': 'inner' });
    await settled(daemon);
    const block = 'ai_context_policy: block\n';
    await events.next('policy-changed', 'docs/deep/.ai-context-policy.yaml', () =>
      write('project/docs/deep/.ai-context-policy.yaml', block),
    );
    expect(Object.keys(await resolve(daemon))).not.toContain('docs/deep/inner.md');
    await events.next('policy-changed', 'shared/.ai-context-policy.yaml', () =>
      write('shared/.ai-context-policy.yaml', block),
    );
    expect(Object.keys(await resolve(daemon))).toEqual(['docs/guide.md']);
    events.close();
  });
});

it('SY-03 AP-03 a policy that comes beside what retrieve delivered is told', async () => {
  await using daemon = await startDaemon({ grantRoots: [directory] });
  const events = await follow(daemon);
  write('project/src/deep/tab.ts', 'export const tab = 1;');
  const ask = async () => {
    const body = { mountedDirectory: project, openTabs: ['src/deep/tab.ts'] };
    const { items } = (await daemon.request('/v1/retrieve', { body })).body as { items: unknown[] };
    return items.length;
  };
  expect(await ask()).toBe(1);
  await settled(daemon);
  await events.next('policy-changed', 'src/deep/.ai-context-policy.yaml', () =>
    write('project/src/deep/.ai-context-policy.yaml', 'ai_context_policy: block\n'),
  );
  expect(await ask()).toBe(0);
  events.close();
});

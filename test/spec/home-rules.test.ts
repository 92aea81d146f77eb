/** Rule files of other tools in the home directory, where that is itself mounted or watched (FM-05). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ContextChanged } from '../../src/events/event.ts';
import { createMemoryWatcher } from '../support/memory-watcher.ts';
import { createWorkspace, home, project } from '../support/workspace.ts';

const tree = {
  '~/.codex/AGENTS.md': 'For Codex everywhere.',
  '~/.claude/CLAUDE.md': 'Everywhere.',
  '~/.claude/rules/ts.md': '---\npaths: "**/*.ts"\n---\nTypeScript everywhere.',
  '~/AGENTS.md': 'Of the home directory.',
};

describe('the home directory as mounted directory', () => {
  it.each([home, '/home'])('FM-05 keeps the rules of the home directory, each once (%s)', async (mountedDirectory) => {
    const { engine } = await createWorkspace(tree, { grantedRoots: ['/home'] });
    const { files } = await engine.resolve({ mountedDirectory, workingDirectory: home, files: [`${home}/x.ts`] });
    expect(files.map(({ path, scope, state }) => `${path.slice(home.length + 1)} ${scope} ${state}`)).toEqual([
      '.codex/AGENTS.md global active',
      '.claude/CLAUDE.md global active',
      '.claude/rules/ts.md global active',
      `AGENTS.md ${mountedDirectory === home ? 'static' : 'dynamic'} active`,
    ]);
  });
});

describe('changes in the home directory', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('SY-03 FM-05 are told of rules that are there, come up or lie behind a link, and of nothing beside them', async () => {
    const watcher = createMemoryWatcher();
    const { engine, files, resolve } = await createWorkspace(
      { ...tree, '~/.claude/history.jsonl': '', '~/dotfiles/g.md': 'Mine.', '~/.gemini/settings.json': '{}' },
      { ports: { watcher } },
    );
    files.symlink(`${home}/.gemini/GEMINI.md`, '../dotfiles/g.md');
    const told: string[] = [];
    engine.subscribe({
      deliver: ({ type, data }) => type === 'context-changed' && told.push(...pathsIn(data as ContextChanged)),
      end() {},
    });
    await resolve();
    await expect.poll(() => watcher.added.length).toBeGreaterThan(0);
    const changed = ['.claude/CLAUDE.md', '.claude/rules/ts.md', '.claude/rules/new.md', '.codex/AGENTS.override.md'];
    const others = [
      '.claude/history.jsonl',
      '.claude/settings.json',
      '.claude/projects',
      '.claude/a.md',
      'dotfiles/x.md',
    ];
    for (const path of [...changed, 'dotfiles/g.md', ...others]) watcher.change(`${home}/${path}`);
    watcher.change(`${home}/.claude/projects`, 'added', 'directory');
    await vi.advanceTimersByTimeAsync(50);
    expect(told.sort()).toEqual([...changed, 'dotfiles/g.md'].map((path) => `${home}/${path}`).sort());
    const watched = watcher.added.flatMap(({ directories }) => directories);
    expect(watched).toEqual(expect.arrayContaining([project, `${home}/.claude`, `${home}/.claude/rules`]));
    // What is not there is not watched, and the home directory itself never is.
    for (const path of ['', '/.copilot', '/.claude/projects']) expect(watched).not.toContain(`${home}${path}`);
  });
});

const pathsIn = ({ changes }: ContextChanged): string[] => changes.map(({ path }) => path);

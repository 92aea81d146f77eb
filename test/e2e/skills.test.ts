/** Skills, and files that settings of other tools name, on a real disk and by a real daemon (FM-12, FM-13). */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemSearchResult } from '../../src/agent/item-search.ts';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { readItems, readQuestions } from '../bench/relevance-set.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { openEventStream } from '../support/event-stream.ts';
import { shareDaemon } from '../support/shared-daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const daemonFor = shareDaemon();

let project: string;
beforeEach(() => {
  project = temporaryDirectory();
});

const write = (path: string, text: string) => writeTree(project, { [path]: text });

async function resolve(daemon: TestDaemon, request: object = {}): Promise<ResolveResult> {
  const body = { mountedDirectory: project, ...request };
  return (await daemon.request('/v1/context/resolve', { body })).body as ResolveResult;
}

const shown = ({ files }: ResolveResult) =>
  files.map(({ relativePath, format, state }) => `${relativePath} ${format} ${state}`);

describe('skills', () => {
  beforeEach(() => {
    write('.claude/skills/pdf/SKILL.md', '---\nname: pdf\ndescription: Fill forms in PDF files.\n---\nUse the form.');
    write('.claude/skills/pdf/FORMS.md', 'About forms.');
  });

  it('FM-12 come by a query or a mention, and a file beside one when it is asked for', async () => {
    const outside = temporaryDirectory();
    writeFileSync(join(outside, 'secret.md'), 'Not yours.');
    symlinkSync(join(outside, 'secret.md'), join(project, '.claude/skills/pdf/LINK.md'));
    symlinkSync(outside, join(project, '.claude/skills/away'));
    const daemon = await daemonFor(project);
    expect(shown(await resolve(daemon))).toEqual(['.claude/skills/pdf/SKILL.md claude-skills available']);
    const asked = await resolve(daemon, { query: 'How are forms in PDF files filled?' });
    expect(asked.files).toMatchObject([
      { name: 'pdf', type: 'reference', state: 'active', content: 'Use the form.', supportingFiles: ['FORMS.md'] },
    ]);
    expect(JSON.stringify(asked)).not.toContain('About forms.');
    const mentioned = await resolve(daemon, { mentions: ['pdf/FORMS.md', 'pdf/LINK.md', 'away/secret.md'] });
    expect(shown(mentioned)).toEqual([
      '.claude/skills/pdf/FORMS.md claude-skills active',
      '.claude/skills/pdf/SKILL.md claude-skills available',
    ]);
    expect(JSON.stringify(mentioned)).not.toContain('Not yours.');
    const { stdout } = await daemon.cli(['resolve', project, '--mention', 'pdf']);
    expect(stdout).toContain('with 1 file beside it');
  });

  it('CC-06 SS-07 the first answer of a daemon searches more files than may be active, and leaves none out', async () => {
    const count = 2_100;
    for (let index = 0; index < count; index += 1)
      write(
        `.context/notes/n${index}.md`,
        `---\ntrigger: agent\ndescription: About part ${index}.\n---\nIts word is w${index}x.`,
      );
    await using daemon = await startDaemon({ grantRoots: [project] });
    const { files, excluded, warnings } = await resolve(daemon, { query: 'What has the word w2047x?' });
    expect(files).toHaveLength(count + 1);
    expect({ excluded, warnings }).toEqual({ excluded: [], warnings: [] });
    expect(files.filter(({ state }) => state === 'active').map(({ name }) => name)).toEqual(['notes/n2047']);
    const body = { mountedDirectory: project, query: 'What has the word w2047x?', mode: 'keyword' };
    const found = (await daemon.request('/v1/search', { body })).body as ItemSearchResult;
    expect(found.results.map(({ name }) => name)).toEqual(['notes/n2047']);
  });

  it('SS-05 SS-07 a question chooses the one that it is about among many, by words, and says what came next', async () => {
    for (const { name, description, text } of readItems().filter(({ type }) => type !== 'tool'))
      write(
        `.claude/skills/${name}/SKILL.md`,
        `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n${text}`,
      );
    const daemon = await daemonFor(project);
    const active = async (query: string) =>
      (await resolve(daemon, { query })).files.filter(({ state }) => state === 'active').map(({ name }) => name);
    const questions = readQuestions().filter(({ kind }) => kind !== 'paraphrase');
    const asked = [...questions.filter(({ kind }) => kind === 'natural').slice(0, 12), ...questions.slice(-12)];
    const isTool = (name: string) => readItems().some((item) => item.name === name && item.type === 'tool');
    let others = 0;
    for (const { text, expected } of asked.filter(({ expected = '' }) => !isTool(expected))) {
      const chosen = await active(text);
      expect([text, chosen.includes(expected ?? '')]).toEqual([text, expected !== undefined]);
      others += chosen.length - (expected === undefined ? 0 : 1);
    }
    expect(others).toBeLessThanOrEqual(1);
    const body = { mountedDirectory: project, query: asked[0]?.text, mode: 'keyword', rejected: 1 };
    const { results, rejected } = (await daemon.request('/v1/search', { body })).body as ItemSearchResult;
    expect(results.map(({ name }) => name)).toEqual([asked[0]?.expected]);
    expect(rejected).toEqual([
      expect.objectContaining({ reason: expect.objectContaining({ code: 'below_min_score' }) }),
    ]);
    expect(rejected?.[0]?.reason.detail).toMatch(/^the score, 0\.\d+, is 0\.\d+ below 0\.\d+/u);
  });

  it('FM-12 S-45 a folder with very many files costs none of the other rules', async () => {
    for (let index = 0; index < 20_000; index += 1) write(`.claude/skills/pdf/data/${index}.txt`, 'x');
    write('AGENTS.md', 'Use tabs.');
    const daemon = await daemonFor(project);
    const result = await resolve(daemon, { mentions: ['pdf'] });
    expect(shown(result)).toEqual(['AGENTS.md agents-md active', '.claude/skills/pdf/SKILL.md claude-skills active']);
    expect(result.files[1]?.supportingFiles).toHaveLength(100);
    expect(result.warnings.map(({ code }) => code).toSorted()).toEqual(['limit_entries', 'limit_supporting_files']);
  });
});

describe('files that settings of other tools name', () => {
  it('FM-13 S-58 apply, and hostile settings cost nothing else', async () => {
    const outside = temporaryDirectory();
    writeFileSync(join(outside, 'x.md'), 'Not yours.');
    write('.aider.conf.yml', `openai-api-key: sk-secret\nread: [CONVENTIONS.md, link.md, ${outside}/x.md]\n`);
    write('CONVENTIONS.md', 'Use tabs.');
    symlinkSync(join(outside, 'x.md'), join(project, 'link.md'));
    write('opencode.json', `{"instructions": ["docs/*.md", "${'x'.repeat(5_000_000)}"]}`);
    write('kilo.jsonc', '{"instructions": [/* all */ "docs/*.md",]}');
    write('docs/a.md', 'One.');
    const daemon = await daemonFor(project);
    const result = await resolve(daemon);
    expect(shown(result)).toEqual(['CONVENTIONS.md aider active', 'docs/a.md kilo active']);
    expect(result.warnings.map(({ code, line = 0 }) => `${code} ${line}`).toSorted()).toEqual([
      'config_too_large 0',
      'pattern_outside_granted_roots 2',
      'settings_too_large 0',
      'symlink 2',
    ]);
    expect(JSON.stringify(result)).not.toMatch(/sk-secret|Not yours/u);
    write('.aider.conf.yml', 'read: docs/a.md\n');
    expect(shown(await resolve(daemon))).toEqual(['docs/a.md aider active']);
  });

  it('SY-03 FM-12 FM-13 listeners are told of skills, of what lies beside them, and of settings', async () => {
    write('.claude/skills/pdf/SKILL.md', '---\ndescription: Fill forms.\n---\nUse the form.');
    write('opencode.json', '{"instructions": ["docs/*.md"]}');
    write('docs/a.md', 'One.');
    await using daemon = await startDaemon({ grantRoots: [project] });
    using stream = await openEventStream(daemon);
    await resolve(daemon);
    for (const path of ['.claude/skills/pdf/SKILL.md', '.claude/skills/pdf/b.py', 'docs/new.md', 'opencode.json'])
      await stream.tells(`"${join(project, path)}"`, (round) => write(path, `{"round": ${round}}`));
  });
});

/** `POST /v1/context` of the real daemon: rules and code together, under one gate and one budget. */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContextResult } from '../../src/prompt/context-result.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const workspace = temporaryDirectory();
const write = (path: string, text: string) => writeTree(workspace, { [path]: text });
const longFunction = (name: string) =>
  `export function ${name}(): number {\n${'  work();\n'.repeat(30)}  return 1;\n}\n`;
const sections = Array.from(
  { length: 40 },
  (_, at) => `# Part ${at}\n\n${'All money is counted in cents. '.repeat(12)}\n`,
);
const program = `import { discount } from './discount.ts';
import { tax as vat } from './tax.ts';

export const total = () => {
${'  //\n'.repeat(30)}
  return vat(discount);
};
`;
let daemon: TestDaemon;

beforeAll(async () => {
  write('AGENTS.md', 'Count in cents.\n');
  write('.context/style.md', '---\ntrigger: auto\nglobs: "**/*.ts"\n---\nWrite short functions.\n');
  write('.context/rounding.md', '---\ntrigger: manual\n---\nRound half to even.\n');
  write('src/cart.ts', program);
  write('src/discount.ts', longFunction('discount'));
  write('src/tax.ts', longFunction('tax'));
  write('src/notes.ts', 'export const zebra = "the zebra rounds";\n');
  write('src/secret.ts', 'export const hidden = "the zebra hides";\n');
  write('docs/guide.md', 'The guide.\n');
  write('.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude: [src/secret.ts]\n');
  daemon = await startDaemon({ grantRoots: [workspace] });
});
afterAll(() => daemon.stop());

const post = (request: object) => daemon.request('/v1/context', { body: { mountedDirectory: workspace, ...request } });
const gather = async (request: object = {}): Promise<ContextResult> => {
  const { status, body, text } = await post(request);
  expect(status, text).toBe(200);
  // Nothing but what its schema has.
  expect(body).toEqual(ContextResult.parse(body));
  return body as ContextResult;
};
const brief = ({ items }: ContextResult) => items.map(({ kind, name }) => `${kind} ${name}`);
const contentOf = ({ items }: ContextResult, name: string) => items.find((item) => item.name === name)?.content;

describe('all context of a prompt', () => {
  it('has rules, what is open, imported and found, each once, what changes least first', async () => {
    await daemon.request('/v1/supplementary', {
      body: { mountedDirectory: workspace, kind: 'file', path: 'docs/guide.md' },
    });
    const documents = [{ path: 'src/notes.ts' }, { path: 'src/cart.ts', isActive: true }, { path: '../x.ts' }];
    const result = await gather({ documents, query: 'zebra', mentions: ['rounding'] });
    expect(brief(result)).toEqual([
      'rule AGENTS',
      'rule rounding',
      'rule style',
      'supplementary docs/guide.md',
      'tab src/notes.ts',
      'definition src/discount.ts',
      'definition src/tax.ts',
    ]);
    expect(result.items.map(({ reason: { code } }) => code)).toEqual([
      'trigger_always',
      'mentioned',
      'glob_matched',
      'added_by_user',
      'open',
      'imported',
      'imported',
    ]);
    expect(result.omitted).toEqual([
      expect.objectContaining({ kind: 'tab', reason: expect.objectContaining({ code: 'outside_roots' }) }),
    ]);
    const { tokens, kinds, maxTokens } = result.usage;
    expect(maxTokens).toBe(16_000);
    expect(Object.values(kinds).reduce((sum, each) => sum + each, 0)).toBe(tokens);
    expect(result.activeDocument).toEqual({ allowed: true });
    expect((await gather({ documents, query: 'zebra', mentions: ['rounding'] })).digest).toBe(result.digest);
    expect((await gather({ documents, query: 'zebra' })).digest).not.toBe(result.digest);
    const { items } = await gather({ query: 'zebra' });
    expect(items.at(-1)).toMatchObject({ kind: 'search', name: 'src/notes.ts', reason: { code: 'keyword_match' } });
  });

  it('leaves out what is not asked for', async () => {
    const documents = [{ path: 'src/cart.ts' }, { path: 'src/notes.ts' }];
    const include = { rules: false, supplementary: false, imports: 'off', search: false };
    expect(brief(await gather({ documents, query: 'zebra', include }))).toEqual(['tab src/notes.ts']);
    expect(brief(await gather({ documents, query: 'zebra', include: { ...include, tabs: false } }))).toEqual([]);
    const { items } = await gather({ include: { ...include, map: true } });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      kind: 'map',
      content: expect.stringContaining('src/: cart.ts discount.ts notes'),
    });
  });

  it('puts first what is imported and used near the cursor, and tells what is under it whole', async () => {
    const line = program.split('\n').findIndex((each) => each.includes('vat(discount)'));
    const at = (column: number) => ({ documents: [{ path: 'src/cart.ts', cursor: { line, column } }] });
    const include = { rules: false, supplementary: false };
    const onVat = await gather({ ...at(10), include });
    expect(brief(onVat)).toEqual(['definition src/tax.ts', 'definition src/discount.ts']);
    expect(contentOf(onVat, 'src/tax.ts')).toBe(longFunction('tax').trimEnd());
    expect(contentOf(onVat, 'src/discount.ts')).toBe('export function discount(): number { … }');
    const selected = { selection: { start: { line, column: 13 }, end: { line, column: 21 } } };
    const onSelection = await gather({ documents: [{ path: 'src/cart.ts', ...selected }], include });
    expect(brief(onSelection)[0]).toBe('definition src/discount.ts');
    expect(contentOf(onSelection, 'src/discount.ts')).toBe(longFunction('discount').trimEnd());
  });

  it('takes the text of rule files, configurations, policies and tabs that is not saved', async () => {
    const policy = 'ai_context_policy: allow\nexclude: [src/notes.ts]\n';
    const unsaved = [
      { path: 'src/cart.ts' },
      { path: 'AGENTS.md', content: 'Count in euros.\n' },
      { path: '.context/config.json', content: '{"clientContext":{"excludeFiles":["**/style.md"]}}' },
      { path: 'src/tax.ts', content: 'export const tax = 1;\n' },
      { path: 'src/new.ts', content: 'export const young = 1;\n' },
    ];
    const result = await gather({ documents: unsaved });
    expect(contentOf(result, 'AGENTS')).toBe('Count in euros.\n');
    expect(contentOf(result, 'src/tax.ts')).toBe('export const tax = 1;\n');
    expect(contentOf(result, 'src/new.ts')).toBe('export const young = 1;\n');
    expect(contentOf(result, 'style')).toBeUndefined();
    write('.context/config.json', '{}');
    expect(contentOf(await gather({ documents: unsaved }), 'style')).toBeUndefined();
    const documents = [{ path: 'src/cart.ts' }, { path: 'src/notes.ts' }, { path: 'src/secret.ts', content: 'hidden' }];
    const blocked = await gather({ documents: [...documents, { path: '.ai-context-policy.yaml', content: policy }] });
    const codes = Object.fromEntries(blocked.omitted.map(({ path, reason }) => [path, reason.code]));
    expect(codes[join(workspace, 'src/notes.ts')]).toBe('blocked_by_policy');
    expect(contentOf(blocked, 'src/secret.ts')).toBe('hidden');
    const saved = await gather({ documents });
    expect(contentOf(saved, 'AGENTS')).toBe('Count in cents.\n');
    expect(contentOf(saved, 'src/notes.ts')).toContain('zebra');
    expect(JSON.stringify(saved)).not.toContain('hidden');
    expect(saved.omitted.filter(({ kind }) => kind === 'tab')).toMatchObject([
      { path: join(workspace, 'src/secret.ts'), reason: { code: 'blocked_by_policy' } },
    ]);
    rmSync(join(workspace, '.context/config.json'));
  });

  it('S-15 lets no token for agents say what a policy or an ignore file says', async () => {
    write('.cursorignore', 'docs/\n');
    const minted = await daemon.request('/v1/tokens', { body: { label: 'runtime', scope: 'agent' } });
    const { token } = minted.body as { token: string };
    const documents = [
      { path: 'src/cart.ts' },
      { path: '.ai-context-policy.yaml', content: 'ai_context_policy: allow\n' },
      { path: '.cursorignore', content: '' },
      { path: 'src/secret.ts' },
      { path: 'docs/guide.md' },
    ];
    const body = { mountedDirectory: workspace, documents };
    const asAgent = await daemon.request('/v1/context', { headers: { authorization: `Bearer ${token}` }, body });
    const { items, warnings } = asAgent.body as ContextResult;
    expect(items.map(({ name }) => name)).not.toContain('src/secret.ts');
    expect(items.map(({ name }) => name)).not.toContain('docs/guide.md');
    expect(warnings.filter(({ code }) => code === 'unsaved_policy')).toHaveLength(2);
    const asUser = await gather({ documents });
    expect(contentOf(asUser, 'src/secret.ts')).toContain('zebra hides');
    expect(contentOf(asUser, 'docs/guide.md')).toBe('The guide.\n');
    rmSync(join(workspace, '.cursorignore'));
  });

  it('S-15 lets no token for agents change an ignore file by the name of what it leads to', async () => {
    write('lib/ignored.txt', 'docs/guide.md\n');
    symlinkSync('lib/ignored.txt', join(workspace, '.aiignore'));
    const minted = await daemon.request('/v1/tokens', { body: { label: 'runtime', scope: 'agent' } });
    const { token } = minted.body as { token: string };
    const documents = [{ path: 'src/cart.ts' }, { path: 'docs/guide.md' }];
    const all = [...documents, { path: 'lib/ignored.txt', content: '' }];
    const asAgent = (given: object[]) =>
      daemon.request('/v1/context', {
        headers: { authorization: `Bearer ${token}` },
        body: { mountedDirectory: workspace, documents: given },
      });
    for (const given of [documents, all]) {
      const { text } = await asAgent(given);
      expect(text).not.toContain('The guide.');
      expect(text).toContain('blocked_by_ignore_file');
    }
    rmSync(join(workspace, '.aiignore'));
    rmSync(join(workspace, 'lib'), { recursive: true });
  });

  it('S-37 takes no text for a place behind a link, and tells nothing of what is there', async () => {
    symlinkSync('src', join(workspace, 'alias'));
    symlinkSync('/etc', join(workspace, 'outside'));
    const codeOf = async (path: string) => {
      const { items, omitted } = await gather({ documents: [{ path: 'src/cart.ts' }, { path, content: 'text' }] });
      expect(items.map(({ name }) => name)).not.toContain(path);
      return omitted.find((each) => each.path === join(workspace, path))?.reason.code;
    };
    expect(await codeOf('alias/secret.ts')).toBe('symlink');
    expect(await codeOf('alias/new.ts')).toBe('symlink');
    const codes = ['outside/passwd', 'outside/ssl', 'outside/mtab', 'outside/nothing'].map(codeOf);
    expect(new Set(await Promise.all(codes))).toEqual(new Set(['outside_roots']));
    for (const name of ['alias', 'outside']) rmSync(join(workspace, name));
  });

  it('AP-06 names no file in the map that a policy blocks, also one that is not saved', async () => {
    const include = { rules: false, supplementary: false, map: true };
    const mapOf = async (documents: object[] = []) =>
      (await gather({ include, documents })).items.at(-1)?.content ?? '';
    expect(await mapOf()).toContain('src/: cart.ts discount.ts notes.ts tax.ts');
    const policy = { path: '.ai-context-policy.yaml', content: 'ai_context_policy: allow\nexclude: [src/notes.ts]\n' };
    expect(await mapOf([policy])).toContain('src/: cart.ts discount.ts secret.ts tax.ts');
  });

  it('goes by policies, rules and files that are not there yet, also in folders that are not', async () => {
    const cart = { path: 'src/cart.ts', content: "import { x } from '../new/folder/x.ts';\n" };
    const documents = [
      { path: 'new/folder/x.ts', content: 'export const x = 1;\n' },
      { path: 'new/folder/x.ts', content: 'second\n' },
      { path: '.cursor/rules/new.mdc', content: '---\nalwaysApply: true\n---\nAsk first.\n' },
      { path: '.context/deep/new.md', content: '---\ntrigger: always\n---\nAsk twice.\n' },
      { path: 'src/AGENTS.md', content: 'Only here.\n' },
    ];
    const result = await gather({ documents: [cart, ...documents] });
    expect(contentOf(result, 'new/folder/x.ts')).toBe('export const x = 1;\n');
    const ruling = result.items.filter(({ kind }) => kind === 'rule').map(({ content }) => content.trim());
    expect(ruling).toEqual(expect.arrayContaining(['Ask first.', 'Ask twice.', 'Only here.']));
    expect(result.warnings).toEqual([]);
    const policy = { path: 'src/.ai-context-policy.yaml', content: 'ai_context_policy: block\n' };
    const blocked = await gather({ documents: [{ path: 'docs/guide.md' }, { path: 'src/notes.ts' }, policy] });
    expect(blocked.items.map(({ name }) => name)).not.toContain('src/notes.ts');
    const ignoring = { path: '.cursorignore', content: 'src/notes.ts\n' };
    const ignored = await gather({ documents: [{ path: 'docs/guide.md' }, { path: 'src/notes.ts' }, ignoring] });
    expect(ignored.omitted).toContainEqual(
      expect.objectContaining({ reason: expect.objectContaining({ code: 'blocked_by_ignore_file' }) }),
    );
    // Where repositories are, and thus how far policies reach, is for the disk to say.
    const elsewhere = { path: 'src/.git/HEAD', content: 'ref: refs/heads/main\n' };
    const still = await gather({ documents: [{ path: 'src/secret.ts' }, { path: 'src/notes.ts' }, elsewhere] });
    expect(JSON.stringify(still)).not.toContain('zebra hides');
    // Nothing of it is kept.
    const after = await gather({ documents: [{ path: 'docs/guide.md' }, { path: 'src/notes.ts' }] });
    expect(contentOf(after, 'src/notes.ts')).toContain('zebra rounds');
    expect(JSON.stringify(after)).not.toContain('Ask first.');
  });

  it('cuts a rule between its sections, and a file between its definitions, before it leaves them out', async () => {
    write('.context/long.md', `---\ntrigger: always\n---\n${sections.join('\n')}`);
    write('src/long.ts', Array.from({ length: 30 }, (_, at) => longFunction(`work${at}`)).join('\n'));
    const include = { supplementary: false, imports: 'off' };
    const documents = [{ path: 'src/cart.ts' }, { path: 'src/long.ts' }];
    const { items, usage, omitted } = await gather({ include, documents, budget: { maxTokens: 2_000 } });
    const [long, file] = ['long', 'src/long.ts'].map((name) => items.find((item) => item.name === name));
    expect(long).toMatchObject({ kind: 'rule', truncated: true });
    expect(long?.content).toMatch(/^# Part 0\n.*in cents\. \n\n…\n$/su);
    expect(file?.content).toMatch(/^export function work0.*\n\}\n\n…\n$/su);
    expect(usage.tokens).toBeLessThanOrEqual(2_000);
    expect(usage.tokens).toBeGreaterThan(1_000);
    expect(omitted.filter(({ reason }) => reason.code === 'over_budget')).toEqual([]);
    const little = await gather({ include, documents, budget: { maxTokens: 30 } });
    expect(little.usage.tokens).toBeLessThanOrEqual(30);
    expect(little.omitted.map(({ name, reason: { code }, tokens = 0 }) => [name, code, tokens > 30])).toEqual([
      ['long', 'over_budget', true],
      ['src/long.ts', 'over_budget', true],
    ]);
    rmSync(join(workspace, '.context/long.md'));
    rmSync(join(workspace, 'src/long.ts'));
  });

  it('RT-05 leaves the question its share, wherever the cursor stands, and no definition all of the rest', async () => {
    const count = (length: number) => Array.from({ length }, (_, at) => at);
    const parts = count(60).map((at) => `Part${at}`);
    for (const part of parts)
      write(`core/${part}.ts`, `export interface ${part} {\n${'  readonly field: string;\n'.repeat(100)}}\n`);
    const members = count(800).map((at) => `  method${at}(): number {\n    return ${at};\n  }\n`);
    write('core/Config.ts', `export class Config {\n${members.join('')}}\n`);
    const long = (text: string) => `${text}\n`.repeat(90);
    write('core/loopDetector.ts', `/**\n${long(' * Detects a loop by its turns.')} */\nexport class LoopDetector {}\n`);
    write('notes/loops.md', long('A loop is detected by its third turn.').slice(0, -1));
    const imports = ['Config', ...parts].map((name) => `import { ${name} } from './${name}.ts';\n`).join('');
    const content = `${imports}import { LoopDetector } from './loopDetector.ts';\n${'\n'.repeat(20)}new Config();\n`;
    const ask = async (cursor: object, query?: string) => {
      const documents = [{ path: 'core/client.ts', content, cursor }];
      const include = { rules: false, supplementary: false };
      const { items, usage } = await gather({ documents, include, ...(query !== undefined && { query }) });
      expect(usage.tokens).toBeLessThanOrEqual(16_000);
      return items;
    };
    const among = await ask({ line: 0, column: 2 }, 'how is the loop detected');
    const names = among.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['core/loopDetector.ts', 'notes/loops.md']));
    expect(names.slice(0, 3)).toEqual(['core/Config.ts', 'core/Part0.ts', 'core/Part1.ts']);
    const inCode = await ask(
      { line: content.split('\n').indexOf('new Config();'), column: 6 },
      'how is the loop detected',
    );
    const [config] = inCode;
    expect(config).toMatchObject({ kind: 'definition', name: 'core/Config.ts', truncated: true });
    expect(config?.content).toMatch(/^export class Config .*return 0;.*…\n$/su);
    expect(config?.wholeTokens).toBeGreaterThan(8_000);
    expect(config?.tokens).toBeLessThan(5_000);
    expect(inCode.map(({ name }) => name)).toEqual(expect.arrayContaining(['core/loopDetector.ts', 'notes/loops.md']));
    for (const folder of ['core', 'notes']) rmSync(join(workspace, folder), { recursive: true });
  });

  it.each(['markdown', 'xml'] as const)('tells all of it as one text in %s, within the budget', async (render) => {
    const documents = [{ path: 'src/cart.ts' }];
    const maxTokens = 200;
    const { text = '', items, usage } = await gather({ documents, render, budget: { maxTokens } });
    for (const { content } of items) expect(text).toContain(content.trimEnd());
    const counted = await daemon.request('/v1/context', {
      body: { mountedDirectory: workspace, documents: [{ path: 'a' }, { path: 'text.txt', content: text }] },
    });
    const whole = (counted.body as ContextResult).items.find(({ name }) => name === 'text.txt');
    expect(whole?.tokens).toBeLessThanOrEqual(usage.tokens);
    expect(usage.tokens).toBeLessThanOrEqual(maxTokens);
    expect(usage.tokens).toBeGreaterThan(items.length * 10);
  });

  it('RQ-01 has the items of an agent, or of a session, of the caller', async () => {
    await daemon.request('/v1/agents/clerk', {
      method: 'PUT',
      body: { name: 'Clerk', rules: [{ name: 'polite', text: 'Be polite.', include: 'always' }] },
    });
    const created = await daemon.request('/v1/sessions', { body: { agentId: 'clerk' } });
    const { id: sessionId } = created.body as { id: string };
    const documents = [{ path: 'src/notes.ts' }];
    expect(brief(await gather({ agentId: 'clerk', documents }))).toContain('rule polite');
    expect(brief(await gather({ sessionId, documents, mentions: ['rounding'] }))).toEqual([
      'rule polite',
      'rule rounding',
      'rule style',
      'supplementary docs/guide.md',
    ]);
    expect(await post({ agentId: 'nobody' })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await post({ agentId: 'clerk', sessionId })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/agentId' }] },
    });
    const minted = await daemon.request('/v1/tokens', { body: { label: 'other', scope: 'agent' } });
    const { token } = minted.body as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    const body = { mountedDirectory: workspace, documents };
    expect(await daemon.request('/v1/context', { headers, body })).toMatchObject({ status: 200 });
    expect(await daemon.request('/v1/context', { headers, body: { ...body, sessionId } })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });
});

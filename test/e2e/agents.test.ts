/** Agents of the real daemon, by HTTP and by the command line (AG-01 … AG-05, S-26). */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agent/agent.ts';
import type { AgentItem } from '../../src/agent/item.ts';
import type { ItemSearchResult } from '../../src/agent/item-search.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const secret = 'canary-4f1b';
let directory: string;
let project: string;
let stateDirectory: string;
let daemon: TestDaemon;

const start = () => startDaemon({ grantRoots: [directory], stateDirectory });

beforeAll(async () => {
  directory = temporaryDirectory();
  project = join(directory, 'project');
  stateDirectory = join(directory, 'state');
  mkdirSync(join(project, '.context/references'), { recursive: true });
  writeFileSync(
    join(project, '.context/errors.md'),
    '---\ntrigger: agent\ndescription: How errors are handled\n---\nWrap them.\n',
  );
  writeFileSync(join(project, '.context/references/cart.md'), 'A cart is not paid yet.');
  writeFileSync(
    join(directory, 'reviewer.yaml'),
    `id: reviewer\nname: Reviewer\nmountedDirectory: ${project}\nrules:\n  - name: no-secrets\n    text: Never commit keys.\n    include: always\nmcpServers:\n  git: { command: git-mcp, env: { TOKEN: ${secret} } }\n`,
  );
  daemon = await start();
});
beforeEach(() => run('agents', 'import', 'reviewer.yaml', '--replace'));
afterAll(() => daemon.stop());

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await daemon.cli(args, { cwd: directory });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('contextd agents', () => {
  it('AG-05 imports, lists and shows an agent', async () => {
    await run('agents', 'delete', 'reviewer');
    expect(await run('agents', 'list')).toContain('There are no agents.');
    expect(await run('agents', 'import', 'reviewer.yaml')).toContain('The agent reviewer is there.');
    const again = await daemon.cli(['agents', 'import', 'reviewer.yaml'], { cwd: directory });
    expect(again.code).toBe(64);
    expect(again.stderr).toContain('There is an agent "reviewer" already. To replace it,');
    expect(again.stderr).toContain('--replace');
    expect(await run('agents', 'list')).toMatch(/^reviewer {2}Reviewer · 1 rule · 1 server · .*project\n$/u);
    const shown = await run('agents', 'show', 'reviewer');
    expect(shown).toContain('git-mcp');
    const { mcpServers } = JSON.parse(await run('agents', 'show', 'reviewer', '--json')) as Agent;
    expect(mcpServers).toEqual({ git: { command: 'git-mcp', env: { TOKEN: '***' } } });
  });

  it('AG-05 names the places of mistakes in a document as a person sees them', async () => {
    const bad = { input: 'id: a b\nname: Nobody\nrules:\n  - text: 3\n' };
    const mistakes =
      '  /id: must consist of 1 to 64 letters, digits, "_" and "-"\n  /rules/0/name: Required: a string.\n';
    const imported = await daemon.cli(['agents', 'import', '-'], bad);
    expect(imported.stderr).toContain(`contextd: The document cannot be used as an agent.\n${mistakes}`);
    for (const command of [['import'], ['put', 'nobody']]) {
      const { code, stderr } = await daemon.cli(['agents', ...command, '-'], { input: '{' });
      expect([code, stderr]).toEqual([
        64,
        expect.stringMatching(/^contextd: The document cannot be used as an agent\.\n {2}the bracket .*\n$/u),
      ]);
    }
  });

  it('AG-01 AG-02 AG-03 lists what the agent has now', async () => {
    const items = async () => {
      const answer = JSON.parse(await run('agents', 'items', 'reviewer', '--json')) as { items: AgentItem[] };
      return answer.items.map(({ type, name, include, source }) => `${type} ${name} ${include} ${source}`);
    };
    expect(await items()).toEqual([
      'rule errors agent file',
      'rule no-secrets always inline',
      'reference references/cart manual file',
    ]);
    writeFileSync(join(project, '.context/new.md'), '---\ntrigger: always\n---\nx');
    expect(await items()).toContain('rule new always file');
    rmSync(join(project, '.context/new.md'));
    const page = await run('agents', 'items', 'reviewer');
    expect(page).toContain('500 ● always  no-secrets');
    expect(page).toContain('500 ◇ agent   errors      How errors are handled');
    expect(page).toContain('Rules 2');
  });

  it('SS-07 searches an agent and a directory by words when there is no model', async () => {
    const found = await run('search', 'how are errors handled', '--agent', 'reviewer');
    expect(found).toMatch(/^0\.\d\d █+░* {2}errors \(rule, keyword\)\n/u);
    expect(found).toContain('Search is degraded.');
    const json = await run('search', 'errors', project, '--type', 'rule', '--top-n', '1', '--json');
    const { results, semantic } = JSON.parse(json) as ItemSearchResult;
    expect(results).toMatchObject([{ type: 'rule', name: 'errors', engine: 'keyword' }]);
    expect(semantic.status).toBe('degraded');
    // The daemon may not read it: who names it is answered without the daemon.
    const outside = temporaryDirectory();
    mkdirSync(join(outside, '.context'), { recursive: true });
    writeFileSync(join(outside, '.context/errors.md'), '---\ntrigger: always\n---\nHow errors are handled.\n');
    const answered = await daemon.cli(['search', 'errors', outside]);
    expect([answered.code, answered.stdout]).toEqual([0, expect.stringContaining('errors (rule, keyword)')]);
    expect(answered.stderr).toContain('contextd roots grant');
    expect((await daemon.cli(['search', 'x', '--type', 'file'])).code).toBe(64);
  });

  it('AG-05 S-26 exports without secrets, and takes the export back', async () => {
    const yaml = await run('agents', 'export', 'reviewer');
    expect(yaml).toContain('TOKEN: "***"');
    writeFileSync(join(directory, 'export.yaml'), yaml.replace('name: Reviewer', 'name: Second'));
    expect(await run('agents', 'put', 'reviewer', 'export.yaml')).toContain('is as export.yaml says');
    writeFileSync(join(directory, 'export.yaml'), yaml.replace('git-mcp', 'evil'));
    const refused = await daemon.cli(['agents', 'put', 'reviewer', 'export.yaml'], { cwd: directory });
    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('mcp servers git env TOKEN')]);
    expect(JSON.parse(await run('agents', 'export', 'reviewer', '--format', 'json'))).toMatchObject({ name: 'Second' });
    const piped = await daemon.cli(['agents', 'import', '-', '--replace'], { input: yaml });
    expect(piped.code).toBe(0);
  });

  it('S-26 no answer, no event and no log line carries a secret', async () => {
    const answers = await Promise.all(
      ['', '/items', '/export', '/export?format=json'].map((path) => daemon.request(`/v1/agents/reviewer${path}`)),
    );
    const all = [...answers, await daemon.request('/v1/agents'), await daemon.request('/v1/status')];
    expect(all.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(all.map(({ text }) => text).join()).not.toContain(secret);
    expect(daemon.process.output.stdout + daemon.process.output.stderr).not.toContain(secret);
    const others = readdirSync(stateDirectory).filter((name) => !name.startsWith('contextd.db'));
    for (const name of others.filter((each) => /\.(?:json|log)$/u.test(each)))
      expect(readFileSync(join(stateDirectory, name), 'utf8')).not.toContain(secret);
  });

  it('AG-05 S-68 what was acknowledged is there after a crash', { timeout: 30_000 }, async () => {
    const acknowledged: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const { status } = await daemon.request(`/v1/agents/reviewer/rules/r${n}`, {
        method: 'PUT',
        body: { text: `${n}` },
      });
      if (status === 201) acknowledged.push(n);
    }
    daemon.process.child.kill('SIGKILL');
    await daemon.stop();
    daemon = await start();
    const { body } = await daemon.request('/v1/agents/reviewer');
    const names = (body as Agent).rules?.map(({ name }) => name);
    expect(acknowledged).toHaveLength(20);
    expect(names).toEqual(['no-secrets', ...acknowledged.map((n) => `r${n}`)]);
  });

  it('AG-05 deletes an agent', async () => {
    expect(await run('agents', 'delete', 'reviewer')).toBe('The agent reviewer is gone.\n');
    const gone = await daemon.cli(['agents', 'show', 'reviewer']);
    expect([gone.code, gone.stderr]).toEqual([64, 'contextd: There is no agent with this id.\n']);
  });
});

/** A small workspace, home and database on the real disk, and every kind of verb over them, for tests that make them fail. */

import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createNodeFileWriter } from '../../src/adapters/files/node-file-writer.ts';
import { createNodeFiles } from '../../src/adapters/files/node-files.ts';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import { createEngine, type Engine } from '../../src/engine.ts';
import type { Store } from '../../src/ports/store/store.ts';
import { defaultEngineSettings } from '../../src/settings.ts';
import { createFakeMcpLauncher } from './fake-mcp-launcher.ts';
import { createInProcessParser } from './in-process-parser.ts';
import { atVersion } from './versions.ts';
import { contextFile, plainTokenCounter, silentLogger } from './workspace.ts';

/** Stands in what a policy blocks: no answer may hold it. */
export const blockedText = 'canary-of-what-is-blocked';
/** Stands in the workspace, in a file that lies in no granted root. */
export const foreignText = 'canary-of-another-root';

const policy = `version: 1
ai_context_policy: allow
exclude:
  - private/**
`;

const tree: Record<string, string> = {
  'home/.context/global.md': contextFile({ trigger: 'always' }, 'Global rule.'),
  'other/foreign.md': foreignText,
  'more/readme.md': 'More.',
  'ws/.ai-context-policy.yaml': policy,
  'ws/.context/context-config.json': JSON.stringify({
    clientContext: { includeFiles: ['docs/**', 'private/**'] },
    mcpServers: { local: { command: './serve.sh' }, other: { command: './serve.sh', args: ['other'] } },
  }),
  'ws/.context/rule.md': contextFile({ trigger: 'always' }, 'Rule of the project.'),
  'ws/.context/manual.md': contextFile({ trigger: 'manual' }, 'Manual rule.'),
  'ws/.context/typed.md': contextFile({ trigger: 'auto', globs: 'src/**/*.ts' }, 'Rule for types.'),
  'ws/src/.context/near.md': contextFile({ trigger: 'always' }, 'Rule of the source.'),
  'ws/docs/guide.md': 'A guide to tokens.',
  'ws/private/secret.md': blockedText,
  'ws/src/a.ts': "import { b } from './b.ts';\nexport const a = b + 1;\n",
  'ws/src/b.ts': 'export const b = 1;\nexport const other = 2;\n',
  'ws/serve.sh': '#!/bin/sh\n',
};

export type FaultyWorld = { engine: Engine; store: Store; databasePath: string; close(): Promise<void> };

/** What the prepared database holds, by the ids it was given. */
type Known = { sessionId: string; requestId: string; tokenId: string; itemId: string; fingerprint: string };

export type FaultyWorlds = {
  /** Everything that may fail lies below. */
  base: string;
  mountedDirectory: string;
  known: Known;
  /** A fresh engine over a copy of the prepared database, and the workspace as it was. */
  open(): Promise<FaultyWorld>;
  /** Files that a write left half done. */
  leftovers(): string[];
  remove(): void;
};

/** In memory where possible: each of many databases is synced several times. */
export async function createFaultyWorlds(): Promise<FaultyWorlds> {
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const base = realpathSync(mkdtempSync(join(place, 'contextd-')));
  try {
    return await createWorldsIn(base);
  } catch (error) {
    rmSync(base, { recursive: true, force: true });
    throw error;
  }
}

async function createWorldsIn(base: string): Promise<FaultyWorlds> {
  const mountedDirectory = join(base, 'ws');
  const homeDirectory = join(base, 'home');
  const template = join(base, 'template.db');
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), content, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
  }
  const clock = createSystemClock();
  const policyPath = join(mountedDirectory, '.ai-context-policy.yaml');
  const leftovers = (): string[] =>
    readdirSync(base, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.includes('.contextd-'))
      .map((name) => join(base, name));
  let opened = 0;

  const openOn = async (databasePath: string): Promise<FaultyWorld> => {
    const store = createSqliteStore(databasePath);
    const engine = await createEngine({
      ports: {
        files: createNodeFiles({ homeDirectory }),
        fileWriter: createNodeFileWriter(),
        store,
        // What was prepared lies in the past, so that what is read of it is kept.
        clock: { ...clock, now: () => clock.now() + 3_600_000 },
        logger: silentLogger,
        tokenCounter: plainTokenCounter,
        sourceParser: createInProcessParser(),
        mcp: {
          load: async () => createFakeMcpLauncher(),
          environment: { HOME: homeDirectory, PATH: '/usr/bin:/bin' },
          schemaChecker: { check: async () => ({ outcome: 'valid' }), dispose() {} },
        },
      },
      settings: defaultEngineSettings,
      grantedRoots: [mountedDirectory],
    });
    return { engine, store, databasePath, close: () => engine.dispose() };
  };

  const prepared = await openOn(template);
  const known = await prepare(prepared.engine, { mountedDirectory, more: join(base, 'more') });
  await prepared.close();
  // Makes the room that is kept.
  await createSqliteStore(template, { heal: true }).close();

  return {
    base,
    mountedDirectory,
    known,
    async open() {
      // One at a time: there are thousands of them.
      rmSync(join(base, `state-${opened}`), { recursive: true, force: true });
      opened += 1;
      mkdirSync(join(base, `state-${opened}`));
      const databasePath = join(base, `state-${opened}`, 'contextd.db');
      copyFileSync(template, databasePath);
      // It is only ever removed, and takes longer to write than all else.
      linkSync(`${template}.reserve`, `${databasePath}.reserve`);
      for (const path of leftovers()) rmSync(path);
      writeFileSync(policyPath, policy);
      return openOn(databasePath);
    },
    leftovers,
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

const agent = {
  name: 'Agent',
  systemPrompt: 'You help.',
  rules: [
    { name: 'A', text: 'Text of A.', include: 'always' as const },
    { name: 'B', text: 'Text of B.', include: 'manual' as const },
  ],
  references: [{ name: 'X', text: 'How tokens are checked.', description: 'Tokens', include: 'agent' as const }],
};

async function prepare(engine: Engine, places: { mountedDirectory: string; more: string }): Promise<Known> {
  const { mountedDirectory, more } = places;
  await engine.grantRoot(more);
  await engine.agents.put('a', { ...agent, mountedDirectory });
  const { id: sessionId } = await engine.sessions.create({ agentId: 'a' });
  const { requestId } = await engine.sessions.request(sessionId, { message: 'How are tokens checked?' });
  const { item } = await engine.supplementary.add({ mountedDirectory, kind: 'file', path: 'docs/guide.md' });
  const [server] = (await engine.mcp.list({ mountedDirectory })).servers;
  const fingerprint = server?.fingerprint ?? '';
  await engine.mcp.approve({ fingerprint });
  return { sessionId, requestId, tokenId: (await engine.tokens.mint('one')).id, itemId: item.id, fingerprint };
}

/** Verbs by name. Each is asked on a fresh world, and then again on the same. */
export function faultyVerbs(worlds: FaultyWorlds): Record<string, (engine: Engine) => Promise<unknown>> {
  const { base, mountedDirectory, known } = worlds;
  const { sessionId, requestId, tokenId, itemId, fingerprint } = known;
  const more = join(base, 'more');
  const place = { mountedDirectory };
  return {
    resolve: ({ resolve }) => resolve({ ...place, files: ['src/a.ts'], mentions: ['manual'] }),
    'resolve of what is not granted': ({ resolve }) => resolve({ mountedDirectory: join(base, 'other') }),
    explain: ({ explain }) => explain({ ...place, files: ['src/a.ts'] }),
    'explain a path': ({ explain }) => explain({ ...place, path: 'private/secret.md' }),
    validate: ({ validate }) => validate(place),
    retrieve: ({ retrieve }) => retrieve({ ...place, activeDocument: { path: 'src/a.ts' }, query: 'guide to tokens' }),
    'policy check': ({ policy }) => policy.check({ ...place, paths: ['src/a.ts', 'private/secret.md'] }),
    'policy list': ({ policy }) => policy.list(mountedDirectory),
    'policy preview': ({ policy }) => policy.preview({ ...place, aiContextPolicy: 'allow', exclude: ['docs/**'] }),
    'policy put': async ({ policy }) => {
      const [present] = (await policy.list(mountedDirectory)).policies;
      const wanted = { aiContextPolicy: 'allow' as const, exclude: ['private/**', 'docs/**'] };
      return policy.put({ ...place, directory: mountedDirectory, ...wanted }, atVersion(present?.etag ?? 'none'));
    },
    'supplementary list': ({ supplementary }) => supplementary.list(mountedDirectory),
    'supplementary add': ({ supplementary }) => supplementary.add({ ...place, kind: 'file', path: 'src/b.ts' }),
    'supplementary replace': ({ supplementary }) =>
      supplementary.replace({ ...place, items: [{ kind: 'folder', path: 'src' }] }),
    'supplementary remove': ({ supplementary }) => supplementary.remove(itemId),
    'supplementary clear': ({ supplementary }) => supplementary.clear(mountedDirectory),
    'file search': ({ supplementary }) => supplementary.searchFiles({ ...place, query: 'b.ts' }),
    'agent put': ({ agents }) => agents.put('b', { ...agent, name: 'Other' }),
    'agent change': ({ agents }) => agents.put('a', { ...agent, name: 'Changed', mountedDirectory }),
    'agent list': ({ agents }) => agents.list(),
    'agent item': ({ agents }) =>
      agents.putItem({ agentId: 'a', kind: 'rules', name: 'C' }, { name: 'C', text: 'Text of C.' }),
    'agent remove': ({ agents }) => agents.remove('a'),
    'agent catalog': ({ agents }) => agents.catalog({ agentId: 'a' }),
    'agent search': ({ agents }) => agents.search({ agentId: 'a', query: 'tokens', mode: 'keyword', minScore: 0 }),
    'session create': ({ sessions }) => sessions.create({ agentId: 'a' }),
    'session get': ({ sessions }) => sessions.get(sessionId),
    'session list': ({ sessions }) => sessions.list({}),
    'session patch': ({ sessions }) =>
      sessions.patch(sessionId, { topP: 0.5, appendMessages: [{ role: 'user', content: 'More.' }] }),
    'session add item': ({ sessions }) => sessions.addItem(sessionId, { type: 'rule', name: 'B' }),
    'session remove item': ({ sessions }) => sessions.removeItem(sessionId, { type: 'rule', name: 'A' }),
    'session changes': ({ sessions }) => sessions.changes(sessionId, {}),
    'session delete': ({ sessions }) => sessions.delete(sessionId),
    request: ({ sessions }) => sessions.request(sessionId, { message: 'And errors?', files: ['src/a.ts'] }),
    'request reply': ({ sessions }) => sessions.reply(sessionId, requestId, 'With a token.'),
    'request list': ({ sessions }) => sessions.listRequests(sessionId, {}),
    'request rebuild': ({ sessions }) => sessions.getRequest(sessionId, requestId),
    'request export': async ({ sessions }) => Readable.from(await sessions.exportRequests({})).toArray(),
    usage: ({ sessions }) => sessions.usage('a'),
    'root list': ({ listRoots }) => listRoots(),
    'root grant': ({ grantRoot }) => grantRoot(join(base, 'home')),
    'root revoke': ({ revokeRoot }) => revokeRoot(more),
    'token mint': async ({ tokens }) => tokens.mint('two'),
    'token list': async ({ tokens }) => tokens.list(),
    'token revoke': async ({ tokens }) => tokens.revoke(tokenId),
    'server list': ({ mcp }) => mcp.list(place),
    'server approve': async ({ mcp }) => {
      const servers = (await mcp.list(place)).servers;
      return mcp.approve({ fingerprint: servers.find(({ name }) => name === 'other')?.fingerprint ?? 'f'.repeat(64) });
    },
    'server revoke': async ({ mcp }) => mcp.revoke(fingerprint),
    'server call': async ({ mcp }) => {
      const [server] = (await mcp.list(place)).servers;
      return mcp.call(server?.id ?? '', { tool: 'echo', arguments: { text: 'hello' } });
    },
  };
}

const all = { limit: 1_000, maxBytes: 100_000_000 };

/** Everything that is stored, for comparison; ids, digests and times are left out. */
export async function storedState(
  { roots, agents, sessions, supplementary, tokens, approvals }: Store,
  directory: string,
): Promise<string> {
  const kept = (await sessions.sessions(all)).entries;
  return masked({
    roots: await roots.list(),
    agents: await Promise.all((await agents.list()).map(({ id }) => agents.get(id))),
    sessions: await Promise.all(
      kept.map(async (session) => [
        session,
        (await sessions.changes(session.id, { ...all, after: 0 })).entries,
        (await sessions.requests({ ...all, sessionId: session.id })).entries,
      ]),
    ),
    uses: await sessions.usage('a'),
    supplementary: await supplementary.list(directory),
    tokens: await tokens.list(),
    approvals: await approvals.list(),
  });
}

/** Canonical text of an answer, without what differs each time. */
export function masked(value: unknown): string {
  return `${JSON.stringify(value)}`
    .replaceAll(/[0-9a-f]{32,}/gu, '#')
    .replaceAll(/[\w-]{43}/gu, '#')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, '@');
}

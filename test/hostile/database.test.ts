/** A database file that something else than SQLite has written to (S-72). */
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { versionSeal } from '../../src/adapters/sqlite/health.ts';
import { migrations } from '../../src/adapters/sqlite/schema.ts';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import { ContextdError } from '../../src/errors.ts';
import { textKey } from '../../src/ports/store/session.ts';
import type { Store } from '../../src/ports/store/store.ts';
import { vectorOf } from '../support/fake-embedder.ts';
import { sized } from '../support/test-size.ts';

const grantedAt = '2026-01-01T00:00:00.000Z';
const paths = Array.from({ length: 300 }, (_, n) => `/home/ada/project-${n}/${'deep/'.repeat(n % 9)}end`);
/** Of each of the two. */
const injured = sized(100, 800, 24);
/** Of each byte of the header. */
const bits = sized(1, 4);
let directory: string;
/** The room that a database keeps. */
let reserve: string;
/** All that the two hold, as `readAll` gives it. */
let known: ReadonlySet<string>;
/** A database that was closed, and one that a killed process left with its journal. */
const originals = { closed: '', leftOpen: '' };

beforeAll(async () => {
  // In memory where possible: each of the many databases is synced several times.
  directory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'contextd-'));
  originals.closed = join(directory, 'closed', 'contextd.db');
  originals.leftOpen = join(directory, 'left-open', 'contextd.db');
  for (const path of Object.values(originals)) mkdirSync(join(path, '..'));
  await createSqliteStore(join(directory, 'other.db'), { heal: true }).close();
  reserve = join(directory, 'other.db.reserve');
  const half = paths.length / 2;
  for (const path of Object.values(originals)) {
    const store = createSqliteStore(path);
    await fill(store, 0, half);
    if (path === originals.closed) await fill(store, half, paths.length);
    await store.close();
  }
  const store = createSqliteStore(originals.leftOpen);
  await fill(store, half, paths.length);
  known = new Set(await readAll(store));
  expect(known.size).toBe(paths.length + 2 * 70);
  // What a killed process leaves: taken before it closes.
  const bytes = ['', '-wal'].map((suffix) => readFileSync(originals.leftOpen + suffix));
  await store.close();
  writeFileSync(originals.leftOpen, bytes[0] as Buffer);
  writeFileSync(`${originals.leftOpen}-wal`, bytes[1] as Buffer);
});
afterAll(() => rmSync(directory, { recursive: true }));

async function addRoots(path: string, added: readonly string[]): Promise<void> {
  const store = createSqliteStore(path);
  for (const each of added) await store.roots.add({ path: each, grantedAt });
  await store.close();
}

const identity = 'model';
const vectorKeys = (from: number) => Array.from({ length: 10 }, (_, n) => `text ${from + n}`);
const storedText = (from: number) => `A rule of session ${from}.`;

/** Each of these roots, and one or some of everything else there is to store. */
async function fill(store: Store, from: number, to: number): Promise<void> {
  for (const path of paths.slice(from, to)) await store.roots.add({ path, grantedAt });
  const id = `${from}`;
  const createdAt = grantedAt;
  const document = JSON.stringify({ name: `Agent ${id}`, systemPrompt: 'You help. '.repeat(50) });
  await store.agents.put({
    id,
    summary: `{"name":"Agent ${id}"}`,
    createdAt,
    updatedAt: createdAt,
    document,
    items: [],
  });
  await store.supplementary.replace(
    `/home/ada/${id}`,
    paths.slice(0, 10).map((path, n) => ({ id: `${id}-${n}`, kind: 'file', path, addedAt: grantedAt })),
  );
  await store.tokens.add({ id, label: `Token ${id}`, createdAt, digest: textKey(`token ${id}`) });
  const fingerprint = textKey(`server ${id}`);
  await store.approvals.put({ id, fingerprint, definition: `{"command":"serve-${id}"}`, approvedAt: grantedAt });
  const vectors = vectorKeys(from).map((key) => ({ key, vector: vectorOf(key) }));
  await store.vectors.add(vectors, { identity, usedAt: 1 });
  await store.sessions.write(async (writer) => {
    const session = {
      id,
      agentId: id,
      parentSessionId: null,
      createdAt,
      lastSyncId: 40,
      messages: 40,
      state: { id },
      ownerId: null,
      bytes: 0,
    };
    await writer.insertSession(session);
    for (let syncId = 1; syncId <= 40; syncId += 1) {
      const data = { role: 'user', content: `Message ${syncId} of session ${id}. `.repeat(4) };
      await writer.insertChange(id, { syncId, type: 'message', at: createdAt, data });
    }
    const request = { id, sessionId: id, agentId: id, syncId: 40, replySyncId: null, createdAt, data: { of: id } };
    const text = storedText(from);
    await writer.insertRequest(request, new Map([[textKey(text), text]]));
  });
}

/** Every entry that is served, by what it is; what is refused because it is damaged is left out. */
async function readAll({
  roots,
  agents,
  sessions,
  supplementary,
  tokens,
  approvals,
  vectors,
}: Store): Promise<string[]> {
  const all = { limit: 1_000, maxBytes: 1_000_000_000 };
  const places = [0, paths.length / 2];
  const reads: Record<string, () => Promise<readonly unknown[]>> = {
    root: () => roots.list(),
    agent: () => agents.list(),
    token: () => tokens.list(),
    approval: () => approvals.list(),
    'session in the list': async () => (await sessions.sessions(all)).entries,
    'request in the list': async () => (await sessions.requests(all)).entries,
  };
  for (const place of places) {
    const id = `${place}`;
    const one = async (read: Promise<unknown>) => {
      const entry = await read;
      return entry === undefined ? [] : [entry];
    };
    Object.assign(reads, {
      [`agent ${id}`]: () => one(agents.get(id)),
      [`approval ${id}`]: async () => (await approvals.list()).filter((each) => each.id === id),
      [`session ${id}`]: () => one(sessions.session(id)),
      [`change of ${id}`]: async () => (await sessions.changes(id, { ...all, after: 0 })).entries,
      [`request ${id}`]: () => one(sessions.request(id, id)),
      // As a request is rebuilt, of which they are part.
      [`text of ${id}`]: async () => {
        const requests = await one(sessions.request(id, id));
        return requests.length === 0 ? [] : [...(await sessions.texts([textKey(storedText(place))]))];
      },
      [`item of ${id}`]: () => supplementary.list(`/home/ada/${id}`),
      [`vector of ${id}`]: async () =>
        (await vectors.get(identity, vectorKeys(place))).map(({ key, vector }) => [key, ...vector]),
    });
  }
  const found: string[] = [];
  for (const [what, read] of Object.entries(reads))
    try {
      for (const entry of await read()) found.push(`${what}: ${JSON.stringify(entry)}`);
    } catch (error) {
      if (!(error instanceof ContextdError) || error.code !== 'unavailable') throw error;
    }
  return found;
}

/** Numbers from 0 to below `limit` that are the same in every run. */
function createDice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function change(path: string, edit: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  edit(bytes);
  writeFileSync(path, bytes);
}

type Outcome = { quarantined: string[]; isAllServed: boolean; warned: string[]; tookMs: number };

/** Damages a copy, opens it, and checks what must hold however it was damaged. */
async function damaged(
  original: keyof typeof originals,
  damage: (path: string) => void,
  what: string,
): Promise<Outcome> {
  const place = mkdtempSync(join(directory, 'attempt-'));
  const path = join(place, 'contextd.db');
  for (const suffix of ['', '-wal'])
    if (existsSync(originals[original] + suffix)) copyFileSync(originals[original] + suffix, path + suffix);
  // It is only ever removed, and takes longer to write than all else.
  linkSync(reserve, `${path}.reserve`);
  damage(path);
  const before = readFileSync(path);
  const begun = performance.now();
  const store = createSqliteStore(path, { heal: true });
  const roots = await store.roots.list();
  const tookMs = performance.now() - begun;
  const served = await readAll(store);
  // A damaged row is left out, never served.
  expect(
    served.filter((each) => !known.has(each)),
    what,
  ).toEqual([]);
  expect(await store.roots.add({ path: '/added', grantedAt }), what).toBe(true);
  expect(await store.roots.list(), what).toHaveLength(roots.length + 1);
  const warned = (await store.warnings()).map(({ code }) => code);
  await store.close();
  const quarantined = readdirSync(place).filter((name) => /\.corrupt-[\dTZ]+$/u.test(name));
  if (original === 'closed')
    for (const name of quarantined) expect(readFileSync(join(place, name)).equals(before), what).toBe(true);
  expect(quarantined.length > 0, what).toBe(warned.includes('database_quarantined'));
  rmSync(place, { recursive: true });
  return { quarantined, isAllServed: served.length === known.size, warned, tookMs };
}

describe('a damaged database', () => {
  it('S-72 never stops the daemon, serves no damaged row, and is kept: bits of each byte of its header', async () => {
    const outcomes: Outcome[] = [];
    const spread = (nth: number) => Math.floor((nth * 8) / bits) + (Math.floor(nth / bits) % Math.floor(8 / bits));
    for (const bit of Array.from({ length: 100 * bits }, (_, nth) => spread(nth)))
      outcomes.push(
        await damaged(
          'closed',
          (path) => change(path, (bytes) => bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)),
          `bit ${bit & 7} of byte ${bit >> 3}`,
        ),
      );
    // What a flipped bit does not matter to, such as the change counter, is no damage.
    expect(outcomes.filter(({ quarantined }) => quarantined.length > 0).length).toBeGreaterThan(37 * bits);
    expect(outcomes.every(({ quarantined, isAllServed }) => quarantined.length > 0 || isAllServed)).toBe(true);
    expect(Math.max(...outcomes.map(({ tookMs }) => tookMs))).toBeLessThan(5_000);
  });

  it.each(['closed', 'leftOpen'] as const)(
    `S-72 … and ${injured} random injuries of one that was %s`,
    {
      timeout: 30_000 + injured * 100,
    },
    async (original) => {
      const roll = createDice(original.length);
      const anywhere = (bytes: Buffer) => roll(bytes.length);
      const injuries: Record<string, (path: string) => void> = {
        bit: (path) =>
          change(path, (bytes) => {
            const at = anywhere(bytes);
            bytes[at] = (bytes[at] ?? 0) ^ (1 << roll(8));
          }),
        bits: (path) =>
          change(path, (bytes) => {
            for (let n = 0; n < 50; n += 1) bytes[anywhere(bytes)] = roll(256);
          }),
        page: (path) =>
          change(path, (bytes) => {
            const from = roll(bytes.length / 4096) * 4096;
            for (let at = from; at < from + 4096; at += 1) bytes[at] = roll(256);
          }),
        zeros: (path) => change(path, (bytes) => void bytes.fill(0, roll(bytes.length / 512) * 512).fill(0, 0, 0)),
        truncation: (path) => truncateSync(path, roll(readFileSync(path).length)),
        moved: (path) =>
          change(
            path,
            (bytes) => void bytes.copy(bytes, roll(bytes.length / 4096) * 4096, roll(bytes.length / 4096) * 4096),
          ),
      };
      const kinds = Object.entries(injuries);
      const seen = new Set<string>();
      let leftOut = 0;
      for (let n = 0; n < injured; n += 1) {
        const [kind, injure] = kinds[n % kinds.length] as (typeof kinds)[number];
        const hitsJournal = original === 'leftOpen' && n % 3 === 0;
        const { quarantined, isAllServed, tookMs } = await damaged(
          original,
          (path) => injure(hitsJournal ? `${path}-wal` : path),
          `${kind} ${n}`,
        );
        if (quarantined.length > 0) seen.add(kind);
        else if (!isAllServed) leftOut += 1;
        expect(tookMs).toBeLessThan(5_000);
      }
      // One flipped bit may hit nothing that is in use; pages that the journal holds too are not read from the file.
      if (original === 'closed') expect([...seen]).toEqual(expect.arrayContaining(['bits', 'page', 'truncation']));
      expect(seen.size).toBeGreaterThan(0);
      // SQLite finds the file whole; the checksums of the rows do not.
      if (original === 'closed') expect(leftOut).toBeGreaterThan(0);
    },
  );

  it('S-72 … without its journal, cut to nothing beside one, a foreign file or database', async () => {
    expect(await damaged('leftOpen', (path) => rmSync(`${path}-wal`), 'no journal')).toMatchObject({
      quarantined: [],
      warned: [],
    });
    expect((await damaged('leftOpen', (path) => truncateSync(path, 0), 'emptied')).quarantined).toHaveLength(1);
    expect((await damaged('closed', (path) => truncateSync(path, 0), 'empty')).quarantined).toEqual([]);
    const foreign: Record<string, (path: string) => void> = {
      text: (path) => writeFileSync(path, 'no database '.repeat(1_000)),
      short: (path) => writeFileSync(path, 'x'),
      magic: (path) => writeFileSync(path, 'SQLite format 3\0'),
      other: (path) => {
        rmSync(path);
        const database = new DatabaseSync(path);
        database.exec('CREATE TABLE notes (text TEXT)');
        database.close();
      },
      lookalike: (path) => {
        const database = new DatabaseSync(path);
        database.exec('ALTER TABLE granted_roots RENAME COLUMN path TO place');
        database.close();
      },
      trigger: (path) => {
        const database = new DatabaseSync(path);
        database.exec('CREATE TRIGGER t AFTER DELETE ON granted_roots BEGIN DELETE FROM granted_roots; END');
        database.close();
      },
    };
    for (const [what, damage] of Object.entries(foreign))
      expect((await damaged('closed', damage, what)).quarantined, what).toHaveLength(1);
  });

  it('S-72 sets a journal aside with its database, so that both can be mended together', async () => {
    const path = join(directory, 'together.db');
    for (const suffix of ['', '-wal']) copyFileSync(originals.leftOpen + suffix, path + suffix);
    truncateSync(path, 0);
    const journal = readFileSync(`${path}-wal`);
    await createSqliteStore(path, { heal: true }).close();
    const [aside] = readdirSync(directory).filter(
      (name) => name.startsWith(`${basename(path)}.corrupt-`) && name.endsWith('-wal'),
    );
    expect(readFileSync(join(directory, aside as string)).equals(journal)).toBe(true);
  });

  it('S-72 leaves out one changed row of a file that SQLite finds whole, says so, and lets it be written again', async () => {
    const path = join(directory, 'row.db');
    await addRoots(path, ['/home/ada/one', '/home/ada/two']);
    change(path, (bytes) => void bytes.write('/home/eve', bytes.indexOf('/home/ada/one')));
    const store = createSqliteStore(path, { heal: true });
    expect((await store.roots.list()).map((root) => root.path)).toEqual(['/home/ada/two']);
    expect(await store.warnings()).toEqual([
      { code: 'database_rows_damaged', message: expect.stringContaining('1 stored entry of granted roots') },
    ]);
    expect(await store.roots.add({ path: '/home/eve/one', grantedAt })).toBe(true);
    expect(await store.roots.list()).toHaveLength(2);
    await store.close();
  });

  it('S-72 takes over what can be read of roots, agents and supplementary context, in its order', async () => {
    const path = join(directory, 'salvage.db');
    await addRoots(path, paths);
    const before = createSqliteStore(path);
    const addedAt = grantedAt;
    const items = paths.map((each, n) => ({
      id: n.toString(16).padStart(32, '0'),
      kind: 'file' as const,
      path: each,
      addedAt,
    }));
    await before.supplementary.replace('/home/ada', items);
    const agents = ['a', 'b', 'c'].map((id) => ({
      id,
      summary: '{}',
      createdAt: grantedAt,
      updatedAt: grantedAt,
      document: `{"${id}":1}`,
      items: [],
    }));
    for (const agent of agents) await before.agents.put(agent);
    await before.close();
    change(path, (bytes) => {
      const spoilPageAt = (at: number) => bytes.fill(0xa5, at & ~4095, (at & ~4095) + 4096);
      // A leaf in the middle of each table, and one agent in place.
      const text = '/home/ada/project-150/';
      let root = bytes.indexOf(text);
      while (bytes.subarray(root - 4, root).toString() === 'file') root = bytes.indexOf(text, root + 1);
      spoilPageAt(root);
      spoilPageAt(bytes.indexOf(`${items[150]?.id}/home/ada`));
      bytes.write('{"x":', bytes.indexOf('{"b":'));
    });
    const after = createSqliteStore(path, { heal: true });
    expect((await after.warnings()).map(({ code }) => code)).toEqual(['database_quarantined']);
    const roots = (await after.roots.list()).map((root) => root.path);
    const kept = await after.supplementary.list('/home/ada');
    for (const rest of [roots, kept]) {
      expect(rest.length).toBeGreaterThan(200);
      expect(rest.length).toBeLessThan(paths.length);
    }
    expect(roots.every((each) => paths.includes(each))).toBe(true);
    expect(kept).toEqual(items.filter(({ id }) => kept.some((item) => item.id === id)));
    expect((await after.agents.list()).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(await after.roots.add({ path: '/new', grantedAt })).toBe(true);
    await after.close();
    expect(readdirSync(directory).filter((name) => name.includes('.reading'))).toEqual([]);
  });

  it('S-72 does not take the database of a newer contextd for a damaged one', async () => {
    const path = join(directory, 'newer.db');
    await addRoots(path, []);
    const version = migrations.length + 1;
    const database = new DatabaseSync(path);
    database.exec(
      `CREATE TABLE later (id TEXT); PRAGMA user_version=${version}; PRAGMA application_id=${versionSeal(version)}`,
    );
    database.close();
    const before = readFileSync(path);
    expect(() => createSqliteStore(path, { heal: true })).toThrow('newer contextd');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('S-72 opens a database of every earlier version, those without seal and hashes too', async () => {
    const path = join(directory, 'earlier.db');
    for (const [index] of migrations.entries()) {
      rmSync(path, { force: true });
      const database = new DatabaseSync(path);
      for (const migration of migrations.slice(0, index + 1)) database.exec(migration);
      database.exec(
        `INSERT INTO granted_roots (path, granted_at) VALUES ('/a', '${grantedAt}'); PRAGMA user_version=${index + 1}`,
      );
      database.close();
      const store = createSqliteStore(path, { heal: true });
      expect(await store.roots.list()).toEqual([{ path: '/a', grantedAt }]);
      expect(readdirSync(directory).filter((name) => name.startsWith('earlier.db.corrupt'))).toEqual([]);
      await store.close();
    }
  });
});

/** Daemons that are told to end while they are busy (S-80): nothing acknowledged is lost, and nothing of them is left. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ownCompileCache, type RequestOptions, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { tellMeasured } from '../support/measured.ts';
import { childProcesses, isRunning } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { sized } from '../support/test-size.ts';

const rounds = sized(5, 200, 1);
const writers = 8;
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'twice', 'SIGTERM'] as const;
const afterwards = ['compile-cache', 'contextd.db', 'contextd.db.reserve', 'daemon.lock', 'secret.key'];

type Known = { id: string; seen: number; acknowledged: string[] };
type Load = { ended: Promise<unknown>; refused: number[]; streams: string[] };

/** An answer, or undefined when the daemon is gone. */
async function ask(daemon: TestDaemon, path: string, sent: RequestOptions) {
  return daemon.request(path, sent).catch(() => undefined);
}

/** Keeps a daemon busy with all it does until it refuses or is gone. */
function burden(daemon: TestDaemon, sessions: readonly Known[], workspace: string): Load {
  const refused: number[] = [];
  const streams: string[] = [];
  const repeat = async (step: (turn: number) => ReturnType<typeof ask>, onDone: (turn: number) => void = () => {}) => {
    for (let turn = 0; ; turn += 1) {
      const answer = await step(turn);
      if (answer === undefined || answer.status !== 200) {
        if (answer !== undefined) refused.push(answer.status);
        return;
      }
      onDone(turn);
    }
  };
  const write = (session: Known, writer: number) => {
    const content = (turn: number) => `${daemon.process.child.pid}/${writer}/${turn}`;
    return repeat(
      (turn) =>
        ask(daemon, `/v1/sessions/${session.id}`, {
          method: 'PATCH',
          body: { appendMessages: [{ role: 'user', content: content(turn) }] },
        }),
      (turn) => session.acknowledged.push(content(turn)),
    );
  };
  const listen = async () => {
    const response = await fetch(`${daemon.url}/v1/events`, { headers: { authorization: `Bearer ${daemon.token}` } });
    let text = '';
    try {
      for await (const bytes of response.body ?? []) text += Buffer.from(bytes).toString();
      streams.push(text);
    } catch {
      streams.push('cut');
    }
  };
  const place = { mountedDirectory: workspace };
  const retrieval = { ...place, activeDocument: { path: 'a.ts' } };
  const ended = Promise.all([
    ...Array.from({ length: writers }, (_, writer) => write(sessions[writer % sessions.length] as Known, writer)),
    repeat((turn) => ask(daemon, '/v1/context/resolve', { body: { ...place, mentions: [`${turn}`] } })),
    repeat(() => ask(daemon, '/v1/retrieve', { body: retrieval })),
    listen(),
    listen(),
  ]);
  return { ended, refused, streams };
}

async function checkStored(daemon: TestDaemon, session: Known): Promise<void> {
  const stored = new Set<string>();
  for (let next: number | undefined = session.seen; next !== undefined; ) {
    const answer = await daemon.request(`/v1/sessions/${session.id}/changes?since=${next}`);
    const page = answer.body as { changes: { syncId: number; message?: { content: string } }[]; next?: number };
    expect(page.changes.map(({ syncId }) => syncId)).toEqual(page.changes.map((_, at) => session.seen + 1 + at));
    session.seen = page.changes.at(-1)?.syncId ?? session.seen;
    for (const { message } of page.changes) if (message !== undefined) stored.add(message.content);
    next = page.next;
  }
  expect(session.acknowledged.filter((content) => !stored.has(content))).toEqual([]);
  session.acknowledged = [];
}

it(`S-80 keeps all that was acknowledged and leaves nothing behind, told to end ${rounds} times under load`, {
  timeout: 60_000 + rounds * 12_000,
}, async (context) => {
  const directory = temporaryDirectory();
  const workspace = join(directory, 'workspace');
  const stateDirectory = join(directory, 'state');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'a.ts'), "import { b } from './b.ts';\n");
  const sessions: Known[] = [];
  let acknowledged = 0;
  let longestMs = 0;
  for (let round = 0; round < rounds; round += 1) {
    writeFileSync(join(workspace, 'b.ts'), `export const b = ${round};\n`);
    const daemon = await startDaemon({ stateDirectory, grantRoots: [workspace], env: ownCompileCache });
    expect((await daemon.request('/v1/status')).body).toMatchObject({ warnings: [] });
    if (sessions.length === 0) {
      await daemon.request('/v1/agents/a', { method: 'PUT', body: { name: 'A' } });
      for (let at = 0; at < writers / 2; at += 1) {
        const { body } = await daemon.request('/v1/sessions', { body: { agentId: 'a' } });
        sessions.push({ id: (body as { id: string }).id, seen: 1, acknowledged: [] });
      }
    }
    for (const session of sessions) await checkStored(daemon, session);
    const load = burden(daemon, sessions, workspace);
    await until(() => sessions.every((session) => session.acknowledged.length > 0));
    const { child, exited } = daemon.process;
    const children = await until(() => {
      const found = childProcesses(child.pid, '');
      return found.length > 0 ? found : undefined;
    });
    await delay(((round * 37) % 10) * 20);
    const signal = signals[round % signals.length] as (typeof signals)[number];
    const from = performance.now();
    child.kill(signal === 'twice' ? 'SIGTERM' : signal);
    if (signal === 'twice') {
      await until(() => daemon.process.output.stderr.includes('stopping'));
      child.kill('SIGTERM');
    }
    expect(await exited, signal).toMatchObject({ code: 0 });
    const tookMs = performance.now() - from;
    expect(tookMs, signal).toBeLessThan(6_000);
    longestMs = Math.max(longestMs, tookMs);
    await load.ended;
    // Told to come again, or cut off with it.
    expect(load.refused.filter((status) => status !== 503)).toEqual([]);
    await until(() => !children.some(isRunning), 2_000);
    expect(existsSync(join(stateDirectory, 'daemon.json'))).toBe(false);
    if (signal !== 'twice') {
      expect(readdirSync(stateDirectory).sort()).toEqual(afterwards);
      expect(load.streams).not.toContain('cut');
    }
    acknowledged += sessions.reduce((sum, session) => sum + session.acknowledged.length, 0);
    await daemon.stop();
  }
  await using daemon = await startDaemon({ stateDirectory, env: ownCompileCache });
  for (const session of sessions) await checkStored(daemon, session);
  expect(acknowledged).toBeGreaterThan(rounds * writers);
  tellMeasured(context, `${acknowledged} acknowledged writes, the longest end ${Math.round(longestMs)} ms`);
});

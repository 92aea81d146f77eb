/** What is answered about a session that another caller deletes while it is read (SE-03, S-67). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { SessionReader } from '../../src/ports/store/session.ts';
import type { Store } from '../../src/ports/store/store.ts';
import type { SessionVerbs } from '../../src/session/session-verbs.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { createExample, type TestSessions } from './support/sessions.ts';

const readers = ['session', 'sessions', 'changes', 'request', 'requests', 'texts'] as const;

/** A store that does something before one of its reads of sessions. `reads` counts them. */
function createWatchedStore(): { store: Store; reads: number; beforeRead: { at: number; work(): Promise<void> } } {
  const store = createMemoryStore();
  const watched = { reads: 0, beforeRead: { at: Number.POSITIVE_INFINITY, work: async () => {} } };
  const reading = readers.map((name) => [
    name,
    async (...args: never[]) => {
      watched.reads += 1;
      if (watched.reads === watched.beforeRead.at) await watched.beforeRead.work();
      return (store.sessions[name] as (...args: never[]) => Promise<unknown>)(...args);
    },
  ]);
  const sessions = { ...store.sessions, ...(Object.fromEntries(reading) as SessionReader) };
  return Object.assign(watched, { store: { ...store, sessions } });
}

type Ask = (sessions: TestSessions['sessions'], id: string, requestId: string) => Promise<unknown>;
const questions: Record<string, Ask> = {
  get: (sessions, id) => sessions.get(id),
  'changes since the beginning': (sessions, id) => sessions.changes(id, {}),
  'changes since the first': (sessions, id) => sessions.changes(id, { since: 1 }),
  'past requests': (sessions, id) => sessions.listRequests(id, {}),
  'a past request': (sessions, id, requestId) => sessions.getRequest(id, requestId),
};

describe.each(Object.entries(questions))('%s of a session', (_name, ask) => {
  it('SE-03 S-67 is answered as a whole, or refused as not found, whenever the session is deleted', async () => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      const watched = createWatchedStore();
      const { sessions, session } = await createExample({ store: watched.store });
      const appendMessages: Parameters<SessionVerbs['patch']>[1]['appendMessages'] = [{ role: 'user', content: 'hi' }];
      await sessions.patch(session.id, { appendMessages });
      const { requestId } = await sessions.request(session.id, { message: 'q' });
      const whole = await ask(sessions, session.id, requestId);
      watched.reads = 0;
      watched.beforeRead = {
        at,
        async work() {
          await sessions.delete(session.id);
          for (let turn = 0; turn < 20; turn += 1) await nextTurn();
        },
      };
      const answer = await ask(sessions, session.id, requestId).catch(({ code }) => code);
      isOver = watched.reads < at;
      expect(answer, `deleted before read ${at}`).toEqual(isOver ? whole : 'not_found');
      expect(await watched.store.warnings()).toEqual([]);
    }
  });
});

/** Reads and changes stored sessions. A change never overwrites one of another client (SE-03, S-67). */
import { randomBytes } from 'node:crypto';
import { ContextdError } from '../errors.ts';
import { type Caller, mayUse } from '../ports/caller.ts';
import type { ExpectedVersion } from '../ports/expected-version.ts';
import type { Clock } from '../ports/ports.ts';
import type {
  SessionReader,
  SessionStore,
  SessionWriter,
  StoredChange,
  StoredSession,
} from '../ports/store/session.ts';
import { fixedLimits } from '../settings.ts';
import type { Message } from './message.ts';
import { replyText } from './reply-text.ts';
import { type SessionState, stateOf } from './session.ts';
import type { KeptMessage } from './session-messages.ts';

const limits = fixedLimits.sessions;

/** 128 random bits (S-16). */
export function newId(): string {
  return randomBytes(16).toString('hex');
}

type Changes = Omit<StoredChange, 'syncId' | 'at'>[];

/** What a change of a session can use; see `SessionRecords.change`. */
export type ChangeContext = {
  session: StoredSession;
  writer: SessionWriter;
  at: string;
  /** Adds changes, and returns the number of the last one. */
  append(changes: Changes): Promise<number>;
};

export type SessionRecords = Readonly<{
  /** Throws `not_found`, with the same message for every id that is not a session of the caller (S-16). */
  get(id: string): Promise<StoredSession>;
  /**
   * Runs `look` on a session. Never returns parts of a deleted session: throws `not_found` also if it was deleted
   * meanwhile.
   */
  read<Result>(id: string, look: (session: StoredSession) => Promise<Result>): Promise<Result>;
  /** Like `get`, but returns undefined instead of throwing. Inside a write, `reader` is its writer. */
  find(id: string, reader?: SessionReader): Promise<StoredSession | undefined>;
  /** Inside a write: throws `limit_exceeded` if the sessions of the caller are larger than its quota. */
  checkQuota(writer: SessionWriter): Promise<void>;
  /**
   * Runs `work` inside a write of the store. It sees the present session, can append changes and set `session.state`.
   * When it resolves, the changes are safely stored; when it throws, nothing has changed. Throws `not_found`,
   * `limit_exceeded`, and `version_mismatch` if the session does not have the expected version.
   */
  change<Result>(
    id: string,
    expected: ExpectedVersion,
    work: (context: ChangeContext) => Promise<Result>,
  ): Promise<{ result: Result; session: StoredSession; changed: boolean }>;
}>;

/** The sessions of a caller. `quotaBytes` applies to agent tokens. `onChange` is called after the commit. */
export function createSessionRecords(ports: {
  caller: Caller;
  store: SessionStore;
  clock: Clock;
  quotaBytes: number;
  onChange(session: StoredSession): void;
}): SessionRecords {
  const { caller, store, clock, quotaBytes, onChange } = ports;
  const find = async (id: string, reader: SessionReader = store): Promise<StoredSession | undefined> => {
    const session = await reader.session(id);
    return session !== undefined && mayUse(caller, session.ownerId) ? session : undefined;
  };
  const get = async (id: string, reader: SessionReader = store): Promise<StoredSession> => {
    const session = await find(id, reader);
    if (session === undefined) throw new ContextdError('not_found', 'There is no session with this id.');
    return session;
  };
  const checkQuota = async (writer: SessionWriter): Promise<void> => {
    if (caller.scope === 'user' || (await writer.owned(caller.tokenId)).bytes <= quotaBytes) return;
    const most = `${Math.floor(quotaBytes / 1024 ** 2)} MiB`;
    throw new ContextdError(
      'limit_exceeded',
      `All sessions of one token may hold at most ${most}. The user can delete some.`,
    );
  };
  return Object.freeze({
    get: (id) => get(id),
    async read(id, look) {
      const session = await get(id);
      try {
        return await look(session);
      } finally {
        // The data of a deleted session is deleted in parts, so `look` may have seen only some of it.
        await get(id);
      }
    },
    find,
    checkQuota,
    async change(id, expected, work) {
      const outcome = await store.write(async (writer) => {
        const session = await get(id, writer);
        checkVersion(session, expected);
        const before = session.lastSyncId;
        const at = new Date(clock.now()).toISOString();
        const append = async (changes: Changes): Promise<number> => {
          for (const { type, data } of changes) {
            session.lastSyncId += 1;
            if (type === 'message') {
              session.messages += 1;
              session.state = noteMessage(stateOf(session), (data as KeptMessage).message);
            }
            const bytes = await writer.insertChange(id, { syncId: session.lastSyncId, at, type, data });
            session.bytes += bytes;
          }
          return session.lastSyncId;
        };
        const result = await work({ session, writer, at, append });
        checkBounds(session);
        const changed = session.lastSyncId !== before;
        if (changed) {
          await writer.updateSession(session);
          await checkQuota(writer);
        }
        return { result, session, changed };
      });
      if (outcome.changed) onChange(outcome.session);
      return outcome;
    },
  } satisfies SessionRecords);
}

/** The state after a message. It remembers the first message with text of the user, for lists. */
function noteMessage(state: SessionState, message: Message): SessionState {
  if (state.firstMessage !== undefined || message.role !== 'user') return state;
  const text = typeof message.content === 'string' ? message.content : (replyText(message) ?? '');
  const { firstMessageCharacters } = limits;
  // Cuts a long text first, so that nothing looks at all of its characters.
  const line = text
    .slice(0, 8 * firstMessageCharacters)
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const firstMessage = [...line].slice(0, firstMessageCharacters).join('').toWellFormed();
  return firstMessage === '' ? state : { ...state, firstMessage };
}

function checkVersion({ lastSyncId }: StoredSession, expected: ExpectedVersion): void {
  if (!expected(String(lastSyncId)))
    throw new ContextdError(
      'version_mismatch',
      `The session has changed since you read it. Its version is now "${lastSyncId}".`,
    );
}

function checkBounds({ messages, lastSyncId }: StoredSession): void {
  const isFull = messages > limits.messages || lastSyncId > limits.changes;
  if (!isFull) return;
  const most = `${limits.messages} messages and ${limits.changes} changes`;
  throw new ContextdError(
    'limit_exceeded',
    `A session can have at most ${most}. Continue in a new session with this one as its parent.`,
  );
}

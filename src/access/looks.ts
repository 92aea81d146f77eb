/**
 * What a run saw of the disk. The result of a run depends only on the answers to its questions. If all answers are
 * still the same, a new run would have the same result, so it is not needed (CC-36).
 */
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import { createPause } from '../pace/turns.ts';
import type { FileRefusal, FileStat, Files, Leases } from '../ports/ports.ts';
import { directoriesDown, parentPath } from './paths.ts';

type Stat = Awaited<ReturnType<Files['stat']>>;
type RealPath = Awaited<ReturnType<Files['realPath']>>;
/** The paths that were asked about, and for each answer the signature, the real path, or the code of the refusal. */
type Seen = Readonly<{ paths: readonly string[]; answers: readonly string[] }>;
export type Looks = Readonly<{ stat: Seen; realPath: Seen }>;

/** Records what the gate and policies ask through `record`. */
export type LookRecorder = Readonly<{
  record(files: Files): Files;
  /** Something that was read or listed is valid for this run only, because a later change might not show. */
  spoil(): void;
  /** Undefined after `spoil`, after a failed read or list, a hash, a disk error, or two answers to one question. */
  looks(): Looks | undefined;
}>;

export function countLooks({ stat, realPath }: Looks): number {
  return stat.paths.length + realPath.paths.length;
}

export function createLookRecorder(): LookRecorder {
  const seen = { stat: new Map<string, string>(), realPath: new Map<string, string>() };
  let isWhole = true;
  const note = <Given extends Stat | RealPath>(verb: keyof Looks, path: string, answer: Given): Given => {
    const said = told(answer);
    if ((seen[verb].get(path) ?? said) !== said || said === 'io_error') isWhole = false;
    seen[verb].set(path, said);
    return answer;
  };
  const spoil = (): void => {
    isWhole = false;
  };
  /** Records the signature with which something was read. A later look compares it. */
  const noteRead = <Given extends { ok: true; stat: FileStat } | FileRefusal>(path: string, answer: Given): Given => {
    if (answer.ok) note('stat', path, answer.stat);
    else spoil();
    return answer;
  };
  return {
    spoil,
    record: (files) => ({
      ...files,
      stat: async (path) => note('stat', path, await files.stat(path)),
      statSoon(path) {
        const answer = files.statSoon(path);
        return answer instanceof Promise ? answer.then((each) => note('stat', path, each)) : note('stat', path, answer);
      },
      realPath: async (path) => note('realPath', path, await files.realPath(path)),
      list: async (path, options) => noteRead(path, await files.list(path, options)),
      read: async (path, options) => noteRead(path, await files.read(path, options)),
      hash(...asked) {
        spoil();
        return files.hash(...asked);
      },
    }),
    looks() {
      if (!isWhole) return undefined;
      const seenBy = (verb: keyof Looks): Seen => ({
        paths: [...seen[verb].keys()],
        answers: [...seen[verb].values()],
      });
      return { stat: seenBy('stat'), realPath: seenBy('realPath') };
    },
  };
}

const shared = { maxWeight: 4 * 1024 * 1024, maxEntries: 200 };

/** Makes equal looks one object. Requests that differ only in what is not on the disk see the same. */
export function createSharedLooks(): (looks: Looks) => Looks {
  const known = createBoundedCache<Looks>(shared);
  return (looks) => {
    const key = JSON.stringify(looks);
    const same = known.get(key) ?? looks;
    if (same === looks) known.set(key, looks, 2 * key.length);
    return same;
  };
}

type Looking = Pick<Files, 'stat' | 'realPath'>;

/** Looks that several runs share. Each question is asked once. */
export type LookRound = Looking &
  Readonly<{
    /** Called when another run joins. */
    share(): void;
    /** Whether everything that was seen is unchanged. Asked once for each object. */
    stillHolds(looks: Looks): Promise<boolean>;
  }>;

type RoundFiles = Pick<Files, 'statSoon' | 'realPath' | 'namesAreExact'>;

/**
 * `current` returns the round of this turn of the event loop. All runs that begin in this turn share it. A later
 * request could come after the first look of the round, so each new request calls `end` first.
 */
export type LookRounds = Readonly<{ current(): LookRound; end(): void }>;

export function createLookRounds(files: RoundFiles, leases?: Leases): LookRounds {
  let round: LookRound | undefined;
  const end = (): void => {
    round = undefined;
  };
  return {
    end,
    current() {
      if (round === undefined) {
        round = createLookRound(files, leases);
        setImmediate(end);
      } else round.share();
      return round;
    },
  };
}

const lookedAtOnce = 256;

export function createLookRound({ statSoon, realPath, namesAreExact }: RoundFiles, leases?: Leases): LookRound {
  const sinceMs = performance.now();
  const stats = new Map<string, ReturnType<Files['statSoon']>>();
  const lookAt = onceForEach(statSoon, stats);
  /** Storing each answer costs a fifth of a look, so answers are stored only when a second run joins. */
  let unwritten: { paths: readonly string[]; asked: readonly ReturnType<Files['statSoon']>[] }[] | undefined = [];
  const lookAtAll = (paths: readonly string[]) => {
    const asked = paths.map((path) => (unwritten === undefined ? lookAt(path) : (stats.get(path) ?? statSoon(path))));
    unwritten?.push({ paths, asked });
    return asked;
  };
  /** Directories that are not links and have no links above them. */
  const plain = new Set(['/']);

  /**
   * A path without links is its own real path. Looking at each of its directories is cheaper than asking for the real
   * path.
   */
  const placeOf = async (path: string): Promise<RealPath> => {
    if (!namesAreExact) return realPath(path);
    let top = path;
    while (!plain.has(top)) top = parentPath(top);
    for (const directory of directoriesDown(top, path)) {
      const looking = lookAt(directory);
      // One after the other, because each look at a dead mount keeps a thread busy.
      const stat = looking instanceof Promise ? await looking : looking;
      if (!stat.ok || stat.kind === 'symlink') return !stat.ok && stat.code === 'not_found' ? stat : realPath(path);
      plain.add(directory);
    }
    return { ok: true, realPath: path };
  };
  const round: Looking = { stat: async (path) => lookAt(path), realPath: onceForEach(placeOf) };
  const isUnchanged = async (looks: Looks): Promise<boolean> => {
    const { stat, realPath } = looks;
    if (await leases?.hold(looks)) return true;
    const renew = leases?.take(looks, { stat: stat.paths, realPath: realPath.paths }, sinceMs);
    const pause = createPause();
    // First, because they look at directories, and remember them for the other questions.
    for (const [index, path] of realPath.paths.entries()) {
      if (told(await round.realPath(path)) !== realPath.answers[index]) return false;
      const turn = pause();
      if (turn) await turn;
    }
    for (let at = 0; at < stat.paths.length; at += lookedAtOnce) {
      const asked = lookAtAll(stat.paths.slice(at, at + lookedAtOnce));
      const now = asked.some((answer) => answer instanceof Promise) ? await Promise.all(asked) : (asked as Stat[]);
      if (now.some((answer, index) => told(answer) !== stat.answers[at + index])) return false;
      const turn = pause();
      if (turn) await turn;
    }
    renew?.();
    return true;
  };
  return Object.freeze({
    ...round,
    share() {
      for (const { paths, asked } of unwritten ?? [])
        for (const [index, path] of paths.entries()) stats.set(path, asked[index] as ReturnType<Files['statSoon']>);
      unwritten = undefined;
    },
    stillHolds: onceForEach(isUnchanged, new WeakMap()),
  });
}

/** An answer as it is compared. */
function told(answer: Stat | RealPath): string {
  if (!answer.ok) return answer.code;
  return 'realPath' in answer ? answer.realPath : answer.signature;
}

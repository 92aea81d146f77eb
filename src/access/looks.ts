/**
 * What a run saw by looking alone. What a run makes of the disk depends on the answers to its questions: where all of these
 * are as they were, the run would end as it did, and need not take place (CC-36).
 */
import type { Pause } from '../pace/turns.ts';
import type { Files } from '../ports/ports.ts';
import { directoriesBetween } from './paths.ts';

type Stat = Awaited<ReturnType<Files['stat']>>;
type RealPath = Awaited<ReturnType<Files['realPath']>>;
/** Questions, and what each answer tells: the signature or the real path, or why there is none. */
type Seen = Readonly<{ paths: readonly string[]; answers: readonly string[] }>;
export type Looks = Readonly<{ stat: Seen; realPath: Seen }>;

/** What gate and policies ask goes through `record`. */
export type LookRecorder = Readonly<{
  record(files: Files): Files;
  /** Undefined where something had to be read, where the disk failed, or where one question got two answers. */
  looks(): Looks | undefined;
}>;

const lookedAtOnce = 256;

function told(answer: Stat | RealPath): string {
  if (!answer.ok) return answer.code;
  return 'realPath' in answer ? answer.realPath : answer.signature;
}

/** How many looks there are. */
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
  return {
    record: (files) => ({
      ...files,
      stat: async (path) => note('stat', path, await files.stat(path)),
      async statAll(paths) {
        const answers = await files.statAll(paths);
        return answers.map((answer, index) => note('stat', paths[index] as string, answer));
      },
      realPath: async (path) => note('realPath', path, await files.realPath(path)),
      list(...asked) {
        isWhole = false;
        return files.list(...asked);
      },
      read(...asked) {
        isWhole = false;
        return files.read(...asked);
      },
      hash(...asked) {
        isWhole = false;
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

type Looking = Pick<Files, 'stat' | 'realPath'>;

/** Looks that several runs share; each question is asked once. */
export type LookRound = Looking &
  Readonly<{
    /** Whether what was seen is still so. */
    stillHolds(looks: Looks, pause: Pause): Promise<boolean>;
  }>;

type RoundFiles = Pick<Files, 'statAll' | 'realPath' | 'namesAreExact'>;

/**
 * `current` gives the round of this turn of the event loop, which all runs share that begin in it. What begins later may have
 * been asked for after its first look: who asks for something ends it before.
 */
export type LookRounds = Readonly<{ current(): LookRound; end(): void }>;

export function createLookRounds(files: RoundFiles): LookRounds {
  let round: LookRound | undefined;
  const end = (): void => {
    round = undefined;
  };
  return {
    end,
    current() {
      if (round === undefined) {
        round = createLookRound(files);
        setImmediate(end);
      }
      return round;
    },
  };
}

function createLookRound({ statAll, realPath, namesAreExact }: RoundFiles): LookRound {
  const lookAt = createSharedLooks(statAll);
  const realPaths = new Map<string, ReturnType<Files['realPath']>>();

  /** Without a link on the way a path is the real one; a look at each directory on it is cheaper than asking for that. */
  const placeOf = async (path: string): Promise<RealPath> => {
    if (namesAreExact) {
      const odd = (await lookAt(directoriesBetween('/', path))).find((stat) => !stat.ok || stat.kind === 'symlink');
      if (odd === undefined) return { ok: true, realPath: path };
      if (!odd.ok && odd.code === 'not_found') return odd;
    }
    return realPath(path);
  };
  const round: Looking = {
    stat: async (path) => (await lookAt([path]))[0] as Stat,
    realPath(path) {
      const asked = realPaths.get(path) ?? placeOf(path);
      realPaths.set(path, asked);
      return asked;
    },
  };
  return Object.freeze({
    ...round,
    async stillHolds({ stat, realPath }: Looks, pause: Pause) {
      for (let at = 0; at < stat.paths.length; at += lookedAtOnce) {
        const now = await lookAt(stat.paths.slice(at, at + lookedAtOnce));
        if (now.some((answer, index) => told(answer) !== stat.answers[at + index])) return false;
        const turn = pause();
        if (turn) await turn;
      }
      for (const [index, path] of realPath.paths.entries()) {
        if (told(await round.realPath(path)) !== realPath.answers[index]) return false;
        const turn = pause();
        if (turn) await turn;
      }
      return true;
    },
  });
}

/** Looks at paths in one go, those aside that were looked at before. */
function createSharedLooks(statAll: Files['statAll']): (paths: readonly string[]) => Promise<readonly Stat[]> {
  const seen = new Map<string, Stat | Promise<Stat>>();
  return async (paths) => {
    const unseen = paths.filter((path) => !seen.has(path));
    const asked = unseen.length === 0 ? [] : statAll(unseen);
    for (const [index, path] of unseen.entries())
      seen.set(
        path,
        asked instanceof Promise ? asked.then((answers) => answers[index] as Stat) : (asked[index] as Stat),
      );
    const answers = paths.map((path) => seen.get(path) as Stat | Promise<Stat>);
    return answers.some((answer) => answer instanceof Promise) ? Promise.all(answers) : (answers as Stat[]);
  };
}

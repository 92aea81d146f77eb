/**
 * What a run saw by looking alone. What a run makes of the disk depends on the answers to its questions: where all of these
 * are as they were, the run would end as it did, and need not take place (CC-36).
 */
import type { Pause } from '../pace/turns.ts';
import type { FileRefusal, FileStat, Files } from '../ports/ports.ts';

type Verb = 'stat' | 'realPath';
type Answer = Awaited<ReturnType<Files[Verb]>>;
/** One question and what the answer tells: the signature or the real path, or why there is none. */
type Look = Readonly<{ verb: Verb; path: string; answer: string }>;
export type Looks = readonly Look[];

/** What gate and policies ask goes through `record`. */
export type LookRecorder = Readonly<{
  record(files: Files): Files;
  /** Undefined where something had to be read, where the disk failed, or where one question got two answers. */
  looks(): Looks | undefined;
}>;

const lookedAtOnce = 256;

function told(answer: Answer): string {
  if (!answer.ok) return answer.code;
  return 'realPath' in answer ? answer.realPath : answer.signature;
}

export function createLookRecorder(): LookRecorder {
  const seen = { stat: new Map<string, string>(), realPath: new Map<string, string>() };
  let isWhole = true;
  const note = <Given extends FileStat | { ok: true; realPath: string } | FileRefusal>(
    verb: Verb,
    path: string,
    answer: Given,
  ): Given => {
    const said = told(answer);
    if ((seen[verb].get(path) ?? said) !== said || said === 'io_error') isWhole = false;
    seen[verb].set(path, said);
    return answer;
  };
  return {
    record: (files) => ({
      ...files,
      stat: async (path) => note('stat', path, await files.stat(path)),
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
      return (['stat', 'realPath'] as const).flatMap((verb) =>
        [...seen[verb]].map(([path, answer]): Look => ({ verb, path, answer })),
      );
    },
  };
}

type Looking = Pick<Files, Verb>;

/** Looks that several runs share; each question is asked once. */
export type LookRound = Looking &
  Readonly<{
    /** Whether what was seen is still so. */
    stillHolds(looks: Looks, pause: Pause): Promise<boolean>;
  }>;

/**
 * Gives the round of this turn of the event loop. Runs that begin in the same turn share it: all of them were asked for before
 * its first look.
 */
export function createLookRounds(files: Looking): () => LookRound {
  let current: LookRound | undefined;
  return () => {
    if (current === undefined) {
      current = createLookRound(files);
      setImmediate(() => (current = undefined));
    }
    return current;
  };
}

function createLookRound(files: Looking): LookRound {
  const asked = {
    stat: new Map<string, ReturnType<Files['stat']>>(),
    realPath: new Map<string, ReturnType<Files['realPath']>>(),
  };
  const said = { stat: new Map<string, string>(), realPath: new Map<string, string>() };
  const stat = (path: string): ReturnType<Files['stat']> => once(asked.stat, path, files.stat);
  const realPath = (path: string): ReturnType<Files['realPath']> => once(asked.realPath, path, files.realPath);
  const round = { stat, realPath };
  return Object.freeze({
    ...round,
    async stillHolds(looks: Looks, pause: Pause) {
      for (let at = 0; at < looks.length; at += lookedAtOnce) {
        const some = looks.slice(at, at + lookedAtOnce);
        for (const { verb, path } of some) void round[verb](path);
        for (const { verb, path, answer } of some) {
          let now = said[verb].get(path);
          if (now === undefined) {
            now = told(await round[verb](path));
            said[verb].set(path, now);
          }
          if (now !== answer) return false;
        }
        const turn = pause();
        if (turn) await turn;
      }
      return true;
    },
  });
}

function once<Value>(known: Map<string, Promise<Value>>, path: string, ask: (path: string) => Promise<Value>) {
  const asked = known.get(path) ?? ask(path);
  known.set(path, asked);
  return asked;
}

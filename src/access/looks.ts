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

/** Whether what was seen is still so. */
export type LookRound = Readonly<{ stillHolds(looks: Looks, pause: Pause): Promise<boolean> }>;

/**
 * Gives the round of this turn of the event loop. Runs that begin in the same turn share its looks: all of them were asked for
 * before its first one.
 */
export function createLookRounds(files: Pick<Files, Verb>): () => LookRound {
  let current: LookRound | undefined;
  return () => {
    if (current === undefined) {
      current = createLookRound(files);
      setImmediate(() => (current = undefined));
    }
    return current;
  };
}

function createLookRound(files: Pick<Files, Verb>): LookRound {
  const seen = {
    stat: new Map<string, string | Promise<string>>(),
    realPath: new Map<string, string | Promise<string>>(),
  };
  const look = ({ verb, path }: Look): string | Promise<string> => {
    const known = seen[verb].get(path);
    if (known !== undefined) return known;
    const asked = (async () => {
      const said = told(await files[verb](path));
      seen[verb].set(path, said);
      return said;
    })();
    seen[verb].set(path, asked);
    return asked;
  };
  return {
    async stillHolds(looks, pause) {
      for (let at = 0; at < looks.length; at += lookedAtOnce) {
        const some = looks.slice(at, at + lookedAtOnce);
        const answers = some.map(look);
        for (const [index, answer] of answers.entries())
          if ((typeof answer === 'string' ? answer : await answer) !== some[index]?.answer) return false;
        const turn = pause();
        if (turn) await turn;
      }
      return true;
    },
  };
}

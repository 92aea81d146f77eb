/**
 * Files of which each call ends (S-40, S-71). A call about a mount whose server is gone may never end by itself. It
 * also keeps a thread busy, and all reading shares few threads.
 */
import type { FileRefusal, FileStat, Files } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { directoriesBetween, parentPath } from './paths.ts';

/**
 * `order`: of its begin. `ticks`: its age. `late`: as soon as it counts as late, tells the others whether it was
 * answered.
 */
type Call = {
  path: string;
  order: number;
  ticks: number;
  late?: PromiseWithResolvers<boolean>;
  refuse(refusal: FileRefusal): void;
};

const refused: FileRefusal = Object.freeze({ ok: false, code: 'io_error' });
const { tickMs, lateTicks, lastTick } = fixedLimits.silentDisks;

/**
 * `isSilent`: whether a call would wait because an earlier one at or above this path is not answered. `holdThreads`:
 * whether there are such calls at all. The process cannot end by itself then.
 */
export type EndingFiles = Files & { isSilent(absolutePath: string): boolean; holdThreads(): boolean };

/**
 * A call that is not answered in time ends with `io_error`. While it is late, calls at or below its path do not begin:
 * they wait for it, and end with it if it is never answered. A hash may take `maxMs` longer.
 */
export function createEndingFiles(files: Files): EndingFiles {
  const { isSilent, holdThreads, mayBegin, watch } = createCalls((path) => files.stat(path));
  const ask = <Answer>(path: string, begin: () => Promise<Answer>, mayTakeMs = 0): Promise<Answer | FileRefusal> =>
    isSilent(path)
      ? mayBegin(path).then((may) => (may ? watch(path, begin(), mayTakeMs) : refused))
      : watch(path, begin(), mayTakeMs);
  /** An answer that is there at once needs no watch. */
  const statSoon: Files['statSoon'] = (path) => {
    if (isSilent(path)) return ask(path, () => files.stat(path));
    const answer = files.statSoon(path);
    return answer instanceof Promise ? watch(path, answer) : answer;
  };
  return {
    ...files,
    isSilent,
    holdThreads,
    stat: async (path) => statSoon(path),
    statSoon,
    realPath: (path) => ask(path, () => files.realPath(path)),
    list: (path, options) => ask(path, () => files.list(path, options)),
    read: (path, options) => ask(path, () => files.read(path, options)),
    hash: (path, options) => ask(path, () => files.hash(path, options), options.maxMs),
  };
}

/**
 * The calls under way. `watch` passes on the answer, or refuses. `mayBegin` waits for late calls at or above the path;
 * false if the disk does not answer them at all.
 */
function createCalls(look: Files['stat']) {
  const calls = new Set<Call>();
  /** Whether the disk answered late calls, by their paths. */
  const late = new Map<string, Promise<boolean>>();
  let timer: NodeJS.Timeout | undefined;
  let begun = 0;
  /** Of the calls that were answered since the last tick while later ones waited. */
  let oldestAnswered = Number.POSITIVE_INFINITY;

  const silentAbove = (path: string): Promise<boolean>[] =>
    late.size === 0 ? [] : directoriesBetween('/', path).flatMap((directory) => late.get(directory) ?? []);

  const isSilent = (path: string): boolean => silentAbove(path).length > 0;

  const tickSoon = (): void => {
    timer = setTimeout(age, tickMs).unref();
  };
  const remove = (call: Call): void => {
    calls.delete(call);
    if (calls.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  };
  const age = (): void => {
    for (const call of calls) {
      // If a call before it was answered, it may only be waiting for its turn.
      call.ticks = call.order > oldestAnswered ? Math.min(call.ticks, 0) : call.ticks + 1;
      if (call.ticks === lateTicks && call.late === undefined) becomeLate(call);
      if (call.ticks === lastTick) giveUp(call);
    }
    oldestAnswered = Number.POSITIVE_INFINITY;
    timer = undefined;
    if (calls.size > 0) tickSoon();
  };
  const becomeLate = (call: Call): void => {
    call.late = Promise.withResolvers();
    late.set(call.path, call.late.promise);
    void findTop(call.path);
  };
  const giveUp = (call: Call): void => {
    remove(call);
    call.late?.resolve(false);
    call.refuse(refused);
  };
  const end = (call: Call): void => {
    remove(call);
    if (call.order < begun) oldestAnswered = Math.min(oldestAnswered, call.order);
    if (call.late === undefined) return;
    call.late.resolve(true);
    if (late.get(call.path) === call.late.promise) late.delete(call.path);
  };
  /** `mayTakeMs`: how long it may take before its age counts. Below 0 if the time of the caller is over. */
  const watch = <Answer>(path: string, answer: Promise<Answer>, mayTakeMs = 0): Promise<Answer | FileRefusal> =>
    new Promise((resolve, reject) => {
      begun += 1;
      const ticks = -Math.ceil(Math.max(0, mayTakeMs) / tickMs);
      const call: Call = { path, order: begun, ticks, refuse: resolve };
      calls.add(call);
      if (timer === undefined) tickSoon();
      const pass = (given: Answer): void => {
        end(call);
        resolve(given);
      };
      const fail = (error: unknown): void => {
        end(call);
        reject(error);
      };
      answer.then(pass, fail);
    });
  const findTop = createTopSearch({
    isLate: (directory) => late.has(directory),
    look: (directory) => watch(directory, look(directory)),
  });
  return {
    isSilent,
    holdThreads: () => late.size > 0,
    watch,
    mayBegin: async (path: string): Promise<boolean> => !(await Promise.all(silentAbove(path))).includes(false),
  };
}

/**
 * Looks at the directories above a late call, from the top down. The first one that does not answer becomes late
 * itself.
 */
function createTopSearch({ isLate, look }: { isLate(directory: string): boolean; look: Files['stat'] }) {
  const looks = new Map<string, Promise<FileStat | FileRefusal>>();
  return async (path: string): Promise<void> => {
    for (const directory of directoriesBetween('/', parentPath(path))) {
      if (isLate(directory)) return;
      const looking = looks.get(directory) ?? look(directory);
      looks.set(directory, looking);
      const stat = await looking;
      looks.delete(directory);
      if (!stat.ok) return;
    }
  };
}

/**
 * Files of which each call ends (S-40, S-71). A call about a mount whose server is gone may never end by itself. It
 * also keeps a thread busy, and all reading shares few threads.
 */
import type { FileRefusal, Files } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { directoriesBetween, parentPath } from './paths.ts';

/** `ticks`: its age. `late`: as soon as it counts as late, tells the others whether it was answered. */
type Call = { path: string; ticks: number; late?: PromiseWithResolvers<boolean>; giveUp(): void };

const refused: FileRefusal = Object.freeze({ ok: false, code: 'io_error' });
const { tickMs, lateTicks, lastTick } = fixedLimits.silentDisks;

/** `isSilent`: whether a call would wait because an earlier one at or above this path is not answered. */
export type EndingFiles = Files & { isSilent(absolutePath: string): boolean };

/**
 * A call that is not answered in time ends with `io_error`. While it is late, calls at or below its path do not begin:
 * they wait for it, and end with it if it is never answered. A hash has a time limit of its own.
 */
export function createEndingFiles(files: Files): EndingFiles {
  const { isSilent, mayBegin, watch } = createCalls((path) => files.stat(path));
  const ask = async <Answer>(path: string, begin: () => Promise<Answer>): Promise<Answer | FileRefusal> =>
    (await mayBegin(path)) ? watch(path, begin()) : refused;
  const stat: Files['stat'] = (path) => ask(path, () => files.stat(path));
  return {
    ...files,
    isSilent,
    stat,
    statSoon(path) {
      if (isSilent(path)) return stat(path);
      const answer = files.statSoon(path);
      return answer instanceof Promise ? watch(path, answer) : answer;
    },
    realPath: (path) => ask(path, () => files.realPath(path)),
    list: (path, options) => ask(path, () => files.list(path, options)),
    read: (path, options) => ask(path, () => files.read(path, options)),
    hash: async (path, options) => ((await mayBegin(path)) ? files.hash(path, options) : refused),
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

  const silentAbove = (path: string): Promise<boolean>[] =>
    late.size === 0 ? [] : directoriesBetween('/', path).flatMap((directory) => late.get(directory) ?? []);
  const isSilent = (path: string): boolean => silentAbove(path).length > 0;

  const age = (): void => {
    for (const call of calls) {
      call.ticks += 1;
      if (call.ticks === lateTicks) becomeLate(call);
      if (call.ticks === lastTick) call.giveUp();
    }
    timer = setTimeout(age, tickMs).unref();
    stopIfIdle();
  };
  const stopIfIdle = (): void => {
    if (calls.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  };
  const becomeLate = (call: Call): void => {
    call.late = Promise.withResolvers();
    late.set(call.path, call.late.promise);
    void findTop(call.path);
  };
  /** Looks at the directories above, from the top down. The first one that does not answer becomes late itself. */
  const findTop = async (path: string): Promise<void> => {
    for (const directory of directoriesBetween('/', parentPath(path))) {
      if (late.has(directory)) return;
      const stat = await watch(directory, look(directory));
      if (!stat.ok) return;
    }
  };
  const watch = <Answer>(path: string, answer: Promise<Answer>): Promise<Answer | FileRefusal> =>
    new Promise((resolve, reject) => {
      const call: Call = {
        ...{ path, ticks: 0 },
        giveUp() {
          calls.delete(call);
          call.late?.resolve(false);
          resolve(refused);
        },
      };
      const end = (): void => {
        calls.delete(call);
        stopIfIdle();
        if (call.late === undefined) return;
        call.late.resolve(true);
        if (late.get(path) === call.late.promise) late.delete(path);
      };
      calls.add(call);
      timer ??= setTimeout(age, tickMs).unref();
      answer.then(resolve, reject).finally(end);
    });
  return {
    isSilent,
    watch,
    mayBegin: async (path: string): Promise<boolean> =>
      !isSilent(path) || !(await Promise.all(silentAbove(path))).includes(false),
  };
}

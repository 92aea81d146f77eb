/**
 * Parses source text in a process that starts at first need and ends when it has been idle for a while. A process and not
 * a thread: deeply nested text overflows the stack of a native parser, which ends the process it runs in.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ParsedSource, ParseFailure, type SourceLanguage } from '../../ports/parsed-source.ts';
import type { SourceParser } from '../../ports/ports.ts';
import { fixedLimits } from '../../settings.ts';

export type ParseOrder = { id: number; language: SourceLanguage; text: string };
/** `loaded` comes first when the parser of the language had to be loaded. */
export type ParseAnswer = { id: number; loaded?: true; parsed?: ParsedSource; problem?: string };

type Source = { language: SourceLanguage; text: string };
type Waiting = {
  since: number;
  source: Source;
  resolve(parsed: ParsedSource): void;
  reject(failure: ParseFailure): void;
};
type Options = {
  /** How long one text may take, once the parser of its language is loaded. */
  timeoutMs?: number;
  /** How long the process may take to start and to load the parser of a language. */
  loadMs?: number;
  /** How long a text may wait for those before it. */
  waitMs?: number;
  /** How long the process is kept without work. */
  idleMs?: number;
  /** Another program than the parser, for tests of what it may do. */
  program?: string;
};

const heapMegabytes = 512;

/**
 * What a program that reads texts of others is held to: it may read itself and the packages beside it, and neither write nor
 * start anything (S-79). The addon is the parser.
 */
function confinement(program: string): string[] {
  const packages = createRequire(import.meta.url).resolve.paths('oxc-parser') ?? [];
  const readable = [
    program,
    dirname(dirname(import.meta.dirname)),
    ...packages.filter((path) => /[/\\]node_modules$/u.test(path)),
  ];
  return ['--permission', '--allow-addons', ...readable.map((path) => `--allow-fs-read=${path}`)];
}

/** One text at a time, so that a crash or a timeout is known to be that text's. */
export function createProcessSourceParser(options: Options = {}): SourceParser {
  const { timeoutMs = fixedLimits.sources.parseMs, loadMs = 10_000, waitMs = 4_000, idleMs = 5 * 60_000 } = options;
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const program = options.program ?? fileURLToPath(new URL(`./source-parser-process.${extension}`, import.meta.url));
  const queue: Waiting[] = [];
  const loaded = new Set<SourceLanguage>();
  let child: ChildProcess | undefined;
  let current: (Waiting & { id: number }) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastId = 0;
  const counted = { starts: 0, failures: 0 };

  const stop = (): void => {
    const stopping = child;
    child = undefined;
    loaded.clear();
    stopping?.removeAllListeners();
    // What a process that is being killed still has to say would have no listener.
    stopping?.on('error', () => {});
    stopping?.kill('SIGKILL');
  };
  const settle = (outcome: ParsedSource | ParseFailure): void => {
    clearTimeout(timer);
    const settled = current;
    current = undefined;
    if (outcome instanceof ParseFailure) settled?.reject(outcome);
    else settled?.resolve(outcome);
    next();
  };
  const fail = (code: ParseFailure['code'], message: string): void => {
    counted.failures += 1;
    stop();
    settle(new ParseFailure(code, message));
  };
  const giveUpAfter = (limitMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => fail('parse_timeout', `Parsing took longer than ${limitMs} ms.`), limitMs);
  };
  const start = (): ChildProcess => {
    counted.starts += 1;
    const started = fork(program, [], {
      env: {},
      execArgv: [`--max-old-space-size=${heapMegabytes}`, ...confinement(program)],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.on('message', (answer: ParseAnswer) => {
      if (answer.id !== current?.id) return;
      if (answer.loaded) {
        loaded.add(current.source.language);
        giveUpAfter(timeoutMs);
        return;
      }
      settle(answer.parsed ?? new ParseFailure('parse_failed', answer.problem ?? 'The parser gave no reason.'));
    });
    const broken = (): void => {
      if (child === started) fail('parse_failed', 'The parser broke down.');
    };
    started.on('error', broken).on('exit', broken);
    return started;
  };
  const next = (): void => {
    if (current !== undefined) return;
    let waiting = queue.shift();
    for (; waiting && performance.now() - waiting.since > waitMs; waiting = queue.shift())
      waiting.reject(new ParseFailure('parse_timeout', `The parser was busy for more than ${waitMs} ms.`, false));
    if (waiting === undefined) {
      setReferenced(child, false);
      timer = setTimeout(stop, idleMs);
      timer.unref();
      return;
    }
    clearTimeout(timer);
    child ??= start();
    // Only while somebody waits does it keep this process alive.
    setReferenced(child, true);
    lastId += 1;
    current = { ...waiting, id: lastId };
    giveUpAfter(loaded.has(waiting.source.language) ? timeoutMs : loadMs);
    child.send({ id: lastId, ...waiting.source } satisfies ParseOrder, (error) => {
      if (error) fail('parse_failed', 'The parser cannot be reached.');
    });
  };

  return {
    parse(source) {
      return new Promise((resolve, reject) => {
        queue.push({ since: performance.now(), source, resolve, reject });
        next();
      });
    },
    figures: () => ({ ...counted }),
    dispose() {
      clearTimeout(timer);
      const stopped = new ParseFailure('parse_failed', 'The parser was stopped.', false);
      for (const waiting of queue.splice(0)) waiting.reject(stopped);
      stop();
      current?.reject(stopped);
      current = undefined;
    },
  };
}

function setReferenced(child: ChildProcess | undefined, referenced: boolean): void {
  const channel = child?.channel;
  if (referenced) {
    child?.ref();
    channel?.ref();
  } else {
    child?.unref();
    channel?.unref();
  }
}

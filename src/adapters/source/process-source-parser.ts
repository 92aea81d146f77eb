/**
 * Parses source text in a separate process, which starts when it is first needed and ends when it is idle. A thread
 * would not be enough: deeply nested text overflows the stack of a native parser, which ends its process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { type ParsedSource, ParseFailure, type SourceLanguage } from '../../ports/parsed-source.ts';
import type { SourceParser } from '../../ports/ports.ts';
import { fixedLimits } from '../../settings.ts';

export type ParseOrder = { id: number; language: SourceLanguage; text: string };
/**
 * `loaded` comes first if the parser of the language had to be loaded. `isSpent`: the process has taken too much memory,
 * which it never gives back, or can parse no more.
 */
export type ParseAnswer = { id: number; loaded?: true; parsed?: ParsedSource; problem?: string; isSpent?: true };

type Source = { language: SourceLanguage; text: string };
type Waiting = {
  since: number;
  source: Source;
  resolve(parsed: ParsedSource): void;
  reject(failure: ParseFailure): void;
};
type Options = {
  /** Max time for one text, after the parser of its language is loaded. */
  timeoutMs?: number;
  /** Max time to start the process and to load the parser of a language. */
  loadMs?: number;
  /** Max time that a text waits for earlier ones. */
  waitMs?: number;
  /** How long an idle process is kept. */
  idleMs?: number;
  /** Another program instead of the parser, for tests. */
  program?: string;
};

const heapMegabytes = 512;
/** A built program is one directory without folders. */
const isBuilt = import.meta.url.endsWith('.js');

/**
 * Restrictions for a program that reads texts of others: it may read itself and, in a clone, the packages, and may not
 * write or start anything (S-79). Addons are allowed, because the parser is one.
 */
function confinement(program: string): string[] {
  const packages = createRequire(import.meta.url).resolve.paths('oxc-parser') ?? [];
  const readable = isBuilt
    ? [program, import.meta.dirname]
    : [program, dirname(dirname(import.meta.dirname)), ...packages.filter((path) => /[/\\]node_modules$/u.test(path))];
  return ['--permission', '--allow-addons', ...readable.map((path) => `--allow-fs-read=${path}`)];
}

/** The process, the text that it parses, and the waiting texts. */
function createParserState(options: Options) {
  const { timeoutMs = fixedLimits.sources.parseMs, loadMs = 10_000, waitMs = 4_000, idleMs = 5 * 60_000 } = options;
  const name = `./source-parser-process.${isBuilt ? 'js' : 'ts'}`;
  const program = options.program ?? fileURLToPath(new URL(name, import.meta.url));
  return {
    timeoutMs,
    loadMs,
    waitMs,
    idleMs,
    program,
    queue: [] as Waiting[],
    loaded: new Set<SourceLanguage>(),
    child: undefined as ChildProcess | undefined,
    current: undefined as (Waiting & { id: number }) | undefined,
    timer: undefined as NodeJS.Timeout | undefined,
    lastId: 0,
    counted: { starts: 0, failures: 0 },
  };
}
type ParserState = ReturnType<typeof createParserState>;

/** Parses one text at a time, so that a crash or a timeout clearly belongs to one text. */
export function createProcessSourceParser(options: Options = {}): SourceParser {
  const parser = createParserState(options);

  return {
    parse(source) {
      return new Promise((resolve, reject) => {
        parser.queue.push({ since: performance.now(), source, resolve, reject });
        next(parser);
      });
    },
    figures: () => ({ ...parser.counted }),
    dispose() {
      clearTimeout(parser.timer);
      const stopped = new ParseFailure('parse_failed', 'The parser was stopped.', false);
      for (const waiting of parser.queue.splice(0)) waiting.reject(stopped);
      stop(parser);
      parser.current?.reject(stopped);
      parser.current = undefined;
    },
  };
}

function stop(parser: ParserState): void {
  const stopping = parser.child;
  parser.child = undefined;
  parser.loaded.clear();
  stopping?.removeAllListeners();
  // Late errors of a process that is being killed would have no listener.
  stopping?.on('error', () => {});
  stopping?.kill('SIGKILL');
}

function settle(parser: ParserState, outcome: ParsedSource | ParseFailure): void {
  clearTimeout(parser.timer);
  const settled = parser.current;
  parser.current = undefined;
  if (outcome instanceof ParseFailure) settled?.reject(outcome);
  else settled?.resolve(outcome);
  next(parser);
}

function fail(parser: ParserState, code: ParseFailure['code'], message: string): void {
  parser.counted.failures += 1;
  stop(parser);
  settle(parser, new ParseFailure(code, message));
}

function giveUpAfter(parser: ParserState, limitMs: number): void {
  clearTimeout(parser.timer);
  parser.timer = setTimeout(() => fail(parser, 'parse_timeout', `Parsing took longer than ${limitMs} ms.`), limitMs);
}

function start(parser: ParserState): ChildProcess {
  parser.counted.starts += 1;
  const options = [`--max-old-space-size=${heapMegabytes}`, ...confinement(parser.program)];
  const started = fork(parser.program, [], {
    // The single executable takes these options only from the environment.
    env: isSea() ? { NODE_OPTIONS: options.map((option) => JSON.stringify(option)).join(' ') } : {},
    execArgv: isSea() ? [] : options,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  started.on('message', (answer: ParseAnswer) => {
    if (answer.id !== parser.current?.id) return;
    if (answer.loaded) {
      parser.loaded.add(parser.current.source.language);
      giveUpAfter(parser, parser.timeoutMs);
      return;
    }
    if (answer.isSpent) stop(parser);
    settle(parser, answer.parsed ?? new ParseFailure('parse_failed', answer.problem ?? 'The parser gave no reason.'));
  });
  const broken = (): void => {
    if (parser.child === started) fail(parser, 'parse_failed', 'The parser crashed.');
  };
  started.on('error', broken).on('exit', broken);
  return started;
}

function next(parser: ParserState): void {
  if (parser.current !== undefined) return;
  let waiting = parser.queue.shift();
  for (; waiting && performance.now() - waiting.since > parser.waitMs; waiting = parser.queue.shift())
    waiting.reject(new ParseFailure('parse_timeout', `The parser was busy for more than ${parser.waitMs} ms.`, false));
  if (waiting === undefined) {
    setReferenced(parser.child, false);
    parser.timer = setTimeout(() => stop(parser), parser.idleMs);
    parser.timer.unref();
    return;
  }
  clearTimeout(parser.timer);
  parser.child ??= start(parser);
  // The child keeps the daemon alive only while somebody waits.
  setReferenced(parser.child, true);
  parser.lastId += 1;
  parser.current = { ...waiting, id: parser.lastId };
  giveUpAfter(parser, parser.loaded.has(waiting.source.language) ? parser.timeoutMs : parser.loadMs);
  parser.child.send({ id: parser.lastId, ...waiting.source } satisfies ParseOrder, (error) => {
    if (error) fail(parser, 'parse_failed', 'The parser cannot be reached.');
  });
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

/** The outputs of the log: standard error, or a file in the state directory, which is kept short (S-83). */
import {
  constants,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { fixedLimits } from '../../settings.ts';

/**
 * `write` takes whole lines and never throws. The lines are written when it returns, or, if it delays them, when
 * `flush` returns.
 */
export type LogOutput = { write(lines: string): void; flush?(): void };

type LogBounds = { bytes: number; files: number };

/** The level of a warning in pino. */
export const warningLevel = 40;
const lineFeed = 0x0a;

/**
 * Writes lines to a descriptor. Lines that cannot be written, for example because the disk is full, are counted and
 * dropped.
 */
export function writeLines(descriptor: number, onWritten: (bytes: number) => void = () => {}): LogOutput {
  let lost = 0;
  let isBroken = false;
  /** The report of lost lines, before the next lines. */
  const preface = (): string => {
    if (lost === 0) return '';
    const msg = 'lines of the log could not be written';
    const report = { level: warningLevel, time: Date.now(), pid: process.pid, lost, msg };
    return `${isBroken ? '\n' : ''}${JSON.stringify(report)}\n`;
  };
  return {
    write(lines) {
      const before = preface();
      const text = Buffer.from(`${before}${lines}`);
      const begin = Buffer.byteLength(before);
      let written = 0;
      try {
        while (written < text.length) written += writeSync(descriptor, text, written);
        lost = 0;
        isBroken = false;
      } catch {
        if (written >= begin) lost = 0;
        lost += text.subarray(Math.max(written, begin)).filter((byte) => byte === lineFeed).length;
        isBroken = written > 0 ? text[written - 1] !== lineFeed : isBroken;
      }
      onWritten(written);
    },
  };
}

/** How long a line waits, in milliseconds, and max delayed characters. */
const delayed = { ms: 20, characters: 64 * 1024 };

/**
 * Delays lines, and writes them to `output` together. For a quick request, writing its own line would take a tenth of
 * the time. Call `flush` before the process ends: only a process that is killed loses the lines that wait.
 */
export function writeTogether(output: LogOutput): Required<LogOutput> {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === '') return;
    output.write(waiting);
    waiting = '';
  };
  return {
    flush,
    write(lines) {
      timer ??= setTimeout(flush, delayed.ms).unref();
      waiting += lines;
      if (waiting.length > delayed.characters) flush();
    },
  };
}

/** Whether a descriptor is the file at `path`. */
export function isOpenAs(descriptor: number, path: string): boolean {
  try {
    const [open, named] = [fstatSync(descriptor), lstatSync(path)];
    return named.isFile() && open.ino === named.ino && open.dev === named.dev;
  } catch {
    return false;
  }
}

/**
 * Appends lines to the file at `path`. Older lines are in `<path>.1` and so on. The file is emptied, never replaced,
 * because it is also the standard error of the process, where Node.js writes fatal errors.
 */
export function openLogFile(path: string, bounds: LogBounds = fixedLimits.log): LogOutput {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const descriptor = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  let size = fstatSync(descriptor).size;
  const output = writeLines(descriptor, (bytes) => {
    size += bytes;
  });
  const rotate = (): void => {
    try {
      keepCopy(path, bounds.files);
    } catch {
      // If there is no space for older lines, they are lost.
    }
    ftruncateSync(descriptor);
    size = 0;
  };
  return {
    write(lines) {
      try {
        if (size > 0 && size + Buffer.byteLength(lines) > bounds.bytes) rotate();
      } catch {
        // Better a file that grows than a daemon that ends.
      }
      output.write(lines);
    },
  };
}

/**
 * Writes to the log file a moment later, or to standard error at once. Standard error may be a pipe: a pipe takes a short
 * line whole or not at all, but may take a part of many lines.
 */
export function openLog(logFile: string | undefined): LogOutput {
  return logFile === undefined ? writeLines(2) : writeTogether(openLogFile(logFile));
}

function keepCopy(path: string, files: number): void {
  const named = (age: number) => `${path}.${age}`;
  rmSync(named(files - 1), { force: true });
  for (let age = files - 2; age >= 1; age -= 1) {
    if (lstatSync(named(age), { throwIfNoEntry: false }) !== undefined) renameSync(named(age), named(age + 1));
  }
  try {
    copyFileSync(path, named(1), constants.COPYFILE_FICLONE);
  } catch (error) {
    rmSync(named(1), { force: true });
    throw error;
  }
}

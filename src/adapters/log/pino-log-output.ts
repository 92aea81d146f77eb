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

/** `write` takes a whole line and never throws. */
export type LogOutput = { write(line: string): void };

type LogBounds = { bytes: number; files: number };

/** The level of a warning in pino. */
const warningLevel = 40;
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
    write(line) {
      const before = preface();
      const text = Buffer.from(`${before}${line}`);
      const begin = Buffer.byteLength(before);
      let written = 0;
      try {
        while (written < text.length) written += writeSync(descriptor, text, written);
        lost = 0;
        isBroken = false;
      } catch {
        lost = written >= begin ? 1 : lost + 1;
        isBroken = written > 0 ? text[written - 1] !== lineFeed : isBroken;
      }
      onWritten(written);
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
    write(line) {
      try {
        if (size > 0 && size + Buffer.byteLength(line) > bounds.bytes) rotate();
      } catch {
        // Better a file that grows than a daemon that ends.
      }
      output.write(line);
    },
  };
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

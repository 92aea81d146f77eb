/** The log as it is written: bounded lines, bounded files, and never the end of the daemon. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { boundLogLine } from '../../src/adapters/log/pino-log-line.ts';
import { isOpenAs, openLogFile, writeLines } from '../../src/adapters/log/pino-log-output.ts';
import { createPinoLogger } from '../../src/adapters/log/pino-logger.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const secret = 'tKq3Zr0pX5yW8uN1mB4vC7xL2sD6fG9hJ0aE3iO5kQ8';
const steering = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

function createSink() {
  const lines: string[] = [];
  return {
    lines,
    logger: createPinoLogger({ level: 'trace', secrets: [secret], output: { write: (line) => lines.push(line) } }),
  };
}

function expectSound(line: string): Record<string, unknown> {
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(8 * 1024);
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(line).not.toMatch(steering);
  expect(line).not.toContain(secret);
  return JSON.parse(line);
}

describe('a line', () => {
  const hostile = [
    '\n{"level":60,"msg":"forged"}\n',
    '\u001b[2J\u001b[31m',
    '\u009b31m',
    '\u202egpj.exe',
    '\u2028',
    '\ud800',
    secret,
  ];

  it.each(hostile)('S-84 is one line of JSON of at most 8 KiB, whatever is in it: %j', (text) => {
    const { lines, logger } = createSink();
    for (const long of [text, text.repeat(100), text.padEnd(1_000_000, '"'), text.repeat(40_000)]) {
      logger.info({ path: long, list: [long, { [long]: long }] }, `about ${long}`);
      logger.error({ err: new Error(long) }, 'failed');
    }
    expect(lines).toHaveLength(8);
    for (const line of lines) {
      const entry = expectSound(line);
      expect([30, 50]).toContain(entry.level);
      if (Buffer.byteLength(line) < 1_000 && entry.truncated !== true && text !== secret && text !== '\ud800')
        expect(JSON.stringify(entry)).toContain(JSON.stringify(text).slice(1, -1));
    }
    expect(lines.slice(4).every((line) => JSON.parse(line).truncated)).toBe(true);
  });

  it('S-84 is so for any fields', () => {
    fc.assert(
      fc.property(
        fc.object({ maxDepth: 4, key: fc.string({ unit: 'binary' }) }),
        fc.string({ unit: 'binary', maxLength: 5_000 }),
        (fields, text) => {
          const { lines, logger } = createSink();
          logger.warn({ fields, text }, text);
          expect(lines).toHaveLength(1);
          expectSound(lines[0] as string);
        },
      ),
      { numRuns: 500, seed: 1 },
    );
  });

  it('S-84 keeps what it says at its beginning, also when it has too many fields to be shown', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`field-${at}`, Array(20).fill('x'.repeat(500))]),
    );
    const line = boundLogLine(
      `${JSON.stringify({ level: 40, time: 1, pid: 2, ...fields, msg: 'm'.repeat(5_000) })}\n`,
      [secret],
    );
    expect(expectSound(line)).toEqual({ level: 40, time: 1, pid: 2, msg: `${'m'.repeat(200)}…`, truncated: true });
  });
});

describe('the log file', () => {
  const bounds = { bytes: 2_000, files: 5 };
  const path = () => join(directory, 'contextd.log');
  const names = () => readdirSync(directory).sort();
  const entries = (name: string) =>
    readFileSync(join(directory, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { number: number });

  it('S-83 is followed by four older ones at most, none of them larger than it may be', () => {
    const log = openLogFile(path(), bounds);
    for (let number = 0; number < 1_000; number += 1)
      log.write(`${JSON.stringify({ number, filler: 'x'.repeat(50) })}\n`);
    const kept = ['contextd.log', 'contextd.log.1', 'contextd.log.2', 'contextd.log.3', 'contextd.log.4'];
    expect(names()).toEqual(kept);
    for (const name of kept) {
      expect(statSync(join(directory, name)).size).toBeLessThanOrEqual(bounds.bytes);
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    }
    // The last lines, none missing, none twice.
    const numbers = kept.toReversed().flatMap((name) => entries(name).map(({ number }) => number));
    expect(numbers.at(-1)).toBe(999);
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] as number) + at));
    expect(numbers.length).toBeGreaterThan(100);
  });

  it('S-83 goes on where an earlier run has stopped', () => {
    writeFileSync(path(), `{"number":-1,"filler":"${'x'.repeat(1_900)}"}\n`);
    const log = openLogFile(path(), bounds);
    log.write(`{"number":0}\n`);
    log.write(`{"number":1,"filler":"${'x'.repeat(200)}"}\n`);
    expect(entries('contextd.log.1').map(({ number }) => number)).toEqual([-1, 0]);
    expect(entries('contextd.log').map(({ number }) => number)).toEqual([1]);
  });

  it('S-08 is not opened where a link was planted', () => {
    const target = join(directory, 'target');
    writeFileSync(target, 'precious');
    execFileSync('ln', ['-s', target, path()]);
    expect(() => openLogFile(path(), bounds)).toThrow();
    expect(isOpenAs(2, path())).toBe(false);
  });

  it('S-83 receives what Node.js writes when the process dies, also after it was emptied', () => {
    const program = `
      const { isOpenAs, openLogFile } = await import(${JSON.stringify(new URL('../../src/adapters/log/pino-log-output.ts', import.meta.url).href)});
      if (!isOpenAs(2, ${JSON.stringify(path())})) process.exit(1);
      const log = openLogFile(${JSON.stringify(path())}, { bytes: 2000, files: 5 });
      for (let number = 0; number < 300; number += 1) log.write(JSON.stringify({ number, filler: 'x'.repeat(50) }) + '\\n');
      throw new Error('the last words');`;
    const descriptor = openSync(path(), constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600);
    const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'ignore', descriptor],
    });
    closeSync(descriptor);
    expect(status).toBe(1);
    const text = readFileSync(path(), 'utf8');
    expect(text).toContain('{"number":299,');
    expect(text).toContain('Error: the last words');
    expect(text).not.toContain('\0');
    expect(names()).toContain('contextd.log.4');
  });
});

describe('a log that cannot be written', () => {
  it('S-71 S-83 loses lines, and nothing else happens', () => {
    const descriptor = openSync('/dev/full', 'w');
    const output = writeLines(descriptor);
    for (let count = 0; count < 1_000; count += 1) output.write('{"level":30}\n');
    closeSync(descriptor);
    output.write('{"level":30}\n');
  });

  // A pipe takes a part of lines of more than 4,096 bytes.
  it.each([1_500, 6_000])(
    'S-84 says how many lines of %i characters are missing when it can be written again, and stays lines of JSON',
    (characters) => {
      const pipe = join(directory, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
      const output = writeLines(descriptor);
      const sent = 500;
      const lineOf = (number: number) => `${JSON.stringify({ number, filler: 'x'.repeat(characters) })}\n`;
      for (let number = 0; number < sent; number += 1) output.write(lineOf(number));
      const drain = (): string => {
        const buffer = Buffer.alloc(1 << 20);
        let text = '';
        try {
          for (;;) text += buffer.toString('utf8', 0, readSync(descriptor, buffer));
        } catch {
          return text;
        }
      };
      const before = drain();
      output.write('{"number":-1}\n');
      const lines = (before + drain()).trimEnd().split('\n');
      closeSync(descriptor);
      const parsed = lines.flatMap((line) => {
        try {
          return [JSON.parse(line) as { number?: number; lost?: number }];
        } catch {
          return [];
        }
      });
      // At most the line in the middle of which the pipe was full.
      expect(lines.length - parsed.length).toBeLessThanOrEqual(1);
      expect(parsed.at(-1)).toEqual({ number: -1 });
      const lost = parsed.at(-2)?.lost ?? 0;
      expect(lost).toBeGreaterThan(100);
      expect(parsed.filter(({ number = -1 }) => number >= 0).length + lost).toBe(sent);
    },
  );
});

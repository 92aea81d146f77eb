import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createProcessSourceParser } from '../../../src/adapters/source/process-source-parser.ts';
import type { SourceParser } from '../../../src/ports/ports.ts';
import { childProcesses } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const directory = temporaryDirectory();

const parsers: SourceParser[] = [];
afterEach(() => {
  for (const parser of parsers.splice(0)) parser.dispose();
});

function createParser(options: Parameters<typeof createProcessSourceParser>[0] = {}): SourceParser {
  const parser = createProcessSourceParser(options);
  parsers.push(parser);
  return parser;
}

/** A program in the place of the parser, that knows a text by what it holds. */
function createHostileParser(options: { timeoutMs?: number; loadMs?: number; waitMs?: number } = {}): SourceParser {
  const program = join(directory, 'program.mjs');
  const answers = `process.on('message', ({ id, text }) => {
    if (text !== 'asleep') process.send({ id, loaded: true });
    if (text === 'asleep') return;
    if (text === 'kill') process.kill(process.pid, 'SIGKILL');
    else if (text === 'exit') process.exit(3);
    else if (text === 'hang') for (;;);
    else if (text === 'memory') { const kept = []; for (;;) kept.push(new Array(1e6).fill(kept.length)); }
    else process.send({ id, isSpent: text === 'large' || undefined, parsed: { imports: [], definitions: [{ name: text, startLine: 1, endLine: 1, text: '' }] } });
  });`;
  writeFileSync(program, answers);
  return createParser({ program, ...options });
}

const parseNames = async (parser: SourceParser, text: string): Promise<string[]> => {
  const { definitions } = await parser.parse({ language: 'typescript', text });
  return definitions.map(({ name }) => name);
};

describe('parser process', () => {
  it('RT-02 parses each language it knows', async () => {
    const parser = createParser();
    expect(await parseNames(parser, 'export const a = 1;')).toEqual(['a']);
    const { imports } = await parser.parse({ language: 'python', text: 'from a import b\n' });
    expect(imports).toHaveLength(1);
  });

  it.each(['kill', 'exit'])('RT-04 a process that ends (%s) costs only the text that it ended at', async (end) => {
    const parser = createHostileParser();
    const [before, failed, after] = await Promise.allSettled([
      parseNames(parser, 'one'),
      parseNames(parser, end),
      parseNames(parser, 'two'),
    ]);
    expect(before).toMatchObject({ value: ['one'] });
    expect(failed).toMatchObject({ reason: { code: 'parse_failed' } });
    expect(after).toMatchObject({ value: ['two'] });
  });

  it('RT-04 a parser that never answers is given up, and the next text has a new one', async () => {
    const parser = createHostileParser({ timeoutMs: 500 });
    const [failed, after] = await Promise.allSettled([parseNames(parser, 'hang'), parseNames(parser, 'two')]);
    expect(failed).toMatchObject({ reason: { code: 'parse_timeout' } });
    expect(after).toMatchObject({ value: ['two'] });
  });

  it('RT-04 a text does not wait for long behind others, and it is not its fault', async () => {
    const parser = createHostileParser({ timeoutMs: 300, waitMs: 100 });
    await parseNames(parser, 'one');
    const [slow, waiting] = await Promise.allSettled([parseNames(parser, 'hang'), parseNames(parser, 'two')]);
    expect(slow).toMatchObject({ reason: { code: 'parse_timeout', isOfText: true } });
    expect(waiting).toMatchObject({ reason: { code: 'parse_timeout', isOfText: false } });
    expect(await parseNames(parser, 'three')).toEqual(['three']);
  });

  it('RT-04 a parser that never starts to work is given up', async () => {
    const parser = createHostileParser({ loadMs: 50 });
    await expect(parseNames(parser, 'asleep')).rejects.toMatchObject({ code: 'parse_timeout' });
  });

  it('RT-04 text that is nested so deeply that it overflows the stack of the parser is refused', async () => {
    // Each ends a process, of which the next one starts slowly on a busy machine.
    const parser = createParser({ timeoutMs: 30_000, loadMs: 30_000, waitMs: 30_000 });
    const deep = await Promise.allSettled(
      ['(', '[', '{', 'a=>'].map((each) => parseNames(parser, each.repeat(100_000))),
    );
    for (const each of deep) expect(each).toMatchObject({ status: 'rejected', reason: { code: 'parse_failed' } });
    expect(await parseNames(parser, 'export const a = 1;')).toEqual(['a']);
  });

  it('RT-04 survives that its process is killed from outside', async () => {
    const running = () => childProcesses(process.pid, 'source-parser-process');
    const others = new Set(running());
    const parser = createParser();
    expect(await parseNames(parser, 'export const a = 1;')).toEqual(['a']);
    const own = running().filter((pid) => !others.has(pid));
    expect(own).toHaveLength(1);
    for (const pid of own) process.kill(pid, 'SIGKILL');
    const outcomes = await Promise.allSettled([parseNames(parser, 'let b'), parseNames(parser, 'let c')]);
    // The first may have met the process before or after its end.
    expect(outcomes[1]).toMatchObject({ value: ['c'] });
  });

  // The first of these texts can be parsed, with much memory. The second takes more than there may be, long before its time is over.
  it.each([3_000, 40_000])('S-79 S-83 gives back the memory that %i types were made to take', async (count) => {
    const parser = createParser({ timeoutMs: 20_000, loadMs: 30_000 });
    const source = { language: 'java', text: 'a<b<'.repeat(count) } as const;
    await parser.parse(source).catch(() => {});
    const ownProcesses = () => childProcesses(process.pid, 'source-parser-process');
    await expect.poll(ownProcesses).toEqual([]);
    const { definitions } = await parser.parse({ language: 'java', text: 'class A {}\n' });
    expect(definitions.map(({ name }) => name)).toEqual(['A']);
    expect(ownProcesses()).toHaveLength(1);
    expect(parser.figures().starts).toBe(2);
  });

  it.runIf(process.platform === 'linux')('S-83 takes memory for the parsers only once', async () => {
    const parser = createParser();
    const addressesAfter = async (language: 'python' | 'go'): Promise<number> => {
      await parser.parse({ language, text: 'x = 1\n' });
      const [pid] = childProcesses(process.pid, 'source-parser-process');
      return Number(/^VmSize:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    };
    const first = await addressesAfter('python');
    expect((await addressesAfter('go')) / first).toBeLessThan(1.2);
  });

  it('S-83 keeps the process while functions of its parser are optimized, which takes much memory for a while', async () => {
    const parser = createParser();
    const text = 'func add(_ a: Int, to b: [String: Int]) -> Int { return b.map { $0.value + a }.first ?? 0 }\n';
    for (let run = 0; run < 20; run += 1) await parser.parse({ language: 'swift', text: text.repeat(300) });
    expect(parser.figures()).toEqual({ starts: 1, failures: 0 });
  });

  it('S-83 replaces a process that says that it has become too large, after its answer', async () => {
    const parser = createHostileParser();
    const found = await Promise.all(['one', 'large', 'two'].map((text) => parseNames(parser, text)));
    expect(found).toEqual([['one'], ['large'], ['two']]);
    expect(parser.figures()).toEqual({ starts: 2, failures: 0 });
  });

  it('S-79 may read no file but its own, write none, and start nothing', async () => {
    const secret = join(directory, 'secret.txt');
    const written = join(directory, 'written.txt');
    writeFileSync(secret, 'secret');
    const program = join(directory, 'curious.mjs');
    const attempts = {
      read: `fs.readFileSync(${JSON.stringify(secret)})`,
      list: `fs.readdirSync(${JSON.stringify(directory)})`,
      write: `fs.writeFileSync(${JSON.stringify(written)}, '')`,
      start: `child.spawnSync('true').error && (() => { throw child.spawnSync('true').error })()`,
      thread: `new threads.Worker('0', { eval: true })`,
      nothing: `0`,
    };
    const tries = Object.entries(attempts).map(
      ([name, code]) => `try { ${code}; names.push('${name}') } catch (error) { names.push(error.code) }`,
    );
    writeFileSync(
      program,
      `import fs from 'node:fs'; import child from 'node:child_process'; import threads from 'node:worker_threads';
      process.on('message', ({ id }) => {
        const names = [];
        ${tries.join('\n')}
        process.send({ id, parsed: { imports: [], definitions: names.map((name) => ({ name })) } });
      });`,
    );
    expect(await parseNames(createParser({ program }), '')).toEqual([...Array(5).fill('ERR_ACCESS_DENIED'), 'nothing']);
  });

  it('RT-04 refuses what was asked when it is stopped, and lets its process go when it is idle', async () => {
    const parser = createParser({ idleMs: 1 });
    const waiting = parseNames(parser, 'let a');
    parser.dispose();
    await expect(waiting).rejects.toMatchObject({ code: 'parse_failed' });
    expect(await parseNames(parser, 'let b')).toEqual(['b']);
    expect(await parseNames(parser, 'let c')).toEqual(['c']);
  });
});

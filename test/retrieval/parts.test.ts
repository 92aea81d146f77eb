import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTokenCounts } from '../../src/budget/token-counts.ts';
import { globOf } from '../../src/context/candidate.ts';
import { ParseFailure } from '../../src/ports/parsed-source.ts';
import { joinParts, partOf } from '../../src/retrieval/fetch.ts';
import { createParsedSources } from '../../src/retrieval/parsed-sources.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createInProcessParser } from '../support/in-process-parser.ts';
import { project } from '../support/workspace.ts';
import { active, add, leftOut, open, two } from './support/retrieving.ts';

describe('parts of a file', () => {
  it('RT-02 are told once: what a definition holds is not told again', () => {
    const outer = { startLine: 1, endLine: 4, text: 'class A {\n  one() {}\n  two() {}\n}' };
    const one = { startLine: 2, endLine: 2, text: '  one() {}' };
    const hidden = { startLine: 3, endLine: 3, text: '  two(x) {}' };
    expect(partOf([one, outer, outer])).toEqual({ content: outer.text, range: { startLine: 1, endLine: 4 } });
    expect(partOf([hidden, outer])?.content).toBe(`${outer.text}\n\n${hidden.text}`);
    const after = { content: 'after', range: { startLine: 9, endLine: 12 }, truncated: true };
    const before = { content: 'before', range: { startLine: 1, endLine: 2 } };
    const lines = (gap: string): string => `a\nb\n\n\n${gap}\n\n\n\nc`;
    expect(joinParts([after, before], lines(''))).toEqual({
      content: 'before\n\nafter',
      truncated: true,
      range: { startLine: 1, endLine: 12 },
    });
    expect(joinParts([after, before], lines('left out')).content).toBe('before\n\n…\n\nafter');
  });

  it('RT-02 a mark stands where lines between definitions are left out', async () => {
    const lib = 'export const a = 1;\n\n\nexport const b = 2;\nexport const c = 3;\nexport const d = 4;\n';
    const { retrieve } = await open({ 'src/lib.ts': lib });
    const { items } = await retrieve(active("import { a, b, d } from './lib.ts';\n"));
    expect(items[0]?.content).toBe('export const a = 1;\n\nexport const b = 2;\n\n…\n\nexport const d = 4;');
  });

  it('RT-02 what the query finds in an imported file goes with what is imported from it', async () => {
    const filler = Array.from({ length: 60 }, (_, at) => `export const filler${at} = ${at};\n`).join('');
    const rounding = '/** Rounds prices half to even, as banks do. */\nexport const roundPrice = 1;\n';
    const { retrieve } = await open({ 'src/lib.ts': `${two}\n${filler}\n${rounding}` });
    const request = { ...active("import { one } from './lib.ts';\n"), query: 'how are prices rounded' };
    const { items } = await retrieve(request);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ origin: 'import', range: { startLine: 1, endLine: 67 } });
    expect(items[0]?.content).toMatch(/^export function one\(\): void \{\}\n\n[\s\S]*Rounds prices/u);
    expect(items[0]?.content).not.toContain('filler10');
  });

  it('RT-04 a file that is not there is said not to be there', async () => {
    const { retrieve } = await open({});
    const { omitted } = await retrieve({ openTabs: ['gone.md'] });
    expect(omitted[0]?.reason).toEqual({ code: 'not_found', detail: 'there is no such file' });
  });

  it('RT-04 an import that leads to no file says so', async () => {
    const { retrieve } = await open({});
    const { omitted } = await retrieve(active("import { a } from './gone.ts';\n"));
    expect(omitted[0]?.reason.detail).toBe('line 1 imports "./gone.ts", which does not exist');
    const script = await retrieve(active('. "$1"\n', 'src/active.sh'));
    expect(script.omitted[0]?.reason.detail).toBe('line 1 imports "$1", which is known only when it runs');
  });

  it('RT-06 S-45 no more folders are looked at than files may be taken', async () => {
    const folders = Array.from({ length: 6 }, (_, at) => `f${at}`);
    const files = folders.flatMap((folder) => Array.from({ length: 500 }, (_, at) => `${folder}/${at}.md`));
    const workspace = await open(Object.fromEntries(files.map((path) => [path, 'x'])));
    for (const folder of folders) await add(workspace, 'folder', folder);
    const result = await workspace.retrieve({});
    expect(result.items).toHaveLength(2_000);
    expect(leftOut(result)).toEqual(['supplementary f4 limit_reached', 'supplementary f5 limit_reached']);
  });
});

describe('parsed sources', () => {
  const nothing = { imports: [], definitions: [] };

  it('RT-04 what is known already takes no time', async () => {
    const sources = createParsedSources({ parse: async () => nothing }, createFakeClock());
    const tooLate = (): void => {
      throw new ParseFailure('parse_timeout', 'It is too late.');
    };
    await expect(sources.parse({ text: 'a' }, 'c', tooLate)).rejects.toMatchObject({ code: 'parse_timeout' });
    await sources.parse({ text: 'a' }, 'c');
    expect(await sources.parse({ text: 'a' }, 'c', tooLate)).toBe(nothing);
  });

  it('S-83 what they take is counted by what they say, not by their length alone', async () => {
    let parsed = 0;
    const definition = { name: 'a', startLine: 1, endLine: 1, text: '' };
    const parse = async () => {
      parsed += 1;
      return { imports: [], definitions: Array(100_000).fill(definition) };
    };
    const sources = createParsedSources({ parse }, createFakeClock());
    for (const text of ['a', 'a', 'b', 'a']) await sources.parse({ text }, 'c');
    expect(parsed).toBe(3);
  });

  it('RT-04 a text that had to wait too long is tried again as often as it is asked for', async () => {
    let tries = 0;
    const parse = async () => {
      tries += 1;
      if (tries < 5) throw new ParseFailure('parse_timeout', 'The parser was busy.', false);
      return nothing;
    };
    const sources = createParsedSources({ parse }, createFakeClock());
    for (let at = 0; at < 4; at += 1) await expect(sources.parse({ text: 'a' }, 'c')).rejects.toThrow('busy');
    expect(await sources.parse({ text: 'a' }, 'c')).toBe(nothing);
  });
});

describe('parsed sources of a parser that was killed', () => {
  it('S-79 a text that it was killed at twice is left alone for some minutes, and parsed then', async () => {
    let tries = 0;
    let isKilled = true;
    const parse = async () => {
      tries += 1;
      if (isKilled) throw new ParseFailure('parse_failed', 'The parser crashed.');
      return { imports: [], definitions: [] };
    };
    const clock = createFakeClock();
    const sources = createParsedSources({ parse }, clock);
    const ask = () => sources.parse({ text: 'a' }, 'c').catch(({ code }) => code);
    for (let at = 0; at < 4; at += 1) expect(await ask()).toBe('parse_failed');
    expect(tries).toBe(2);
    isKilled = false;
    clock.setNow(0);
    clock.advance(4 * 60_000);
    expect([await ask(), tries]).toEqual(['parse_failed', 2]);
    clock.advance(60_000);
    expect([await ask(), await ask(), tries]).toEqual([{ imports: [], definitions: [] }, expect.anything(), 3]);
  });
});

describe('texts that were read in part', () => {
  it('RT-04 are parsed again after some minutes', async () => {
    let tries = 0;
    const parse = async () => {
      tries += 1;
      return { imports: [], definitions: [], ...(tries === 1 && { readLines: 9 }) };
    };
    const clock = createFakeClock();
    const sources = createParsedSources({ parse }, clock);
    const ask = async () => (await sources.parse({ text: 'a' }, 'c')).readLines;
    expect([await ask(), await ask(), tries]).toEqual([9, 9, 1]);
    clock.advance(5 * 60_000);
    expect([await ask(), await ask(), tries]).toEqual([undefined, undefined, 2]);
  });

  it('RT-04 say so: imports below, and names that are not in what was read', async () => {
    const parser = createInProcessParser();
    const parse: typeof parser.parse = async (source) => ({ ...(await parser.parse(source)), readLines: 3 });
    const { retrieve } = await open({ 'src/lib.ts': two }, { ports: { sourceParser: { ...parser, parse } } });
    const { items, omitted } = await retrieve(active("import { one, last } from './lib.ts';\n"));
    expect(items.map(({ content }) => content)).toEqual(['export function one(): void {}']);
    expect(omitted.map(({ path, reason }) => [path, reason])).toEqual([
      [
        `${project}/src/active.ts`,
        {
          code: 'limit_reached',
          detail: 'only its first 3 lines could be parsed in time; imports below them are not known',
        },
      ],
      [
        `${project}/src/lib.ts`,
        {
          code: 'limit_reached',
          detail: `Only the first 3 lines of ${project}/src/lib.ts could be parsed in time. Not found by then: last`,
        },
      ],
    ]);
  });

  it('RT-04 names that are defined below the part of a file that is read are told', async () => {
    const { retrieve } = await open({
      'Cargo.toml': '[package]\nname = "shop"\n',
      'src/lib.rs': 'mod nodes;\npub use nodes::*;\npub use other::*;\nmod cart;\n',
      'src/nodes.rs': `pub struct First;\n// ${'x'.repeat(1_100_000)}\npub struct Last;\n`,
      'src/cart.rs': 'use crate::First;\nuse crate::Last;\n',
    });
    const { items, omitted } = await retrieve({ activeDocument: { path: 'src/cart.rs' } });
    expect(items.map(({ relativePath }) => relativePath)).toEqual(['src/nodes.rs']);
    expect(omitted).toMatchObject([
      {
        reason: {
          code: 'limit_reached',
          detail: `Only the beginning of ${project}/src/nodes.rs is read. Not found by then: Last`,
        },
      },
    ]);
  });

  it('RT-04 only names that can be below the part of a file that is read are told', async () => {
    // One character of two bytes, because a longer file in TypeScript is not parsed at all.
    const cutAt = (comment: string) => `${comment} ${'я'.repeat(600_000)}\n`;
    const { retrieve } = await open({
      'a.ts': `export const one = 1;\n${cutAt('//')}export const two = 2;\n`,
      'b.ts': `export const three = 3;\n${cutAt('//')}export const four = 4;\n`,
      'c.ts': 'export const five = 5;\n',
      'all.ts': "export * from './a.ts';\nexport * from './c.ts';\n",
      'named.ts': "export { two } from './a.ts';\nexport { four } from './b.ts';\n",
      'long.ts': `export const six = 6;\n// ${'x'.repeat(1_100_000)}\n`,
      'a.sh': `one() {\n  echo\n}\n${cutAt('#')}`,
      'b.sh': 'two() {\n  echo\n}\n',
    });
    const ask = async (path: string, content: string) => {
      const { items, omitted } = await retrieve({ activeDocument: { path, content } });
      return [items.map(({ relativePath }) => relativePath), omitted.map(({ reason }) => reason.detail)];
    };
    const onlyBeginning = (name: string) => `Only the beginning of ${project}/${name} is read.`;
    expect(await ask('use.ts', "import { one, two, five } from './all.ts';\n")).toEqual([
      ['a.ts', 'c.ts'],
      [`${onlyBeginning('a.ts')} Not found by then: two`],
    ]);
    expect(await ask('use.ts', "import { two, four } from './named.ts';\n")).toEqual([
      [],
      [`${onlyBeginning('a.ts')} Not found by then: two. ${onlyBeginning('b.ts')} Not found by then: four`],
    ]);
    // What is not known of a file at all says nothing about its end.
    expect(await ask('use.ts', "import { six } from './long.ts';\n")).toEqual([['long.ts'], []]);
    // A script does not say which of them has a function.
    expect(await ask('use.sh', '. ./a.sh\n. ./b.sh\none\ntwo\n')).toEqual([['a.sh', 'b.sh'], []]);
  });
});

describe('token counts', () => {
  it('RT-05 a text is counted once, also when it is asked for again meanwhile', async () => {
    const counted: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const count = async (texts: readonly string[]) => {
      counted.push(...texts);
      await promise;
      return texts.map((text) => text.length);
    };
    const counts = createTokenCounts({ count, dispose() {} });
    const ask = (...texts: string[]) =>
      counts.count(
        texts.map((text) => ({ key: text, text })),
        'o200k_base',
      );
    const answers = Promise.all([ask('a', 'bb', 'a'), ask('bb', 'ccc'), ask()]);
    resolve();
    expect((await answers).map((answer) => answer.counts)).toEqual([[1, 2, 1], [2, 3], []]);
    expect(await ask('ccc')).toEqual({ counts: [3], estimated: false });
    expect(counted).toEqual(['a', 'bb', 'ccc']);
  });

  it('RT-05 forgets the texts of what has ended, and those only', async () => {
    const counted: string[] = [];
    const count = async (texts: readonly string[]) => {
      counted.push(...texts);
      return texts.map(() => 1);
    };
    const counts = createTokenCounts({ count, dispose() {} });
    const texts = ['a:1', 'a:2', 'ab:1'].map((key) => ({ key, text: key }));
    await counts.count(texts, 'o200k_base');
    await counts.count(texts, 'cl100k_base');
    counts.forget('a:');
    counted.length = 0;
    await counts.count(texts, 'o200k_base');
    await counts.count(texts, 'cl100k_base');
    expect(counted).toEqual(['a:1', 'a:2', 'a:1', 'a:2']);
  });

  it('S-83 what nobody has asked for in a time is counted, parsed and compiled again', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const made: string[] = [];
    const count = async (texts: readonly string[]) => texts.map((text) => made.push(`count ${text}`));
    const counts = createTokenCounts({ count, dispose() {} });
    const parse = async ({ text }: { text: string }) => {
      made.push(`parse ${text}`);
      return { imports: [], definitions: [] };
    };
    const sources = createParsedSources({ parse }, createFakeClock());
    const use = async (text: string) => {
      await counts.count([{ key: text, text }], 'o200k_base');
      await sources.parse({ text }, 'typescript');
      return globOf(text);
    };
    // Names that no other test has: all tests share the cache of globs, and one that is there is not added.
    const before = await use('S-83/a');
    // Two times an hour: what other tests have left in that cache has the times of a real clock.
    vi.advanceTimersByTime(2 * 60 * 60_000);
    const after = await use('S-83/b').then(() => use('S-83/a'));
    expect(made).toEqual(['a', 'b', 'a'].flatMap((name) => [`count S-83/${name}`, `parse S-83/${name}`]));
    expect(after).not.toBe(before);
    expect(await use('S-83/a')).toBe(after);
    expect(made).toHaveLength(6);
  });

  it('RT-05 what could not be counted is tried again the next time', async () => {
    let tries = 0;
    const count = (texts: readonly string[]) => {
      tries += 1;
      if (tries === 1) throw new Error('no');
      return Promise.resolve(texts.map(() => 1));
    };
    const counts = createTokenCounts({ count, dispose() {} });
    const texts = [{ key: 'a', text: 'eight by' }];
    expect(await counts.count(texts, 'o200k_base')).toEqual({ counts: [2], estimated: true });
    expect(await counts.count(texts, 'o200k_base')).toEqual({ counts: [1], estimated: false });
  });
});

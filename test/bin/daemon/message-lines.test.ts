/** What an MCP client writes to standard input (MC-05). */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readMessageLines } from '../../../src/bin/daemon/message-lines.ts';
import { fixedLimits } from '../../../src/settings.ts';

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });
const json = (value: unknown) => JSON.stringify(value);

/** What comes of the chunks: the messages, and the answers to what is none. */
async function read(...chunks: (string | Buffer)[]) {
  const answers: unknown[] = [];
  const messages: unknown[] = [];
  const input = chunks.map((chunk) => Buffer.from(chunk));
  for await (const line of readMessageLines(input, async (answer) => void answers.push(answer))) {
    expect(String(line)).toMatch(/^[^\n]+\n$/u);
    messages.push(JSON.parse(String(line)));
  }
  return { messages, answers };
}

describe('lines of an MCP client', () => {
  it('MC-05 gives messages as they are, wherever a chunk ends', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/initialized', params: { é: '€' } };
    const bytes = Buffer.from(
      `${json(ping(1))}\r\n\n${json(note)}\n${json({ jsonrpc: '2.0', id: 'a', result: {} })}\n`,
    );
    const each = [...bytes].map((byte) => Buffer.from([byte]));
    for (const chunks of [[bytes], each])
      expect(await read(...chunks)).toEqual({
        messages: [ping(1), note, { jsonrpc: '2.0', id: 'a', result: {} }],
        answers: [],
      });
  });

  it('MC-05 takes a batch apart', async () => {
    const { messages, answers } = await read(`${json([ping(1), { id: 2 }, ping('b')])}\n[]\n`);
    expect(messages).toEqual([ping(1), ping('b')]);
    expect(answers).toMatchObject([
      { jsonrpc: '2.0', id: 2, error: { code: -32600 } },
      { jsonrpc: '2.0', id: null, error: { code: -32600 } },
    ]);
  });

  it('MC-05 answers what is no message, so that no client waits for an answer', async () => {
    const wrong = ['not JSON', '7', json({ ...ping(3), jsonrpc: '1.0' }), json(ping(null)), json({ jsonrpc: '2.0' })];
    const { messages, answers } = await read(`${[...wrong, json(ping(4))].join('\n')}\n`);
    expect(messages).toEqual([ping(4)]);
    expect(answers).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32600 } },
      { id: 3, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
    ]);
  });

  it('MC-05 takes a first message behind a byte order mark, and a last one without the end of a line', async () => {
    const bytes = Buffer.from(`\uFEFF${json(ping(1))}\n${json(ping('€'))}`);
    const each = [...bytes].map((byte) => Buffer.from([byte]));
    for (const chunks of [[bytes], each])
      expect(await read(...chunks)).toEqual({ messages: [ping(1), ping('€')], answers: [] });
    expect((await read('not JSON')).answers).toMatchObject([{ id: null, error: { code: -32700 } }]);
    expect((await read('7\n\uFEFF7')).answers).toMatchObject([
      { error: { code: -32600 } },
      { error: { code: -32700 } },
    ]);
  });

  it('MC-05 refuses a batch of too many messages with one answer', async () => {
    const batch = Array.from({ length: fixedLimits.mcpEndpoint.batch }, (_, at) => ping(at));
    expect(await read(json(batch))).toEqual({ messages: batch, answers: [] });
    expect(await read(json([...batch, 7]))).toMatchObject({
      messages: [],
      answers: [{ id: null, error: { code: -32600, message: 'A batch can have 64 messages at most.' } }],
    });
  });

  it('MC-05 goes on only when an answer is written', async () => {
    const written: (() => void)[] = [];
    const refuse = () => new Promise<void>((resolve) => void written.push(resolve));
    const messages: string[] = [];
    const lines = readMessageLines([Buffer.from(`7\n[7,7]\n${json(ping(1))}\n`)], refuse);
    lines.on('data', (line) => messages.push(String(line)));
    for (const count of [1, 2, 3]) {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      expect([written.length, messages.length]).toEqual([count, 0]);
      written.at(-1)?.();
    }
    for (let turns = 0; turns < 5; turns += 1) await turn();
    expect(messages).toHaveLength(1);
  });

  const limit = 10 * 1024 * 1024;
  const begin = '{"jsonrpc":"2.0","method":"a","params":{"a":"';
  const end = '"}}';
  /** A message that has, with the end of its line, this many bytes. */
  const messageOf = (bytes: number, character = 'x') => {
    const room = bytes - begin.length - end.length - 1;
    const size = Buffer.byteLength(character);
    return `${begin}${character.repeat(room / size)}${'x'.repeat(room % size)}${end}`;
  };

  it.each(['x', '€'])('MC-05 takes messages up to the length that the library takes: %s', async (character) => {
    const { messages } = await read(`${messageOf(limit, character)}\n`);
    expect(messages).toHaveLength(1);
  });

  it.each([
    ['in one chunk with the end of its line', [`${messageOf(limit + 1)}\n`]],
    ['in bytes, not in characters', [`${messageOf(limit + 1, '€')}\n`]],
    ['before its line ends', [...Array.from({ length: 10 }, () => 'x'.repeat(1024 * 1024)), 'never read']],
    [
      'after what is no UTF-8 is replaced',
      [Buffer.from(begin), Buffer.alloc(limit / 2, 0xff), Buffer.from(`${end}\n`)],
    ],
    [
      'as a part of a batch, written anew',
      [`[{"jsonrpc":"2.0","method":"a","params":{"a":[${'1e20,'.repeat(600_000)}1]}}]\n`],
    ],
  ])('MC-05 ends at a message that is longer than the library takes: %s', async (_, chunks) => {
    await expect(read(json(ping(1)), '\n', ...chunks)).rejects.toThrow('a message is longer than 10 MiB');
  });
});

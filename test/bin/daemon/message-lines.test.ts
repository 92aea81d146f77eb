/** What an MCP client writes to standard input (MC-05). */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createMessageLines } from '../../../src/bin/daemon/message-lines.ts';

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });
const json = (value: unknown) => JSON.stringify(value);

/** What comes of the chunks: the messages, and the answers to what is none. */
async function read(...chunks: (string | Buffer)[]) {
  const answers: unknown[] = [];
  const lines = createMessageLines((answer) => answers.push(answer));
  for (const chunk of chunks) lines.write(chunk);
  lines.end();
  const messages = (await text(lines)).split('\n').filter((line) => line !== '');
  return { messages: messages.map((line) => JSON.parse(line)), answers };
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

  it('ends at a message that is longer than the library takes', async () => {
    const lines = createMessageLines(() => {});
    const failed = once(lines, 'error');
    for (let written = 0; written < 11; written += 1) lines.write('x'.repeat(1024 * 1024));
    expect(await failed).toMatchObject([{ message: 'a message is longer than 10 MiB' }]);
    expect(lines.destroyed).toBe(true);
  });
});

/** Divides standard input of an MCP client into the messages that the library accepts (MC-05). */
import { Readable } from 'node:stream';
import {
  INVALID_REQUEST,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  PARSE_ERROR,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
} from '@modelcontextprotocol/server';
import { fixedLimits } from '../../settings.ts';
import { isRecord } from '../../texts/is-record.ts';
import { parseJson } from '../../texts/parse-json.ts';

type Refusal = { jsonrpc: '2.0'; id: string | number | null; error: { code: number; message: string } };
type Refuse = (refusal: Refusal) => Promise<void>;
type Input = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Gives lines with one message each. A batch, which protocol 2025-03-26 has, becomes its messages. `refuse` gets an
 * answer to everything else: the library drops it, and the client would wait. Nothing more is read until `refuse` is
 * done. A message that is too long ends the stream with an error.
 */
export function readMessageLines(input: Input, refuse: Refuse): Readable {
  return Readable.from(messagesOf(input, refuse), { objectMode: false });
}

async function* messagesOf(input: Input, refuse: Refuse): AsyncGenerator<string> {
  for await (const line of linesOf(input))
    for (const each of messagesIn(line))
      if (typeof each === 'string') yield `${checked(each)}\n`;
      else await refuse(each);
}

async function* linesOf(input: Input): AsyncGenerator<string> {
  // Drops a byte order mark at the beginning.
  const decoder = new TextDecoder();
  let rest = '';
  let restBytes = 0;
  for await (const chunk of input) {
    const text = decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n');
    if (end >= 0) {
      for (const line of `${rest}${text.slice(0, end)}`.split('\n')) yield checked(line);
      rest = '';
      restBytes = 0;
    }
    rest += text.slice(end + 1);
    restBytes += Buffer.byteLength(text.slice(end + 1));
    checkLength(restBytes);
  }
  yield checked(rest + decoder.decode());
}

function checked(line: string): string {
  checkLength(Buffer.byteLength(line));
  return line;
}

/** The library counts bytes, including the end of the line. */
function checkLength(bytes: number): void {
  if (bytes >= STDIO_DEFAULT_MAX_BUFFER_SIZE) throw new Error('a message is longer than 10 MiB');
}

function messagesIn(line: string): (string | Refusal)[] {
  if (line.trim() === '') return [];
  const value = parseJson(line);
  if (value === undefined) return [refusal(null, PARSE_ERROR, 'This line is not JSON.')];
  if (isMessage(value)) return [line];
  const parts = Array.isArray(value) && value.length > 0 ? value : [value];
  const max = fixedLimits.mcpEndpoint.batch;
  if (parts.length > max) return [refusal(null, INVALID_REQUEST, `A batch can have ${max} messages at most.`)];
  return parts.map((part) =>
    isMessage(part)
      ? JSON.stringify(part)
      : refusal(idOf(part), INVALID_REQUEST, 'This is not a message of JSON-RPC 2.0.'),
  );
}

const isMessage = (value: unknown): boolean =>
  isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);

function idOf(value: unknown): Refusal['id'] {
  const id = isRecord(value) ? value.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

const refusal = (id: Refusal['id'], code: number, message: string): Refusal => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

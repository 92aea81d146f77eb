/** Standard input of an MCP client, as the library can take it (MC-05). */
import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import {
  INVALID_REQUEST,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  PARSE_ERROR,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
} from '@modelcontextprotocol/server';
import { isRecord } from '../../texts/is-record.ts';

type Refusal = { jsonrpc: '2.0'; id: string | number | null; error: { code: number; message: string } };
type Refuse = (refusal: Refusal) => void;

/**
 * Gives lines with one message each. A batch, which protocol 2025-03-26 has, becomes its messages. `refuse` gets an
 * answer to everything else: the library drops it, and the client would wait. A message that is too long ends the stream
 * with an error.
 */
export function createMessageLines(refuse: Refuse): Transform {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = decoder.write(chunk);
      const end = text.lastIndexOf('\n');
      if (end >= 0) {
        for (const line of `${rest}${text.slice(0, end)}`.split('\n'))
          for (const message of messagesIn(line, refuse)) this.push(`${message}\n`);
        rest = '';
      }
      rest += text.slice(end + 1);
      done(rest.length > STDIO_DEFAULT_MAX_BUFFER_SIZE ? new Error('a message is longer than 10 MiB') : null);
    },
  });
}

function messagesIn(line: string, refuse: Refuse): string[] {
  if (line.trim() === '') return [];
  const read = parse(line);
  if (read === undefined) {
    refuse(refusal(null, PARSE_ERROR, 'This line is not JSON.'));
    return [];
  }
  if (isMessage(read.value)) return [line];
  const parts = Array.isArray(read.value) && read.value.length > 0 ? read.value : [read.value];
  for (const part of parts)
    if (!isMessage(part)) refuse(refusal(idOf(part), INVALID_REQUEST, 'This is no message of JSON-RPC 2.0.'));
  return parts.filter(isMessage).map((part) => JSON.stringify(part));
}

function parse(line: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) };
  } catch {
    return undefined;
  }
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

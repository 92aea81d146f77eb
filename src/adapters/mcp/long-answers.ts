/** Bounds the number of parts of an answer before the SDK checks each part, which takes long if it is wrong (S-30). */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { fixedLimits } from '../../settings.ts';
import { isRecord } from '../../texts/is-record.ts';
import { tooMuch } from './flood-guard.ts';

const { mcpLists, mcpMessages } = fixedLimits;
const lists = new Set(['tools', 'resources', 'prompts']);

/** Cuts lists to one item more than allowed, so that the caller notices. Fails other requests. Call when connected. */
export function boundAnswers(transport: Transport): void {
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => deliver?.(bounded(message), extra);
}

function bounded(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || !isRecord(message.result)) return message;
  const result: Record<string, unknown> = { ...message.result };
  for (const [name, value] of Object.entries(result)) {
    if (!Array.isArray(value)) continue;
    if (lists.has(name)) result[name] = value.slice(0, mcpLists.items + 1);
    else if (value.length > mcpMessages.parts) return failed(message.id, name);
  }
  return { ...message, result };
}

function failed(id: string | number, name: string): JSONRPCMessage {
  const data = tooMuch(`Its answer has more than ${mcpMessages.parts} parts in "${name}".`);
  return { jsonrpc: '2.0', id, error: { code: -32_603, message: data.message, data } };
}

/**
 * An MCP server on stdio whose tools stand in a JSON file, its first argument: it tells when they change. What it answers
 * is as long as the argument `length` says, and else its arguments; with the argument `fail` it says that it failed.
 */
import { readFileSync, watchFile } from 'node:fs';

const [path = ''] = process.argv.slice(2);

type Message = { id?: number | string; method?: string; params?: Record<string, unknown> };

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function resultOf({ method, params }: Message): object | undefined {
  if (method === 'initialize')
    return {
      protocolVersion: params?.protocolVersion ?? '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'listed', version: '1' },
    };
  if (method === 'tools/list') return { tools: JSON.parse(readFileSync(path, 'utf8')) as unknown };
  if (method !== 'tools/call') return undefined;
  const args = (params?.arguments ?? {}) as Record<string, unknown>;
  if (args.fail === true) return { isError: true, content: [{ type: 'text', text: 'It failed.' }] };
  const text = typeof args.length === 'number' ? 'lorem ipsum\n'.repeat(args.length) : JSON.stringify(args);
  return { content: [{ type: 'text', text }] };
}

watchFile(path, { interval: 50 }, () => send({ method: 'notifications/tools/list_changed' }));

let held = '';
process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
  const lines = (held + chunk).split('\n');
  held = lines.pop() ?? '';
  for (const line of lines) {
    const message = JSON.parse(line) as Message;
    const result = resultOf(message);
    if (message.id === undefined) continue;
    send(
      result === undefined
        ? { id: message.id, error: { code: -32601, message: 'unknown method' } }
        : { id: message.id, result },
    );
  }
});
process.stdin.on('end', () => process.exit());

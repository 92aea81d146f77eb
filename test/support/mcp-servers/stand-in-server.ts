/**
 * An MCP server on stdio that behaves as its first argument says: well, or badly in one way. Written by hand, because a
 * library would not let it be bad.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [mode = 'well', ...rest] = process.argv.slice(2);
const self = fileURLToPath(import.meta.url);
const received: unknown[] = [];

type Message = { id?: number | string; method?: string; params?: Record<string, unknown> };

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const write = async (chunk: string | Buffer, to: NodeJS.WriteStream = process.stdout) => {
  if (!to.write(chunk)) await new Promise((resolve) => to.once('drain', resolve));
};

const toolNamed = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } });
const names = ['env', 'arguments', 'hang', 'received', 'die', 'freeze', 'big', 'announce', 'pattern', 'deep', 'fail'];
const hostileSchema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };

/** What a page of a list has. */
function listTools(cursor: string | undefined) {
  const page = Number(cursor ?? 0);
  if (mode === 'endless-pages') return { tools: [toolNamed(`tool${page}`)], nextCursor: String(page + 1) };
  if (mode === 'many-tools') {
    const tools = Array.from({ length: 100 }, (_, at) => toolNamed(`tool${page}-${at}`));
    return { tools, ...(page < 99 ? { nextCursor: String(page + 1) } : {}) };
  }
  if (mode === 'huge-tools') {
    const tools = Array.from({ length: 30 }, (_, at) => ({
      ...toolNamed(`${page}-${at}`),
      description: 'x'.repeat(100_000),
    }));
    return { tools, nextCursor: String(page + 1) };
  }
  if (mode === 'tiny-tools') return { tools: Array(5_000_000).fill({}) };
  if (mode === 'empty-tools') return { tools: Array(100_000).fill({}) };
  const tools = names.map((name) =>
    name === 'pattern' ? { ...toolNamed(name), outputSchema: hostileSchema } : toolNamed(name),
  );
  return { tools };
}

async function callTool(name: unknown): Promise<object> {
  const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
  if (name === 'env') return text(process.env);
  if (name === 'arguments') return text(rest);
  if (name === 'received') return text(received);
  if (name === 'die') process.exit(7);
  if (name === 'freeze') process.kill(process.pid, 'SIGSTOP');
  if (name === 'hang' || name === 'freeze') await delay(1_000_000);
  if (name === 'wrong') return { content: [{ type: 'odd' }] };
  if (name === 'big') return text('x'.repeat(5 * 1024 * 1024));
  if (name === 'huge') return text('x'.repeat(20 * 1024 * 1024));
  if (name === 'crowded') return { content: [], structuredContent: { all: Array(5_000_000).fill({}) } };
  if (name === 'wrong parts') return { content: Array(100_000).fill({}) };
  if (name === 'endless') for (;;) await write(Buffer.alloc(1024 * 1024, 'x'));
  if (name === 'later') await delay(3_000);
  if (name === 'pattern') return { ...text('ok'), structuredContent: { text: `${'a'.repeat(40)}!` } };
  if (name === 'deep')
    return { content: [], structuredContent: { deep: JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) } };
  if (name === 'announce') for (let at = 0; at < 100; at += 1) send({ method: 'notifications/tools/list_changed' });
  return text('done');
}

async function answer({ id, method, params }: Message): Promise<void> {
  received.push({ method, ...(params?.requestId === undefined ? {} : { requestId: params.requestId }) });
  if (id === undefined) return;
  if (mode === 'modern' && method === 'initialize') {
    send({ id, error: { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'] } } });
    return;
  }
  if (mode === 'modern' && method === 'server/discover') {
    const capabilities = { tools: {} };
    const known = { supportedVersions: ['2026-07-28'], capabilities, instructions: 'Ask.' };
    send({ id, result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...known } });
    return;
  }
  if (mode === 'modern' && method === 'tools/list') {
    send({ id, result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...listTools(undefined) } });
    return;
  }
  if (method === 'initialize') {
    const protocolVersion = params?.protocolVersion ?? '2025-11-25';
    const result = {
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: mode, version: '1' },
    };
    if (mode === 'never-answers') return;
    if (mode === 'byte-by-byte') {
      for (const letter of JSON.stringify({ jsonrpc: '2.0', id, result })) {
        await write(letter);
        await delay(100);
      }
      return;
    }
    send({ id, result });
    if (mode === 'floods-notifications') {
      const many = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} })}\n`.repeat(1_000);
      for (;;) await write(many);
    }
    return;
  }
  if (method === 'tools/list') return void send({ id, result: listTools(params?.cursor as string | undefined) });
  if (method === 'tools/call' && params?.name === 'fail') {
    send({ id, error: { code: -32602, message: 'no \u001b[31msuch thing' } });
    return;
  }
  if (method === 'tools/call') return void send({ id, result: await callTool(params?.name) });
  send({ id, error: { code: -32601, message: 'unknown method' } });
}

if (mode === 'exits') process.exit(Number(rest[0]));
if (mode === 'kills-itself') process.kill(process.pid, 'SIGKILL');
if (mode === 'speaks-and-exits') {
  process.stderr.write(`first\nthe password is ${process.env.PASSWORD}\n`);
  process.exitCode = 3;
} else if (mode === 'closes-output') {
  process.stdout.end();
  setInterval(() => {}, 1000);
} else if (mode === 'floods-bytes') {
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  for (let at = 0; at < 100; at += 1) await write(chunk);
} else if (mode === 'deep') {
  process.stdout.write(`${'['.repeat(100_000)}\n`);
  setInterval(() => {}, 1000);
} else if (mode === 'floods-stderr') {
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  for (let at = 0; at < 1024; at += 1) await write(chunk, process.stderr);
} else if (mode === 'descendant') {
  // Ignores what it is told, and outlives who started it.
  process.on('SIGTERM', () => {});
  process.on('SIGHUP', () => {});
  writeFileSync(`${rest[0]}/${process.pid}`, '');
  if (rest[1] === '1') {
    // There can be hundreds of them: a shell starts sooner than Node. What it ignores, what it becomes ignores too.
    const script = `trap '' TERM HUP; : > "$0/$$"; exec sleep 100000`;
    const last = spawn('/bin/sh', ['-c', script, rest[0] ?? ''], {
      stdio: 'ignore',
      detached: true,
      ...(rest[2] === 'unmarked' ? { env: {} } : {}),
    });
    if (rest[2] === 'orphaned') last.once('spawn', () => process.exit());
  }
  setInterval(() => {}, 1000);
} else {
  if (mode === 'tree') {
    process.on('SIGTERM', () => {});
    writeFileSync(`${rest[0]}/${process.pid}`, '');
    // The last of them leaves the process group.
    spawn(process.execPath, [self, 'descendant', rest[0] ?? '', '1', rest[1] ?? ''], { stdio: 'ignore' });
    setInterval(() => {}, 1000);
  }
  if (mode === 'leaves-a-child') {
    const options = { stdio: 'ignore', detached: true, env: {} } as const;
    spawn('/bin/sh', ['-c', ': > "$0/$$"; exec sleep 100000', rest[0] ?? ''], options).unref();
  }
  if (mode === 'greets') process.stdout.write('Welcome!\n');
  if (mode === 'babbles') process.stdout.write('Listening on port 80\n');
  let held = '';
  process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (held + chunk).split('\n');
    held = lines.pop() ?? '';
    if (mode === 'babbles') return;
    for (const line of lines) void nextTurn().then(() => answer(JSON.parse(line) as Message));
  });
}

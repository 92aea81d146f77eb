import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { parseJson } from '../../texts/parse-json.ts';
import type { DaemonRequest, RefusedAnswer } from '../client/client.ts';
import { wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { visibleLines } from '../render/terminal-text.ts';
import { runningDaemon } from './shared/ask-daemon.ts';
import { stateDirOption } from './shared/options.ts';

// Not imported: that would load the HTTP client of Node.js whenever the commands are listed.
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies DaemonRequest['method'][];
type Method = (typeof methods)[number];

/** `contextd api`: one request to the running daemon, with its token. */
export function addApiCommand(program: Command): void {
  program
    .command('api')
    .summary('Make one request to the HTTP API.')
    .description(
      'Sends a request to the running daemon, with its token. Prints the answer, or the problem if it refuses.',
    )
    .argument('<method>', methods.join(', '), asMethod)
    .argument('<path>', 'the path with its query, such as /v1/status')
    .option('--data <json>', 'The body: JSON, @<file>, or - for standard input.')
    .option('--header <header>', 'A header, such as "If-Match: *". Repeatable.', collectHeader)
    .addOption(stateDirOption())
    .addHelpText('after', apiHelp)
    .action(callApi);
}

const apiHelp = `
Examples:
  contextd api GET /v1/status
  contextd api POST /v1/context/resolve --data '{"mountedDirectory": "/home/ada/shop"}'
  contextd api PUT /v1/agents/reviewer --data @reviewer.json --header 'If-None-Match: *'
  contextd api GET /v1/events

Exit codes:
  0 answered   64 refused   69 no daemon runs, or it cannot answer now   70 internal error`;

function asMethod(value: string): Method {
  const method = methods.find((known) => known === value.toUpperCase());
  if (method === undefined) throw new InvalidArgumentError(`It must be one of ${methods.join(', ')}.`);
  return method;
}

type Flags = { data?: string; header?: Record<string, string>; stateDir?: string };

async function callApi(method: Method, path: string, { data, header = {}, stateDir }: Flags): Promise<void> {
  if (!path.startsWith('/')) throw wrongUsage('the path must begin with "/".');
  const body = data === undefined ? undefined : parseBody(await readData(data));
  const client = await runningDaemon({ stateDir });
  try {
    await print(await client.open(path, { method, body, headers: header, silenceMs: 60_000 }));
  } catch (error) {
    // Programs read the problem from standard output. People read the message that follows.
    const problem = 'body' in (error as Error) ? parseJson((error as RefusedAnswer).body) : undefined;
    if (problem !== undefined) printJson(problem);
    throw error;
  }
}

/** Prints JSON with indentation, and anything else, such as a stream of events, unchanged. */
async function print(answer: IncomingMessage): Promise<void> {
  if (!answer.headers['content-type']?.startsWith('application/json')) {
    await pipeline(answer.setEncoding('utf8'), asSeen, process.stdout, { end: false });
    return;
  }
  const body = await text(answer);
  if (body !== '') printJson(JSON.parse(body));
}

/** On a terminal, control characters are made visible. */
async function* asSeen(parts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const part of parts) yield process.stdout.isTTY ? visibleLines(part) : part;
}

function collectHeader(value: string, previous: Record<string, string> = {}): Record<string, string> {
  const at = Math.max(0, value.indexOf(':'));
  const [name, content] = [value.slice(0, at).toLowerCase(), value.slice(at + 1).trim()];
  try {
    validateHeaderName(name);
    validateHeaderValue(name, content);
  } catch {
    throw new InvalidArgumentError('It must be like "If-Match: *".');
  }
  return { ...previous, [name]: content };
}

async function readData(data: string): Promise<string> {
  if (data === '-') return text(process.stdin);
  if (!data.startsWith('@')) return data;
  try {
    return await text(createReadStream(data.slice(1)));
  } catch (error) {
    throw wrongUsage(`the file of --data cannot be read: ${(error as Error).message}`);
  }
}

function parseBody(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw wrongUsage(`--data is no JSON: ${(error as Error).message}`);
  }
}

import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import type { DaemonRequest } from '../client/client.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { printJson, stateDirOption } from '../options.ts';
import { askDaemon } from './ask-daemon.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies DaemonRequest['method'][];
type Method = (typeof methods)[number];

/** `contextd api`: one request to the running daemon, with its token. */
export function addApiCommand(program: Command): void {
  program
    .command('api')
    .summary('Make one request to the HTTP API.')
    .description('Sends a request to the running daemon with its token, and prints the answer.')
    .argument('<method>', methods.join(', '), asMethod)
    .argument('<path>', 'the path with its query, such as /v1/status')
    .option('--data <json>', 'The body: JSON, @<file>, or - for standard input.')
    .addOption(stateDirOption())
    .addHelpText('after', apiHelp)
    .action(callApi);
}

const apiHelp = `
Examples:
  contextd api GET /v1/status
  contextd api POST /v1/context/resolve --data '{"mountedDirectory": "/home/ada/shop"}'
  contextd api PUT /v1/agents/reviewer --data @reviewer.json

Exit codes:
  0 answered   64 refused   69 no daemon runs, or it cannot now   70 internal error`;

function asMethod(value: string): Method {
  const method = methods.find((known) => known === value.toUpperCase());
  if (method === undefined) throw new InvalidArgumentError(`It must be one of ${methods.join(', ')}.`);
  return method;
}

async function callApi(method: Method, path: string, flags: { data?: string; stateDir?: string }): Promise<void> {
  if (!path.startsWith('/')) throw new CommandFailure(exitCodes.usage, 'the path must begin with "/".');
  const body = flags.data === undefined ? {} : { body: parseBody(await readData(flags.data)) };
  const answer = await askDaemon<unknown>(flags, { method, path, ...body, orText: true });
  if (typeof answer === 'string') process.stdout.write(answer);
  else if (answer !== undefined) printJson(answer);
}

async function readData(data: string): Promise<string> {
  if (data === '-') return text(process.stdin);
  if (!data.startsWith('@')) return data;
  try {
    return await text(createReadStream(data.slice(1)));
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, `the file of --data cannot be read: ${(error as Error).message}`);
  }
}

function parseBody(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, `--data is no JSON: ${(error as Error).message}`);
  }
}

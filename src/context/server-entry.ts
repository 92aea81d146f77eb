/** Definitions of MCP servers, in configurations and in the server lists of other tools (CC-10, MC-01). */
import { z } from 'zod';
import { fixedLimits } from '../settings.ts';
import { dictionary, leaf, list, type Reader, readFields, wrongType } from '../texts/field-readers.ts';
import { Flag, isText, onSingleLine, singleLine } from './config-values.ts';

const Command = z.string(isText).min(1, 'must not be empty').regex(singleLine, onSingleLine);
const Argument = z.string(isText).regex(singleLine, onSingleLine);
const Transport = z.enum(['stdio', 'sse', 'http'], 'must be "stdio", "sse" or "http"');
// biome-ignore lint/suspicious/noControlCharactersInRegex: schemas publish it; not all languages know `\0` or `\p{Cc}`.
const EnvironmentValue = z.string(isText).regex(/^[^\x00]*$/u, 'must not contain a NUL character');
const HeaderValue = z.string(isText).regex(singleLine, onSingleLine);

const sharedFields = {
  type: Transport.optional().describe('Transport of the server.'),
  disabled: Flag.optional().describe('Whether the server is disabled.'),
};

const LocalServer = z.strictObject({
  command: Command.describe('The program. It starts only after the user has approved it.'),
  args: z.array(Argument).optional().describe('Arguments of the program.'),
  env: z.record(z.string(), EnvironmentValue).optional().describe('Environment variables of the program.'),
  ...sharedFields,
});
type LocalServer = z.infer<typeof LocalServer>;

const RemoteServer = z.strictObject({
  url: Command.describe('The address of the server. It is called only after the user has approved the server.'),
  headers: z.record(z.string(), HeaderValue).optional().describe('Headers that are sent with each request.'),
  ...sharedFields,
});
type RemoteServer = z.infer<typeof RemoteServer>;

/** A definition as written: a program that is started, or an address that is called. */
export const McpServer = z.union([LocalServer, RemoteServer]);
export type McpServer = z.infer<typeof McpServer>;

/** A definition in a list of another tool. It can also have the working directory of its program. */
export type ListedServer = McpServer & Readonly<{ cwd?: string }>;

/** Max servers of a file, and max entries of `args`, `env` and `headers`. */
export const maxEntries = fixedLimits.configurations.entries;

export const leftOut = 'The server is left out.';

/** A program, an address or a directory, without which a server is another one. */
export const readServerCommand = leaf(Command, leftOut);

/** A command or an address must be complete: a command without one of its arguments is a different command. */
export const readServerEntry: Reader<McpServer> = (node, pointer, report) => {
  if (!(node.value instanceof Map)) return wrongType('an object', leftOut)(node, pointer, report);
  const entries = node.value;
  if (entries.has('command') === entries.has('url')) {
    const message = `A server needs either "command" or "url". ${leftOut}`;
    report({ code: 'invalid_config_value', message, offset: node.offset, pointer });
    return undefined;
  }
  const common = { type: leaf(Transport), disabled: leaf(Flag) };
  if (entries.has('url')) {
    const readers = { ...common, url: readServerCommand, headers: readHeaders };
    const { url, ...rest } = readFields<RemoteServer>(entries, readers, { pointer, report });
    return url === undefined ? undefined : { url, ...rest };
  }
  const args = list(leaf(Argument, leftOut), { max: maxEntries, whole: leftOut });
  const readers = { ...common, command: readServerCommand, args, env: texts(EnvironmentValue) };
  const { command, ...rest } = readFields<LocalServer>(entries, readers, { pointer, report });
  if (command === undefined || (entries.has('args') && rest.args === undefined)) return undefined;
  return { command, ...rest };
};

function texts(value: z.ZodType<string>): Reader<Record<string, string>> {
  const read = dictionary(leaf(value), { max: maxEntries, name: /^[^\p{Cc}=]{1,256}$/u });
  return (node, pointer, report) => {
    const entries = read(node, pointer, report);
    return entries && Object.fromEntries(entries);
  };
}

/** The case of a name does not count: the last header of a name is sent. */
const readHeaders: Reader<Record<string, string>> = (node, pointer, report) => {
  const read = texts(HeaderValue)(node, pointer, report);
  const byName = new Map(Object.entries(read ?? {}).map((header) => [header[0].toLowerCase(), header]));
  return read && Object.fromEntries(byName.values());
};

/** Possible names of a server, in any list. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: schemas publish it; not all languages know `\0` or `\p{Cc}`.
export const serverName = /^[^\x00-\x1f\x7f-\x9f]{1,128}$/u;

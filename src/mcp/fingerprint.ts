/** What decides what runs when a server is started, as one hash (S-18 … S-22). Nothing is started to find it out. */
import { createHash } from 'node:crypto';
import { maskUrl } from '../context/merge.ts';
import type { World } from '../context/world.ts';
import type { McpLaunch } from '../mcp-launcher.ts';
import { joinPath } from '../paths.ts';
import { liesInRoots } from '../reach.ts';
import { type Definition, transportOf } from './definition.ts';
import { hashNamedFiles, type NamedFile } from './named-files.ts';

/** What was hashed, with secrets only as beginnings of hashes, so that it can be shown and stored. Each value is a text. */
export type DefinitionParts = Readonly<Record<string, string>>;

/**
 * `problem` says why the definition cannot be approved; `launch` is what would be started, absent when there is no such
 * program. `executable` is the program that was found.
 */
export type Fingerprinted = Readonly<{
  fingerprint: string;
  parts: DefinitionParts;
  executable?: string;
  launch?: McpLaunch;
  problem?: string;
}>;

/** `environment` is what every server gets; its `PATH` is where programs are sought, unless the definition has another. */
export async function fingerprintDefinition(
  definition: Definition,
  { world, environment }: { world: World; environment: Readonly<Record<string, string>> },
): Promise<Fingerprinted> {
  const { scope, definedIn, name, server } = definition;
  const transport = transportOf(server);
  const who: [string, unknown][] = [
    ['scope', scope],
    ['definedIn', definedIn],
    ['name', name],
    ['transport', transport],
  ];
  if (!('command' in server)) {
    const { url, headers = {} } = server;
    const launch: McpLaunch = { transport: transport === 'sse' ? 'sse' : 'http', url, headers };
    const values = [...who, ['url', url], ...entriesOf('headers', headers)] as [string, string][];
    const secret = (field: string) => field === 'url' || field.startsWith('headers.');
    return { fingerprint: hashOf(values), parts: partsOf(values, secret), launch };
  }
  const { command, args = [], env = {} } = server;
  const cwd = (await realPathOf(definition.cwd, world)) ?? definition.cwd;
  const path = env.PATH ?? environment.PATH ?? '';
  const executable = await findProgram(command, { cwd, path, world });
  const real = executable === undefined ? undefined : await realPathOf(executable, world);
  const inRoots = real !== undefined && liesInRoots(real, world.reach.roots);
  const named = await hashNamedFiles([...args, command, ...(inRoots ? [real] : [])], cwd, world);
  const files: NamedFile[] = 'files' in named ? named.files : [];
  const values = [
    ...who,
    ...[
      ['command', command],
      ['program', real ?? ''],
      ['foundAs', executable ?? ''],
      ['cwd', cwd],
    ],
    ...args.map((arg, at) => [`args.${at}`, arg]),
    ...entriesOf('env', env),
    ...files.map(({ path, sha256 }) => [`files.${path}`, sha256]),
  ] as [string, string][];
  return {
    fingerprint: hashOf(values),
    parts: partsOf(values, (field) => field.startsWith('env.')),
    ...(executable === undefined
      ? {}
      : {
          executable,
          launch: { transport: 'stdio', command: executable, args, env: { ...environment, ...env }, cwd },
        }),
    ...('problem' in named ? { problem: named.problem } : {}),
  };
}

function entriesOf(field: string, record: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(record)
    .map(([key, value]): [string, string] => [`${field}.${key}`, value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** JSON keeps lists of pairs apart, whatever is in them. */
function hashOf(values: readonly (readonly [string, unknown])[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}

function partsOf(values: readonly [string, string][], isSecret: (field: string) => boolean): DefinitionParts {
  return Object.fromEntries(
    values.map(([field, value]) => {
      if (!isSecret(field)) return [field, value];
      return [field, field === 'url' ? `${maskUrl(value)} (${prefixOf(value)})` : maskValue(value)];
    }),
  );
}

/** A secret as answers show it: that it is one, and the beginning of its hash, by which two can be told apart (S-26). */
export function maskValue(value: string): string {
  return `*** (${prefixOf(value)})`;
}

function prefixOf(value: string): string {
  return `sha256:${createHash('sha256').update(value).digest('hex').slice(0, 8)}`;
}

export type Change = { field: string; before?: string; after?: string };

/** What differs between what was approved and what is there now, field by field. */
export function changesBetween(before: DefinitionParts, after: DefinitionParts): Change[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].flatMap((field): Change[] => {
    const [old, now] = [before[field], after[field]];
    if (old === now) return [];
    return [{ field, ...(old === undefined ? {} : { before: old }), ...(now === undefined ? {} : { after: now }) }];
  });
}

async function realPathOf(path: string, { gate }: World): Promise<string | undefined> {
  const real = await gate.realPath(path);
  return real.ok ? real.realPath : undefined;
}

/** As the system finds a program: a name with a `/` is a path, any other is sought in the directories of `path`. */
async function findProgram(
  command: string,
  { cwd, path, world }: { cwd: string; path: string; world: World },
): Promise<string | undefined> {
  const places = command.includes('/')
    ? [joinPath(cwd, command)]
    : path.split(':').flatMap((directory) => (directory.startsWith('/') ? [joinPath(directory, command)] : []));
  for (const place of places.slice(0, 256)) {
    const real = await realPathOf(place, world);
    const stat = real === undefined ? undefined : await world.gate.stat(real);
    if (stat?.ok && stat.kind === 'file') return place;
  }
  return undefined;
}

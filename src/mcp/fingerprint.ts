/**
 * Computes one hash of everything that decides what runs if a server is started (S-18 … S-22), without starting
 * anything.
 */

import { isInside, joinPath } from '../access/paths.ts';
import { isInRoots } from '../access/reach.ts';
import { realPathOf } from '../access/real-place.ts';
import type { World } from '../access/world.ts';
import type { ListedServer } from '../context/server-entry.ts';
import type { McpLaunch } from '../ports/mcp-launcher.ts';
import { expandHome, fixedLimits } from '../settings.ts';
import { compareText } from '../texts/compare-text.ts';
import { type KeyedHash, maskUrl, maskUserInfo, showTagged, tagged } from '../texts/mask.ts';
import { shortenList } from '../texts/shorten.ts';
import { isShownValue } from './code-variables.ts';
import { type CommandLine, readCommandLine } from './command-line.ts';
import { type ServerDefinition, transportOf } from './definition.ts';
import type { DirectoryContents } from './directory-content.ts';
import { type FilledIn, fillIn, type VariableOf } from './fill-in.ts';
import { hashPlaces, leadingOut, type NamedFiles, namesIn } from './named-files.ts';
import { placesOfRunners } from './programs.ts';
import type { McpServerEntry } from './server-requests.ts';

/** What was hashed, as texts, with tags instead of secrets, so that it can be stored. */
export type DefinitionParts = Readonly<Record<string, string>>;

/**
 * `problem`: why the definition cannot be approved. `launch`: what would be started; absent if the program does not
 * exist. `executable`: the program that was found. `unverifiable`: a sentence, if contextd cannot follow what the
 * program runs. `eachStart`: contextd cannot compare it either, so an approval is valid for one start. `moment`:
 * changes whenever a file of a followed definition is written, even with the same content. `filledIn`: the definition
 * with the values of its variables, which are secrets.
 */
export type Fingerprinted = Readonly<{
  fingerprint: string;
  filledIn: FilledIn;
  parts: DefinitionParts;
  executable?: string;
  launch?: McpLaunch;
  problem?: string;
  /** The problem is a variable without a value. */
  unresolved?: true;
  unverifiable?: string;
  eachStart?: true;
  moment?: string;
}>;

/**
 * `environment`: the variables of every server. Programs are searched in its `PATH`, unless the definition has one.
 * `fresh`: the result is used for a start.
 */
type FingerprintOptions = {
  variableOf: VariableOf;
  homeDirectory: string;
  world: World;
  environment: Readonly<Record<string, string>>;
  contents: DirectoryContents;
  keyed: KeyedHash;
  /** Monotonic milliseconds. */
  elapsed(): number;
  fresh?: boolean;
};

export async function fingerprintDefinition(
  written: ServerDefinition,
  options: FingerprintOptions,
): Promise<Fingerprinted> {
  const { keyed } = options;
  const filledIn = fillIn(written, options.variableOf, options.homeDirectory);
  const { definition, reads, missing } = filledIn;
  const { scope, definedIn, name, server } = written;
  const variables = [...reads].map(([key, value]) => [key, tagged(undefined, value, keyed)] as const);
  const found =
    'command' in server
      ? await readProgram(server, definition, options)
      : readAddress(server, definition.server as typeof server, keyed);
  const { defined, files = {}, ...rest } = found;
  const who = { scope, definedIn, name, transport: transportOf(server) };
  const parts = { ...who, ...defined, ...named('variables', variables), ...files };
  const unresolved = missing.length > 0 && { problem: noValue(filledIn), unresolved: true as const };
  const fingerprint = keyed(JSON.stringify(Object.entries(parts)));
  return { fingerprint, filledIn, parts, ...rest, ...unresolved };
}

/** `defined`: parts of the written definition. `files`: parts of the files that count. */
type Found = Omit<Fingerprinted, 'fingerprint' | 'filledIn' | 'parts' | 'unresolved'> & {
  defined: DefinitionParts;
  files?: DefinitionParts;
};
type RemoteServer = Extract<ListedServer, { url: string }>;
type LocalServer = Extract<ListedServer, { command: string }>;

/** `called`: the definition with the values of its variables. */
function readAddress({ url, type, headers = {} }: RemoteServer, called: RemoteServer, keyed: KeyedHash): Found {
  return {
    defined: { url: tagged(maskUrl(url), url, keyed), ...entriesOf('headers', headers, keyed) },
    launch: { transport: type === 'sse' ? 'sse' : 'http', url: called.url, headers: called.headers ?? {} },
  };
}

/** `definition`: with the values of its variables. */
async function readProgram(
  server: LocalServer,
  definition: ServerDefinition,
  options: FingerprintOptions,
): Promise<Found> {
  const { world, environment, keyed, homeDirectory } = options;
  const { command: called, args = [], env = {} } = definition.server as LocalServer;
  const command = expandHome(called, homeDirectory);
  const cwd = (await realPathOf(definition.cwd, world.gate.realPath)) ?? definition.cwd;
  const path = env.PATH ?? environment.PATH ?? '';
  const executable = await findProgram(command, { cwd, path, world });
  const real = executable === undefined ? undefined : await realPathOf(executable, world.gate.realPath);
  const line = { command, args, env, cwd, executable, real, definedIn: definition.definedIn };
  const counted = await countFiles(line, options);
  const defined = {
    command: server.command,
    program: real ?? '',
    foundAs: executable ?? '',
    cwd,
    ...named('args', (server.args ?? []).entries()),
    ...entriesOf('env', server.env ?? {}, keyed),
  };
  if (executable === undefined) return { defined, ...counted };
  const launch = { transport: 'stdio', command: executable, args, env: { ...environment, ...env }, cwd } as const;
  return { defined, executable, launch, ...counted };
}

/** Parts with the names `field.name`. */
function named(field: string, values: Iterable<readonly [name: string | number, value: string]>): DefinitionParts {
  return Object.fromEntries([...values].map(([name, value]) => [`${field}.${name}`, value]));
}

function noValue({ missing, canBeSet }: FilledIn): string {
  const where = canBeSet ? ' Values come from the environment in which the daemon was started.' : '';
  return `The daemon has no value for ${shortenList(missing, 8)}.${where}`;
}

type Counted = Pick<Found, 'files' | 'problem' | 'unverifiable' | 'eachStart' | 'moment'>;

/**
 * The files that count: those that the command line is known to run, or else everything that it may run. For a named
 * link that leads out of the roots, its target counts, because the server may work in it. Of the configuration, only
 * the definition of this server counts.
 */
async function countFiles(
  line: CommandLine & { definedIn: string },
  { world, contents, elapsed, fresh = false }: FingerprintOptions,
): Promise<Counted> {
  const { command, args, cwd, real, definedIn } = line;
  const names = [...new Set([...args, command].flatMap(namesIn))];
  if (names.length > fixedLimits.mcpApprovals.files) return { problem: 'Its arguments name too many files.' };
  const places = names.map((name) => joinPath(cwd, name));
  const reading = await readCommandLine(line, world);
  if (reading.why === undefined) {
    const followed = [...reading.places, ...(await leadingOut(places, world))];
    const hashed = await hashPlaces(followed, { world, elapsed, readBy: 'node' });
    if ('problem' in hashed) return { problem: hashed.problem };
    const moment = JSON.stringify(hashed.files.map(({ signature }) => signature));
    return { files: partsOf(hashed), moment };
  }
  const programs = real === undefined ? [] : [real];
  const around = placesOfRunners(names, cwd);
  const hashed = await hashPlaces([...reading.places, ...places, ...programs, ...around], {
    world,
    elapsed,
    readBy: 'runner',
  });
  if ('problem' in hashed) return { problem: hashed.problem };
  const watched = [...(isInRoots(cwd, world.reach.roots) ? [cwd] : []), ...hashed.directories];
  const directories = [...new Set(watched)].filter(
    (each) => !watched.some((other) => other !== each && isInside(other, each)),
  );
  const content = await contents.of(directories, { world, fresh });
  const files = { unverifiable: reading.why, ...partsOf(hashed) };
  const sentence = (then: string) => `contextd cannot follow what it runs (${reading.why}), ${then}.`;
  if (content === undefined) {
    const then = `and there are too many files below ${cwd} to compare, so every start needs an approval`;
    return { files: { ...files, below: 'too much to compare' }, unverifiable: sentence(then), eachStart: true };
  }
  const below = [...content].sort().filter(([path]) => path !== definedIn);
  const then =
    directories.length === 0
      ? `and ${cwd} is not granted, so no change of a file there is noticed`
      : `so any change of a file below ${directories.join(' or ')} needs a new approval`;
  return { files: { ...files, ...named('below', below) }, unverifiable: sentence(then) };
}

function partsOf({ files, links }: Exclude<NamedFiles, { problem: string }>): DefinitionParts {
  const hashes = files.map(({ path, sha256 }) => [path, sha256] as const);
  return { ...named('files', hashes), ...named('links', links) };
}

/**
 * Values that decide what is loaded are stored, because they are not secrets. For other values, only a tag is stored.
 */
function entriesOf(field: string, record: Readonly<Record<string, string>>, keyed: KeyedHash): DefinitionParts {
  const sorted = Object.entries(record).sort(([a], [b]) => compareText(a, b));
  const values = sorted.map(([name, value]) => {
    const shown = field === 'env' && isShownValue(name) ? maskUserInfo(value) : undefined;
    return [name, shown === value ? value : tagged(shown, value, keyed)] as const;
  });
  return named(field, values);
}

type DefinitionChange = NonNullable<McpServerEntry['changes']>[number];

/** The fields that differ between the approved definition and the present one. */
export function changedFields(before: DefinitionParts, after: DefinitionParts): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => before[field] !== after[field]);
}

/** Their differences, up to a limit. */
export function changesBetween(before: DefinitionParts, after: DefinitionParts): DefinitionChange[] {
  const changed = changedFields(before, after);
  const shown = changed.slice(0, fixedLimits.mcpApprovals.changes);
  const changes = shown.map((field): DefinitionChange => ({ field, ...showTagged(before[field], after[field]) }));
  const left = changed.length - shown.length;
  return left === 0 ? changes : [...changes, { field: 'others', after: `${left} more changes` }];
}

/**
 * Finds a program as the system does: a name with a `/` is a path, any other is searched in the directories of `path`.
 */
async function findProgram(
  command: string,
  { cwd, path, world }: { cwd: string; path: string; world: World },
): Promise<string | undefined> {
  const places = command.includes('/')
    ? [joinPath(cwd, command)]
    : path.split(':').flatMap((directory) => (directory.startsWith('/') ? [joinPath(directory, command)] : []));
  for (const place of places.slice(0, 256)) {
    const real = await realPathOf(place, world.gate.realPath);
    const stat = real === undefined ? undefined : await world.gate.stat(real);
    if (stat?.ok && stat.kind === 'file') return place;
  }
  return undefined;
}

/** Finds files that settings of other tools name, in place (FM-13). */
import type { FileSnapshot } from '../../access/gate.ts';
import { isInside, joinPath, normalizePath, parentPath } from '../../access/paths.ts';
import { followingAt } from '../../access/reach.ts';
import type { World } from '../../access/world.ts';
import type { PathKind } from '../../ports/ports.ts';
import { createPositions } from '../../texts/source-tree.ts';
import type { WarningCode } from '../../warning-codes.ts';
import type { Warning } from '../../warnings.ts';
import type { Candidate } from '../candidate.ts';
import type { ContextDirectory } from '../directories.ts';
import type { Place, RuleFormat } from '../formats/format.ts';
import type { NamedFiles, WrittenNames } from '../formats/named-files.ts';
import { nameRuleFile } from '../names.ts';
import { findByPatterns, type SharedWalks } from './included.ts';
import type { LookedAt } from './rule-places.ts';
import type { Found } from './source.ts';

/** The search in one directory. `take` gets files that are found outside the known places. */
type Search = LookedAt & {
  directory: ContextDirectory;
  isBelow: boolean;
  world: World;
  walks: SharedWalks;
  result: Found;
  byPath: Map<string, Candidate>;
  decided: ReadonlySet<string>;
};

type Settings = { path: string; names: readonly { name: string; at: Pick<Warning, 'line' | 'column'> }[] };

/** The files that settings in one directory may name for a tool. */
type Naming<Each extends Search = Search> = { format: RuleFormat; named: NamedFiles; search: Each };

/**
 * `all`: the directories where the tool looks for the names in its settings. `takePlace` takes a file in one of them.
 */
export async function takeNamed<Each extends Search>(
  naming: Naming<Each>,
  {
    all,
    takePlace,
  }: { all: readonly Each[]; takePlace(format: RuleFormat, place: Place, search: Each): Promise<void> },
): Promise<void> {
  const { format, named, search } = naming;
  for (const inOwner of named.settings) {
    const settings = await readSettings(inOwner, naming);
    if (settings === undefined) continue;
    const { owner } = search.directory;
    const ways = all.filter(({ directory }) => directory.scope !== 'global' && isInside(owner, directory.owner));
    for (const { name, at } of settings.names) {
      if (!named.inEvery) await takePattern(name, { ...naming, at, path: settings.path });
      else if (isPlainPath(name))
        for (const each of ways)
          await takePlace(format, { in: 'every', firstOf: [name], read: named.read }, byStat(each));
      else {
        const message = `The name "${name}" for files of ${format.tool} is not used: it must be a path without "..".`;
        search.result.warnings.push({ code: 'name_not_used', message, path: settings.path, ...at });
      }
    }
  }
}

const known = new WeakMap<FileSnapshot, { by: NamedFiles; names: WrittenNames }>();

/** The names in settings, if the settings exist. Problems become warnings. */
async function readSettings(inOwner: string, { format, named, search }: Naming): Promise<Settings | undefined> {
  const { world, result, directory } = search;
  const kind = await search.kindOf(inOwner);
  if (kind === undefined || kind === 'directory') return undefined;
  const path = joinPath(directory.owner, inOwner);
  const { configBytes } = world.limits;
  const tell = (code: WarningCode, why: string, at: Pick<Warning, 'line' | 'column'> = {}): undefined => {
    const message = `Some files that these settings name for ${format.tool} are not used: ${why}.`;
    result.warnings.push({ code, message, path, ...at });
  };
  const { reach } = world;
  const reached = kind === 'symlink' ? followingAt(path, reach) : reach;
  const options = { ...reached, maxBytes: configBytes, sensitiveAs: named.sensitiveAs };
  const read = await world.gate.readSettings(path, options);
  result.evidence.push(read.ok ? read.snapshot : `${path}:${read.code}`);
  if (!read.ok) return tell(read.code, `they cannot be read (${read.code.replaceAll('_', ' ')})`);
  const { text = '', truncated, problem } = read.snapshot;
  if (truncated) return tell('settings_too_large', `they are larger than ${configBytes} bytes`);
  if (problem !== undefined) return tell('invalid_settings', 'they are not text');
  const before = known.get(read.snapshot);
  const written = before?.by === named ? before.names : named.namesIn(text);
  known.set(read.snapshot, { by: named, names: written });
  const placeOf = createPositions(text);
  if (written.problem) tell('invalid_settings', written.problem.message, placeOf(written.problem.offset));
  const names = written.names.map(({ name, offset }) => ({ name, at: placeOf(offset) }));
  const [address, ...more] = names.filter(({ name }) => isAddress(name));
  if (address)
    tell('not_fetched', `contextd does not fetch files from addresses (${1 + more.length} here)`, address.at);
  return { path, names: names.filter(({ name }) => !isAddress(name)) };
}

function isAddress(name: string): boolean {
  return /^[a-z][a-z0-9+.-]{1,20}:\/\//iu.test(name);
}

/** A path that only goes down and has no special signs. */
function isPlainPath(name: string): boolean {
  return !/^[/~]|[*/\\]$|\\/u.test(name) && normalizePath(`/${name}`) === `/${name}`;
}

/** Names of settings are not in the prepared listings, so they are looked up one by one. */
function byStat<Each extends Search>(search: Each): Each {
  const { world, result, directory } = search;
  const kindOf = async (path: string): Promise<PathKind | undefined> => {
    const place = joinPath(directory.owner, path);
    const stat = await world.gate.stat(place);
    result.evidence.push(`${place}:${stat.ok ? stat.kind : stat.code}`);
    result.searched.push({ directory: parentPath(place), key: place, decides: (found) => found === place });
    return stat.ok ? stat.kind : undefined;
  };
  return { ...search, kindOf };
}

/** Takes a path or a pattern, relative to the directory of the settings; never anything outside the granted roots. */
async function takePattern(
  name: string,
  { format, named, search, at, path: settings }: Naming & { path: string; at: Pick<Warning, 'line' | 'column'> },
): Promise<void> {
  const { world, walks, result, directory, isBelow, byPath, decided } = search;
  const { owner, scope } = directory;
  const isGlob = named.patterns === true && /[*?[{]/u.test(name);
  const pattern = named.patterns ? name : name.replaceAll(/[*?[\]{}!|]/gu, '[$&]');
  const makeCandidate = (path: string) => ({
    source: 'format' as const,
    format: format.name,
    read: named.read,
    name: nameRuleFile(path, directory, world.mountedDirectory),
    includedBy: { pattern: name, place: `${settings}:${at.line}` },
  });
  const asked = { pattern, writers: [{ path: settings, owner, scope }], at, ofAnyType: true as const, makeCandidate };
  const words = { what: format.tool };
  const found = await findByPatterns(
    [asked],
    { working: directory, walks },
    { world, words, allowance: world.allowances.named },
  );
  if (!isGlob && found.candidates.length + found.warnings.length === 0) {
    const message = `These settings tell ${format.tool} to read "${name}", which does not exist.`;
    result.warnings.push({ code: 'named_file_missing', message, path: settings, ...at });
  }
  for (const candidate of found.candidates)
    if (!byPath.has(candidate.path) && !decided.has(candidate.path))
      byPath.set(candidate.path, { ...candidate, isBelow });
  result.warnings.push(...found.warnings);
  result.evidence.push(...found.evidence);
  result.searched.push(...found.searched);
}

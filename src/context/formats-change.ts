/** What another choice of formats in the configuration of a project would change, before it is written (FM-03). */
import { joinPath } from '../access/paths.ts';
import { compareText } from '../texts/compare-text.ts';
import type { Composer } from './compose.ts';
import { chooseFormats, type FormatChoice } from './formats/choose-formats.ts';
import type { RuleFormat } from './formats/format.ts';
import { formatNames } from './formats/format-names.ts';
import { ruleFormats } from './formats/formats.ts';
import type { FormatsChange, FormatsRequest } from './formats-request.ts';
import { shownPath } from './normalize-request.ts';
import type { Composition } from './resolve.ts';
import type { ResolveRequest } from './resolve-request.ts';
import type { ResolveResult } from './resolve-result.ts';

/**
 * The configuration that has the choice of a project, or would have it: the nearest of its own configurations that
 * makes one.
 */
type OwnChoice = Readonly<{ path: string; owner: string; etag?: string; formats?: FormatChoice }>;

export function ownChoice({ result, configs }: Composition, clientContextPath: string): OwnChoice {
  const { mountedDirectory: owner } = result;
  // Where the home directory is mounted, its configuration is that of the user.
  const own = configs.filter((config) => config.owner === owner);
  const choosing = own.findLast(({ value }) => value.clientContext.formats !== undefined);
  const written = choosing ?? own.at(-1);
  if (written === undefined)
    return { path: joinPath(joinPath(owner, clientContextPath), 'context-config.json'), owner };
  const { path, etag, value } = written;
  return { path, owner, etag, formats: value.clientContext.formats };
}

type Asked = Pick<FormatsRequest, 'with' | 'without'> & { request: ResolveRequest };
/** `present`: formats that have files here. */
type Known = { before: ResolveResult; own: OwnChoice; present: ReadonlySet<string> };

/** Throws as `compose` does. */
export async function describeChange(
  { request, with: added, without }: Asked,
  { before, own, present }: Known,
  { compose, homeDirectory }: Pick<Composer, 'compose'> & { homeDirectory: string },
): Promise<FormatsChange> {
  const chosen = new Set(chooseFormats(own.formats));
  if (added !== undefined) chosen.add(added);
  if (without !== undefined) for (const name of [without, ...standInsOf(without, present)]) chosen.delete(name);
  const formats = asChoice(chosen, added === undefined ? [] : standInsOf(added, present));
  const { result: after } = await compose(request, { instead: { path: own.path, owner: own.owner, formats } });
  return {
    configuration: own.path,
    etag: own.etag,
    present: own.formats,
    formats,
    files: changedFiles(seenIn(before, homeDirectory), seenIn(after, homeDirectory)),
    servers: changedServers(before, after),
    before: { active: before.usage.files, tokens: before.usage.tokens },
    after: { active: after.usage.files, tokens: after.usage.tokens },
  };
}

/** Formats without own files here that would read the files of this format instead. */
function standInsOf(name: string, present: ReadonlySet<string>): string[] {
  const at = ruleFormats.findIndex((format) => format.name === name);
  const pathsOf = (places: RuleFormat['places']) => places.flatMap(({ firstOf }) => firstOf);
  const own = pathsOf(ruleFormats[at]?.places ?? []);
  return ruleFormats
    .slice(at + 1)
    .filter((format) => !present.has(format.name) && pathsOf(format.places).some((path) => own.includes(path)))
    .map((format) => format.name);
}

/** If one format is left out, the list names all others, so that formats without files here are read later too. */
function asChoice(chosen: ReadonlySet<string>, standIns: readonly string[]): FormatChoice {
  if (chosen.size === 0) return 'none';
  if (formatNames.every((name) => chosen.has(name) || standIns.includes(name))) return 'all';
  return formatNames.filter((name) => chosen.has(name));
}

type FileChange = FormatsChange['files'][number];
type Seen = Pick<FileChange, 'relativePath' | 'format' | 'tokens'> & NonNullable<FileChange['after']>;

function changedFiles(seenBefore: ReadonlyMap<string, Seen>, seenAfter: ReadonlyMap<string, Seen>): FileChange[] {
  const changes: FileChange[] = [];
  for (const path of new Set([...seenBefore.keys(), ...seenAfter.keys()])) {
    const [was, is] = [seenBefore.get(path), seenAfter.get(path)];
    if (was?.state === is?.state) continue;
    changes.push({
      path,
      relativePath: (is ?? was)?.relativePath ?? path,
      format: is?.format ?? was?.format,
      tokens: is?.tokens ?? was?.tokens,
      before: was && { state: was.state, reason: was.reason },
      after: is && { state: is.state, reason: is.reason },
    });
  }
  return changes.sort((a, b) => compareText(a.relativePath, b.relativePath));
}

function seenIn({ mountedDirectory, files, excluded }: ResolveResult, homeDirectory: string): Map<string, Seen> {
  const seen = new Map<string, Seen>();
  for (const { path, format, reason } of excluded)
    seen.set(path, {
      relativePath: shownPath(path, { mountedDirectory, homeDirectory }),
      state: 'excluded',
      reason,
      format,
    });
  for (const { path, relativePath, format, tokens, state, reason } of files)
    seen.set(path, { relativePath, tokens, state, reason, format });
  return seen;
}

function changedServers(before: ResolveResult, after: ResolveResult): FormatsChange['servers'] {
  const [was, is] = [before, after].map(({ config }) => config.mcpServers) as [Servers, Servers];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort(compareText);
  return names.flatMap((name) => {
    const [defined, stays] = [Object.hasOwn(was, name), Object.hasOwn(is, name)];
    return defined === stays ? [] : [{ name, change: defined ? ('removed' as const) : ('added' as const) }];
  });
}

type Servers = ResolveResult['config']['mcpServers'];

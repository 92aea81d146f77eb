/**
 * Looks at the disk for one request: context directories, configurations, included files, and the content of every file
 * that its path does not rule out (spec 1, merging algorithm steps 1 to 5; CC-06, CC-15, CC-16).
 */
import { ContextdError } from '../errors.ts';
import type { FileSnapshot } from '../gate.ts';
import { isInside } from '../paths.ts';
import { decideSensitive } from '../sensitive.ts';
import type { Reason, Warning } from '../warnings.ts';
import { type Candidate, isSupportedType } from './candidate.ts';
import {
  type ContextDirectory,
  globalContextDirectory,
  planContextDirectories,
  staticFallback,
} from './directories.ts';
import { decideExclusion, decideIgnored, exclusionWarnings } from './exclusion.ts';
import { expandIncludes } from './includes.ts';
import { type LoadedDirectory, loadDirectory, refusalWords } from './load-directory.ts';
import { type LoadedConfig, type MergedConfig, mergeConfigs } from './merge.ts';
import type { NormalizedRequest } from './normalize-request.ts';
import { limitWarnings, type World } from './world.ts';

/** What one AI working directory sees. `ruledOut` holds the reasons that paths alone decide. */
export type Chain = Readonly<{
  workingDirectory: string;
  filesInPlay: readonly string[];
  directories: readonly LoadedDirectory[];
  configs: readonly LoadedConfig[];
  merged: MergedConfig;
  candidates: readonly Candidate[];
  ruledOut: ReadonlyMap<string, Reason>;
}>;

export type Gathered = Readonly<{
  chains: readonly Chain[];
  /** By path: the content, or the reason there is none. */
  contents: ReadonlyMap<string, FileSnapshot | Reason>;
  warnings: readonly Warning[];
  /** Identity of everything that was seen: equal evidence, equal answer. */
  evidence: readonly unknown[];
}>;

export async function gatherContext(
  request: NormalizedRequest,
  world: World,
  homeDirectory: string,
): Promise<Gathered> {
  const { mountedDirectory } = request;
  await checkMountedDirectory(mountedDirectory, world);
  const loaded = new Map<string, Promise<LoadedDirectory>>();
  const load = (directory: ContextDirectory): Promise<LoadedDirectory> => {
    const known = loaded.get(directory.path) ?? loadDirectory(directory, world, mountedDirectory);
    loaded.set(directory.path, known);
    return known;
  };
  const warnings: Warning[] = [];
  const evidence: unknown[] = [];
  const chains: Chain[] = [];
  for (const { path: workingDirectory, filesInPlay } of request.workingDirectories) {
    const directories = await loadChain(request, workingDirectory, load);
    const configs = directories.flatMap((directory) => directory.configs);
    const merged = mergeConfigs(configs);
    const working = workingContextDirectory(request, workingDirectory);
    const included = await expandIncludes(merged, world, { mountedDirectory, working, homeDirectory });
    const candidates = uniqueCandidates([
      ...directories.flatMap((directory) => directory.candidates),
      ...included.candidates,
    ]);
    const place = { workingDirectory, homeDirectory };
    const ruledOut = new Map<string, Reason>();
    for (const candidate of candidates) {
      const reason = decideByPath(candidate, merged, place);
      if (reason) ruledOut.set(candidate.path, reason);
    }
    for (const directory of directories) {
      warnings.push(...directory.warnings, ...unsupportedWarning(directory, ruledOut));
      evidence.push(...directory.evidence);
    }
    warnings.push(...exclusionWarnings(merged), ...included.warnings);
    evidence.push(...included.evidence);
    chains.push({ workingDirectory, filesInPlay, directories, configs, merged, candidates, ruledOut });
  }
  const contents = await readContents(chains, world, warnings);
  for (const [path, content] of contents) evidence.push('sha256' in content ? content : `${path}:${content.code}`);
  warnings.push(...limitWarnings(world));
  return { chains, contents, warnings, evidence };
}

async function checkMountedDirectory(mountedDirectory: string, world: World): Promise<void> {
  const pointer = '/mountedDirectory';
  const outside = (): ContextdError => {
    const message =
      'The mounted directory lies outside the granted roots. Grant it with "contextd roots grant <dir>", POST /v1/roots, or --grant-root.';
    return new ContextdError('path_outside_roots', message, [{ pointer, message }]);
  };
  const { roots } = world.reach;
  if (!roots.some((root) => isInside(root.path, mountedDirectory) || isInside(root.realPath, mountedDirectory)))
    throw outside();
  const real = await world.gate.realPath(mountedDirectory);
  if (!real.ok) {
    const message =
      real.code === 'unreadable'
        ? 'The mounted directory cannot be reached (permissions).'
        : 'The mounted directory does not exist.';
    throw new ContextdError('not_found', message, [{ pointer, message }]);
  }
  if (!roots.some((root) => isInside(root.realPath, real.realPath))) throw outside();
  const stat = await world.gate.stat(real.realPath);
  if (!stat.ok || stat.kind !== 'directory') {
    const message = 'The mounted directory is not a directory.';
    throw new ContextdError('invalid_request', message, [{ pointer, message }]);
  }
}

async function loadChain(
  request: NormalizedRequest,
  workingDirectory: string,
  load: (directory: ContextDirectory) => Promise<LoadedDirectory>,
): Promise<LoadedDirectory[]> {
  const { mountedDirectory, clientContextPath, scopes } = request;
  const global = globalContextDirectory(request.globalContextPath, clientContextPath);
  const planned = planContextDirectories({ mountedDirectory, workingDirectory, clientContextPath, scopes, global });
  const directories = await Promise.all(planned.map(load));
  if (!scopes.has('static') || scopes.has('dynamic')) return directories;
  const mounted = directories.find((directory) => directory.directory.scope === 'static');
  if (mounted?.present) return directories;
  const fallback = await load(staticFallback({ mountedDirectory, workingDirectory, clientContextPath }));
  return [...directories.filter((directory) => directory !== mounted), fallback];
}

function workingContextDirectory(request: NormalizedRequest, workingDirectory: string): ContextDirectory {
  const { mountedDirectory, clientContextPath } = request;
  const scope = workingDirectory === mountedDirectory ? 'static' : 'dynamic';
  return { ...staticFallback({ mountedDirectory, workingDirectory, clientContextPath }), scope };
}

/** A file that a context directory holds and a pattern includes belongs to the context directory. */
function uniqueCandidates(candidates: readonly Candidate[]): Candidate[] {
  const unique = new Map<string, Candidate>();
  for (const candidate of candidates) if (!unique.has(candidate.path)) unique.set(candidate.path, candidate);
  return [...unique.values()];
}

function decideByPath(
  candidate: Candidate,
  merged: MergedConfig,
  place: { workingDirectory: string; homeDirectory: string },
): Reason | undefined {
  const sensitive = decideSensitive(candidate.path);
  if (sensitive) return { code: 'sensitive', detail: sensitive.pattern };
  const excluded = decideExclusion(candidate, merged, place);
  if (excluded) return excluded;
  const ignored = decideIgnored(candidate, merged, place.workingDirectory);
  if (ignored) return ignored;
  if (candidate.refusal) return refusalReason(candidate.refusal);
  return isSupportedType(candidate.path) ? undefined : { code: 'unsupported_type' };
}

/** A refusal in the words of `excluded` (api.md). */
function refusalReason(code: string): Reason {
  const known =
    { pseudo_file: 'not_regular_file', not_directory: 'not_regular_file', io_error: 'unreadable' }[code] ?? code;
  return { code: known, detail: refusalWords[code] ?? code };
}

/** CC-24: one warning per context directory. */
function unsupportedWarning(directory: LoadedDirectory, ruledOut: ReadonlyMap<string, Reason>): Warning[] {
  const paths = directory.candidates
    .map(({ path }) => path)
    .filter((path) => ruledOut.get(path)?.code === 'unsupported_type');
  if (paths.length === 0) return [];
  const shown = paths.slice(0, 5).map((path) => path.slice(directory.directory.path.length + 1));
  const more = paths.length > shown.length ? ` and ${paths.length - shown.length} more` : '';
  const message = `Only .md, .mdc and .txt files are used as context; left out: ${shown.join(', ')}${more}.`;
  return [{ code: 'unsupported_type', message, path: directory.directory.path }];
}

const parallelReads = 32;

/** Reads what no path rule leaves out, most specific first, so that a limit costs the least specific (CC-06, CC-35). */
async function readContents(
  chains: readonly Chain[],
  world: World,
  warnings: Warning[],
): Promise<Map<string, FileSnapshot | Reason>> {
  const depths = new Map<string, number>();
  for (const { candidates, ruledOut } of chains)
    for (const { path, directory } of candidates)
      if (!ruledOut.has(path)) depths.set(path, Math.max(directory.depth, depths.get(path) ?? -1));
  const paths = [...depths]
    .sort(([a, depthA], [b, depthB]) => depthB - depthA || (a < b ? -1 : 1))
    .map(([path]) => path);
  const { contextFiles, fileBytes, answerBytes } = world.limits;
  const contents = new Map<string, FileSnapshot | Reason>();
  let bytesLeft = answerBytes;
  let overBytes = 0;
  for (let at = 0; at < Math.min(paths.length, contextFiles); at += parallelReads) {
    const batch = paths.slice(at, Math.min(at + parallelReads, contextFiles));
    const reads = await Promise.all(
      batch.map((path) =>
        bytesLeft > 0 ? world.gate.read(path, { ...world.reach, maxBytes: fileBytes }) : Promise.resolve(undefined),
      ),
    );
    for (const [index, read] of reads.entries()) {
      const path = batch[index] as string;
      if (read?.ok === false) {
        contents.set(path, refusalReason(read.code));
        if (read.code === 'unreadable')
          warnings.push({ code: 'unreadable', message: 'Permissions forbid reading this.', path });
        continue;
      }
      const bytes = read === undefined ? Number.POSITIVE_INFINITY : Math.min(read.snapshot.bytes, fileBytes);
      if (read === undefined || bytes > bytesLeft) {
        overBytes += 1;
        bytesLeft = Math.min(bytesLeft, 0);
        contents.set(path, { code: 'limit_reached', detail: `more than ${answerBytes} bytes of context` });
      } else {
        bytesLeft -= bytes;
        contents.set(path, read.snapshot);
      }
    }
  }
  for (const path of paths.slice(contextFiles))
    contents.set(path, { code: 'limit_reached', detail: `more than ${contextFiles} context files` });
  const overFiles = Math.max(0, paths.length - contextFiles);
  if (overFiles > 0)
    warnings.push({
      code: 'limit_context_files',
      message: `Only ${contextFiles} context files are read per request; ${overFiles} were left out, the least specific first.`,
    });
  if (overBytes > 0)
    warnings.push({
      code: 'limit_total_bytes',
      message: `Only ${answerBytes} bytes of context are read per request; ${overBytes} files were left out, the least specific first.`,
    });
  return contents;
}

/**
 * Confines contextd's own MCP server to the directories that it was set up for (MC-05, S-36), because the caller of its
 * tools did not set it up. A call about another directory is refused, even if the user granted that directory. From
 * other places, answers have only the user's own global context and the files that the user added.
 */
import { homedir } from 'node:os';
import { isInside, joinPath, normalizePath, parentPath, relativePath } from '../access/paths.ts';
import { digestOf } from '../context/resolve.ts';
import type { ResolveResult } from '../context/resolve-result.ts';
import { ContextdError } from '../errors.ts';
import type { ContextRequest } from '../prompt/context-request.ts';
import type { ContextResult } from '../prompt/context-result.ts';
import { expandHome } from '../settings.ts';
import type { Reason, Warning } from '../warnings.ts';
import type { ContextVerbs } from './verbs.ts';

/** Has the code `path_outside_roots`. The user may have granted the place, but this server does not serve it. */
export class NotServedError extends ContextdError {
  constructor(pointer: string, served: readonly string[]) {
    const message = `This server serves only ${served.join(', ')}. The user can change that in its setup: with --mount, with “mountedDirectory” in its address, or with the roots of the client.`;
    super('path_outside_roots', message, [{ pointer, message }]);
  }
}

const notServed: Reason = { code: 'outside_roots', detail: 'this server does not serve its directory' };

/** `servedDirectories`: the directories as they were written, or `undefined` if the server serves all granted roots. */
export function confineVerbs(
  verbs: ContextVerbs,
  servedDirectories: () => Promise<readonly string[] | undefined>,
): ContextVerbs {
  const confined =
    <Request extends { mountedDirectory: string }, Result>(
      verb: (request: Request, signal?: AbortSignal) => Promise<Result>,
      confine: (place: Place, request: Request, signal?: AbortSignal) => Promise<Result>,
    ) =>
    async (request: Request, signal?: AbortSignal): Promise<Result> => {
      const served = await servedDirectories();
      if (served === undefined) return verb(request, signal);
      const place = await createPlace(served, verbs.realPath);
      if (!(await place.holds(request.mountedDirectory))) throw new NotServedError('/mountedDirectory', served);
      return confine(place, request, signal);
    };

  return {
    ...verbs,
    resolve: confined(verbs.resolve, async (place, request) => {
      const result = await verbs.resolve(request);
      const withContents = async () =>
        request.content === false ? verbs.resolve({ ...request, content: true }) : result;
      return onlyServed(result, withContents, place);
    }),
    explain: confined(verbs.explain, async (place, { path, ...request }) => {
      const wanted = path === undefined ? undefined : place.absolute(path, request.mountedDirectory);
      if (path !== undefined && wanted !== undefined && (await place.holds(wanted)))
        return confineWarnings(await verbs.explain({ ...request, path }), request, { verbs, place });
      // The user's own global context is explained too.
      const [{ candidates, warnings }, { files }] = await Promise.all([
        verbs.explain(request),
        verbs.resolve({ ...request, content: false }),
      ]);
      const keep = keeper(place, files);
      const shown = await keep(candidates.filter((each) => wanted === undefined || each.path === wanted));
      if (wanted !== undefined && shown.length === 0) throw new NotServedError('/path', place.served);
      return { candidates: shown, warnings: await keep(warnings) };
    }),
    retrieve: confined(verbs.retrieve, async (place, request, signal) =>
      confineWarnings(await verbs.retrieve(request, signal), request, { verbs, place }),
    ),
    gather: confined(verbs.gather, async (place, request, signal) =>
      confineWarnings(await gatherServed(request, { verbs, place, signal }), request, { verbs, place }),
    ),
    search: confined(verbs.search, async (place, request) => {
      const { mountedDirectory } = request;
      const [found, { files }] = await Promise.all([
        verbs.search(request),
        verbs.resolve({ mountedDirectory, content: false }),
      ]);
      const keep = keeper(place, files);
      const { rejected } = found;
      return {
        ...found,
        results: await keep(found.results),
        warnings: await keep(found.warnings),
        rejected: rejected && (await keep(rejected)),
      };
    }),
    checkPolicy: confined(verbs.checkPolicy, async (place, request) => {
      const absolute = request.paths.map((path) => place.absolute(path, request.mountedDirectory));
      const isServed = await Promise.all(absolute.map(place.holds));
      const asked = await verbs.checkPolicy({ ...request, paths: request.paths.filter((_, index) => isServed[index]) });
      const decided = asked.decisions.values();
      const decisions = absolute.map((path, index) => {
        const own = isServed[index] ? decided.next().value : undefined;
        return own ?? { path, allowed: false, reason: notServed, decidedBy: null };
      });
      return confineWarnings({ ...asked, decisions }, request, { verbs, place });
    }),
  };
}

type Place = Readonly<{
  served: readonly string[];
  absolute(path: string, mountedDirectory: string): string;
  holds(path: string): Promise<boolean>;
}>;

/** Compares real paths, because a directory may have several names, and links lead elsewhere. */
async function createPlace(served: readonly string[], realPath: ContextVerbs['realPath']): Promise<Place> {
  const home = homedir();
  const toAbsolute = (path: string): string => normalizePath(expandHome(path, home));
  const tops = await Promise.all(served.map((each) => realOf(toAbsolute(each), realPath)));
  const holds = async (path: string): Promise<boolean> => {
    const real = await realOf(toAbsolute(path), realPath);
    return tops.some((top) => isInside(top, real));
  };
  return {
    served,
    holds,
    absolute: (path, mountedDirectory) =>
      joinPath(toAbsolute(mountedDirectory), expandHome(path.replaceAll('\\', '/'), home)),
  };
}

/** The real path of a path that need not exist. */
async function realOf(path: string, realPath: ContextVerbs['realPath']): Promise<string> {
  for (let known = path; known !== '/'; known = parentPath(known)) {
    const real = await realPath(known);
    if (real !== undefined) return joinPath(real, relativePath(known, path));
  }
  return path;
}

async function confineWarnings<Result extends { warnings: Warning[] }>(
  result: Result,
  { mountedDirectory }: { mountedDirectory: string },
  { verbs, place }: { verbs: ContextVerbs; place: Place },
): Promise<Result> {
  if (result.warnings.length === 0) return result;
  const { files } = await verbs.resolve({ mountedDirectory, content: false });
  return { ...result, warnings: await keeper(place, files)(result.warnings) };
}

/** Keeps warnings without a file, and those about served files or the user's global context. */
function keeper(place: Place, files: Files) {
  const globals = new Set(files.flatMap(({ path, scope }) => (scope === 'global' ? [path] : [])));
  return async <Item extends { path?: string | undefined }>(items: readonly Item[]): Promise<Item[]> => {
    const kept = await Promise.all(
      items.map(({ path }) => path === undefined || globals.has(path) || place.holds(path)),
    );
    return items.filter((_, index) => kept[index]);
  };
}

type Files = ResolveResult['files'];

/** Active files outside of the served directories, which the answer would have without this filter. */
async function rulesFromElsewhere(
  { mountedDirectory, workingDirectory, documents = [], query, mentions, expand, include }: ContextRequest,
  { verbs, place }: { verbs: ContextVerbs; place: Place },
): Promise<Files> {
  if (include?.rules === false) return [];
  const paths = documents.map(({ path }) => path);
  const asked = { mountedDirectory, workingDirectory, files: paths, query, mentions, expand, content: false };
  const { files } = await verbs.resolve(asked);
  const own = new Set(await keeper(place, files)(files));
  return files.filter((file) => file.state === 'active' && !own.has(file));
}

/** Gathers without rules from other directories. These do not use up the budget of the served ones. */
async function gatherServed(
  request: ContextRequest,
  { verbs, place, signal }: { verbs: ContextVerbs; place: Place; signal: AbortSignal | undefined },
): Promise<ContextResult> {
  const others = await rulesFromElsewhere(request, { verbs, place });
  const roomy = withoutFiles(await verbs.gather(withRoomFor(others, request), signal), others);
  const { maxTokens = roomy.usage.tokens } = request.budget ?? {};
  return roomy.usage.tokens <= maxTokens ? roomy : withoutFiles(await verbs.gather(request, signal), others);
}

/** The request with a budget that has room for `others` too. */
function withRoomFor(others: Files, request: ContextRequest): ContextRequest {
  const { maxTokens } = request.budget ?? {};
  if (maxTokens === undefined || others.length === 0) return request;
  const tokens = others.reduce((sum, file) => sum + file.tokens, maxTokens);
  return { ...request, budget: { ...request.budget, maxTokens: tokens } };
}

function withoutFiles(found: ContextResult, others: Files): ContextResult {
  if (others.length === 0) return found;
  const paths = new Set(others.map(({ path }) => path));
  const isServed = ({ path = '' }: { path?: string | undefined }): boolean => !paths.has(path);
  const gone = found.items.filter((item) => !isServed(item));
  const tokens = gone.reduce((sum, item) => sum + item.tokens, 0);
  const { usage } = found;
  return {
    ...found,
    items: found.items.filter(isServed),
    omitted: found.omitted.filter(isServed),
    usage: { ...usage, tokens: usage.tokens - tokens },
  };
}

/**
 * Leaves out files that a configuration includes from other directories. `withContents`: asks for the same answer with
 * contents.
 */
async function onlyServed(
  result: ResolveResult,
  withContents: () => Promise<ResolveResult>,
  place: Place,
): Promise<ResolveResult> {
  const { files, excluded, usage } = result;
  const keep = keeper(place, files);
  const warnings = await keep(result.warnings);
  const shown = await keep(files);
  if (shown.length === files.length) return { ...result, warnings };
  const isShown = new Set(shown);
  const others = files.filter((file) => !isShown.has(file));
  const active = others.filter(({ state }) => state === 'active');
  // Only an answer with contents tells how many bytes of each file count.
  const sized = active.length === 0 ? [] : (await withContents()).files;
  const contents = new Map(sized.map(({ path, content = '' }) => [path, content]));
  return {
    ...result,
    files: shown,
    excluded: [...excluded, ...others.map(({ path }) => ({ path, reason: notServed }))],
    warnings,
    usage: {
      ...usage,
      files: usage.files - active.length,
      bytes: usage.bytes - active.reduce((sum, { path }) => sum + Buffer.byteLength(contents.get(path) ?? ''), 0),
      tokens: usage.tokens - active.reduce((sum, { tokens }) => sum + tokens, 0),
    },
    digest: digestOf(shown),
  };
}

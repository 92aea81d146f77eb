/** Makes all paths of a request absolute and normalised, or refuses it with code and pointer (CC-03, CC-22, S-34). */

import { isInside, joinPath, normalizePath, parentPath, relativePath } from '../access/paths.ts';
import { ContextdError, refuseField } from '../errors.ts';
import { defaultEncoding, type TokenEncoding } from '../ports/token-encoding.ts';
import { type EngineSettings, expandHome, parseClientContextPath } from '../settings.ts';
import { compareText } from '../texts/compare-text.ts';
import { fieldErrorsOf } from '../texts/parse-input.ts';
import { chooseFormats, FormatChoice } from './formats/choose-formats.ts';
import type { Scope } from './item-values.ts';
import type { Expand } from './offered-part.ts';
import type { ResolveRequest } from './resolve-request.ts';
import type { OmittedPath } from './resolve-result.ts';

/** `workingDirectories`: each AI working directory, with the files in play that decide about triggers there. */
export type NormalizedRequest = {
  mountedDirectory: string;
  workingDirectories: { path: string; filesInPlay: string[] }[];
  mentions: string[];
  query?: string;
  /** Files that are delivered whole if the query selects them. */
  expand?: Expand;
  scopes: ReadonlySet<Scope>;
  maxTokens?: number;
  encoding: TokenEncoding;
  /** Count only the tokens of active files. Counting the others takes longer than the rest of the request. */
  countsActiveOnly?: true;
  /** Names of the formats of other tools that are read. With `narrowed`, only those that configurations allow. */
  formats: readonly string[];
  narrowed: boolean;
  /** A choice of formats that replaces the choice of a configuration. */
  instead?: FormatsInstead;
  clientContextPath: string;
  /** The directory that holds the global context directory, as the request or the settings give it. */
  globalContextPath: string;
  /** What the request named but the answer does not use. */
  omitted: readonly OmittedPath[];
};

/** A configuration of the directory `owner`, which need not exist yet, and its assumed choice of formats. */
export type FormatsInstead = Readonly<{ path: string; owner: string; formats: FormatChoice }>;

/** The directory where paths of a request start. */
export type RequestPlace = Readonly<{ mountedDirectory: string; homeDirectory: string }>;

export function normalizeRequest(
  request: ResolveRequest,
  context: { homeDirectory: string; settings: EngineSettings; omitted?: readonly OmittedPath[] },
): NormalizedRequest {
  const { homeDirectory, settings, omitted = [] } = context;
  const mountedDirectory = absolutePath(request.mountedDirectory, '/mountedDirectory', homeDirectory);
  const place = { mountedDirectory, homeDirectory };
  const inside = (path: string, pointer: string): string => insidePath(path, pointer, place);
  const files = (request.files ?? []).map((path, index) => inside(path, `/files/${index}`));
  const workingDirectory =
    request.workingDirectory === undefined ? undefined : inside(request.workingDirectory, '/workingDirectory');
  let clientContextPath = settings.clientContextPath;
  if (request.clientContextPath !== undefined) {
    const parsed = parseClientContextPath(request.clientContextPath);
    if (parsed.value === undefined)
      throw invalid('/clientContextPath', `The client context path cannot be used: ${parsed.problem}.`);
    clientContextPath = parsed.value;
  }
  return {
    mountedDirectory,
    omitted,
    workingDirectories: workingDirectories({ mountedDirectory, workingDirectory, files }),
    mentions: (request.mentions ?? []).map((mention) => mentioned(mention, place)),
    query: request.query,
    expand: request.expand && expanded(request.expand, place),
    scopes: new Set(request.scopes ?? ['global', 'static', 'dynamic']),
    maxTokens: request.budget?.maxTokens,
    encoding: request.budget?.encoding ?? defaultEncoding,
    formats: chooseFormats(settings.formats, checkedFormats(request.formats)),
    narrowed: true,
    clientContextPath,
    globalContextPath:
      request.globalContextPath === undefined
        ? normalizePath(settings.globalContextPath ?? homeDirectory)
        : absolutePath(request.globalContextPath, '/globalContextPath', homeDirectory),
  };
}

/** CC-22: the directory of the request, otherwise that of each file in play, otherwise the mounted directory. */
function workingDirectories(options: {
  mountedDirectory: string;
  workingDirectory: string | undefined;
  files: string[];
}): { path: string; filesInPlay: string[] }[] {
  const { mountedDirectory, workingDirectory, files } = options;
  if (workingDirectory !== undefined) return [{ path: workingDirectory, filesInPlay: files }];
  const byDirectory = new Map<string, string[]>();
  for (const file of files) {
    const directory = file === mountedDirectory ? mountedDirectory : parentPath(file);
    byDirectory.set(directory, [...(byDirectory.get(directory) ?? []), file]);
  }
  if (byDirectory.size === 0) return [{ path: mountedDirectory, filesInPlay: [] }];
  return [...byDirectory]
    .map(([path, filesInPlay]) => ({ path, filesInPlay }))
    .sort((a, b) => compareText(a.path, b.path));
}

/** A path of a request, absolute and normalised. Throws `invalid_request` at `pointer`. */
export function absolutePath(path: string, pointer: string, homeDirectory: string): string {
  const expanded = expandHome(checkedPath(path, pointer), homeDirectory);
  if (!expanded.startsWith('/')) throw invalid(pointer, 'The path must be absolute, or start with "~/".');
  return normalizePath(expanded);
}

/** Like `placePath`, for a path that must be inside the mounted directory. Throws `path_outside_roots` if it is not. */
export function insidePath(path: string, pointer: string, place: RequestPlace): string {
  const absolute = placePath(path, pointer, place);
  if (!isInside(place.mountedDirectory, absolute))
    throw refuseField('path_outside_roots', pointer, 'The path lies outside the mounted directory.');
  return absolute;
}

/** A path of a request, relative to the mounted directory or absolute. Throws `invalid_request` at `pointer`. */
export function placePath(path: string, pointer: string, { mountedDirectory, homeDirectory }: RequestPlace): string {
  return joinPath(mountedDirectory, expandHome(checkedPath(path, pointer), homeDirectory));
}

/** A path as answers show it: relative to the mounted directory, or from `~`. */
export function shownPath(path: string, { mountedDirectory, homeDirectory }: RequestPlace): string {
  if (isInside(mountedDirectory, path)) return relativePath(mountedDirectory, path);
  return isInside(homeDirectory, path) ? `~/${relativePath(homeDirectory, path)}` : path;
}

function expanded(expand: Expand, place: RequestPlace): Expand {
  return expand === 'all' ? expand : expand.map((each) => mentioned(each, place));
}

/** A mention is a name or a path. If it begins with `~/`, `./` or `../`, it becomes an absolute path. */
function mentioned(mention: string, place: RequestPlace): string {
  const path = mention.replaceAll('\\', '/');
  if (!/^(?:~|\.\.?)\//u.test(path)) return path;
  return joinPath(place.mountedDirectory, expandHome(path, place.homeDirectory));
}

/** Commands without a daemon do not check the body by its schema. */
function checkedFormats(formats: ResolveRequest['formats']): ResolveRequest['formats'] {
  if (formats === undefined) return undefined;
  const { error } = FormatChoice.safeParse(formats);
  if (error === undefined) return formats;
  const errors = fieldErrorsOf(error).map(({ pointer, message }) => ({ pointer: `/formats${pointer}`, message }));
  throw new ContextdError('invalid_request', 'The request is not valid.', errors);
}

/** Changes separators to `/`, and refuses forms that could be read as a different place. */
function checkedPath(path: string, pointer: string): string {
  if (/^[A-Za-z]:[\\/]|^\\\\/u.test(path)) throw invalid(pointer, 'Windows paths do not work on this system.');
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//u.test(path)) throw invalid(pointer, 'A URL is not a path; send the path itself.');
  if (/%(?:2e|2f|5c)/iu.test(path)) throw invalid(pointer, 'The path is percent-encoded; send it decoded.');
  return path.replaceAll('\\', '/');
}

function invalid(pointer: string, message: string): ContextdError {
  return refuseField('invalid_request', pointer, message);
}

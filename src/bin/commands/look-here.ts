/** Finds out what a model would see of a project, for a first overview. */
import { baseName } from '../../access/paths.ts';
import type { FormatsRequest, FormatsResult } from '../../context/formats-request.ts';
import type { ResolveRequest } from '../../context/resolve-request.ts';
import type { ResolveResult } from '../../context/resolve-result.ts';
import { ignoreKinds } from '../../ignore/ignore-kinds.ts';
import type { PolicyList } from '../../policy/policy-requests.ts';
import { languageOf } from '../../retrieval/imports/languages.ts';
import { unsupportedLanguageOf } from '../../retrieval/imports/unsupported-languages.ts';
import type { FileSearchRequest, FileSearchResult } from '../../supplementary/supplementary-item.ts';
import { compareText } from '../../texts/compare-text.ts';
import type { Warning } from '../../warnings.ts';
import { type Asker, openAsker, type Question } from '../in-process/ask-engine.ts';
import type { FoundHere } from '../render/found-here.ts';
import type { Surroundings } from '../state/state-directory.ts';

/** Files that are bad examples: hidden files, configurations, code of others, tests and declarations of types. */
const unusual = /(?:^|\/)\.|\.config\.\w+$/u;
const ofOthers = /(?:^|\/)(?:third_party|vendor)\//u;
const testsOrDeclares =
  /(?:^|\/)(?:(?:__tests__|tests?|spec|e2e)\/|test_[^/]*$|conftest\.py$)|[._-](?:test|spec)\.\w+$|\.d\.[cm]?ts$/iu;
/** Rule files that apply to their directory and below. */
const textsOfDirectories = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'];
/** One of these is part of every name of an ignore file. */
const namesOfIgnoreFiles = ['ignore', 'aiexclude', 'noai'];
/** Max files to search per name. */
const looked = 1_000;
/** Max `files` of one request. */
const filesOfRequest = 256;

/** Asks the daemon, or an engine in this process. Throws `ContextdError`. */
export async function lookHere(
  mountedDirectory: string,
  options: { stateDir: string | undefined; surroundings: Surroundings },
): Promise<FoundHere> {
  const asker = await openAsker(mountedDirectory, options);
  try {
    return await look(mountedDirectory, asker);
  } finally {
    await asker.dispose();
  }
}

async function look(mountedDirectory: string, asker: Asker): Promise<FoundHere> {
  const place = { mountedDirectory };
  const ask: <Request extends typeof place, Result extends { warnings: Warning[] }>(
    question: Question<Request, Result>,
  ) => Promise<Result> = async (question) => (await asker.ask(question)).result;
  const filesLike = async (query: string): Promise<string[]> => {
    const { files } = await ask<FileSearchRequest, FileSearchResult>({
      path: '/v1/workspace/files/search',
      request: { ...place, query, limit: looked },
      ask: (engine, request) => engine.supplementary.searchFiles(request),
    });
    return files.map(({ relativePath }) => relativePath);
  };
  const whole = await ask(resolveOf({ ...place, content: false }));
  const { formats, files } = await ask<FormatsRequest, FormatsResult>({
    path: '/v1/formats',
    method: 'GET',
    request: place,
    ask: (engine, request) => engine.formats(request),
  });
  const { policies } = await ask<typeof place, PolicyList>({
    path: '/v1/policy',
    method: 'GET',
    request: place,
    ask: (engine, request) => engine.policy.list(request.mountedDirectory),
  });
  const texts: string[] = [];
  for (const name of textsOfDirectories)
    texts.push(...(await filesLike(name)).filter((path) => path.endsWith(`/${name}`) && !unusual.test(path)));
  const below: string[] = [];
  for (let at = 0; at < texts.length; at += filesOfRequest) {
    const some = texts.slice(at, at + filesOfRequest);
    const counting = countingIn(await ask(resolveOf({ ...place, files: some, content: false })));
    below.push(...some.filter((path) => counting.has(path)));
  }
  const file = (await exampleOf(whole, below, filesLike)) ?? exampleFile(await filesLike('.'));
  const ignoreFiles: string[] = [];
  for (const name of namesOfIgnoreFiles) ignoreFiles.push(...(await filesLike(name)).filter(isIgnoreFile));
  const about = file === undefined ? undefined : await ask(resolveOf({ ...place, files: [file], content: false }));
  const leftOut = whole.excluded.filter(({ path }) => path.startsWith(`${whole.mountedDirectory}/`));
  const firstOf = (name: string): string | undefined =>
    files.find(({ format }) => format === name)?.relativePath ??
    leftOut.find(({ format }) => format === name)?.path.slice(whole.mountedDirectory.length + 1);
  const isActive = ({ state }: { state: string }): boolean => state === 'active';
  return {
    mountedDirectory: whole.mountedDirectory,
    below: below.length,
    policies: policies.length,
    ignoreFiles: ignoreFiles.toSorted(compareText),
    formats: formats.map((each) => {
      const first = firstOf(each.name);
      return { ...each, ...(first !== undefined && { first }) };
    }),
    ownFiles: whole.files.filter(({ source }) => source !== 'format' && source !== 'import').length,
    always: whole.files.filter(isActive).length,
    ...(file !== undefined &&
      about && {
        example: { relativePath: file, applies: about.files.filter(isActive), tokens: about.usage.tokens },
      }),
  };
}

/** The paths of files that apply, or that only do not because another file has the same text. */
function countingIn({ mountedDirectory, files, excluded }: ResolveResult): ReadonlySet<string> {
  const same = excluded.filter(({ reason }) => reason.code === 'duplicate');
  return new Set([...files, ...same].map(({ path }) => path.slice(mountedDirectory.length + 1)));
}

/** If only directories below have rules, a file in the first of these. */
async function exampleOf(
  { files }: ResolveResult,
  below: readonly string[],
  filesLike: (query: string) => Promise<string[]>,
): Promise<string | undefined> {
  const [first] = below;
  if (files.length > 0 || first === undefined) return undefined;
  const directory = first.slice(0, first.lastIndexOf('/') + 1);
  return exampleFile((await filesLike(directory)).filter((path) => path.startsWith(directory)));
}

/** Whether it is an ignore file that keeps files from models, not only from search. */
export const isIgnoreFile = (path: string): boolean =>
  ignoreKinds.some((kind) => kind.path === baseName(path) && kind.isForSearch !== true);

/** The first source file in the most frequent language. */
export function exampleFile(paths: readonly string[]): string | undefined {
  const sources = paths.filter((path) => (languageOf(path) ?? unsupportedLanguageOf(path)) !== undefined);
  const usual = sources.filter((path) => ![unusual, testsOrDeclares, ofOthers].some((each) => each.test(path)));
  const byEnd = Map.groupBy(usual.length > 0 ? usual : sources, (path) => path.slice(path.lastIndexOf('.')));
  return [...byEnd.values()].toSorted((a, b) => b.length - a.length)[0]?.[0];
}

function resolveOf(request: ResolveRequest): Question<ResolveRequest, ResolveResult> {
  return { path: '/v1/context/resolve', request, ask: (engine, asked) => engine.resolve(asked) };
}

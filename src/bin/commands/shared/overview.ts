/** A first overview of a project: what a model would see of it. */
import { baseName, isInside, parentPath, relativePath } from '../../../access/paths.ts';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import { holdsPackages, packageMarks } from '../../../context/sources/vendored.ts';
import { ignoreKinds } from '../../../ignore/ignore-kinds.ts';
import { languageOf } from '../../../retrieval/imports/languages.ts';
import { unsupportedLanguageOf } from '../../../retrieval/imports/unsupported-languages.ts';
import { compareText } from '../../../texts/compare-text.ts';
import type { Warning } from '../../../warnings.ts';
import { type Asker, openAsker } from '../../in-process/ask-engine.ts';
import { type Question, questions } from '../../in-process/questions.ts';
import type { Overview } from '../../render/overview.ts';
import type { Surroundings } from '../../state/state-directory.ts';

/** Files that are bad examples: hidden files, configurations, code of others, tests and declarations of types. */
const unusual = /(?:^|\/)\.|\.config\.\w+$/u;
/** Only for examples: rules in such folders can be the project's own. */
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
export async function overviewOf(
  mountedDirectory: string,
  options: { stateDir: string | undefined; surroundings: Surroundings },
): Promise<Overview> {
  const asker = await openAsker(mountedDirectory, options);
  try {
    return await makeOverview(mountedDirectory, asker);
  } finally {
    await asker.dispose();
  }
}

async function makeOverview(mountedDirectory: string, asker: Asker): Promise<Overview> {
  const project = askAbout(mountedDirectory, asker);
  const whole = await project.resolve();
  const { formats, files } = await project.formats();
  const { policies } = await project.policies();
  const below = await rulesBelow(project);
  const example = await exampleOf(whole, below, project);
  const ignoreFiles: string[] = [];
  for (const name of namesOfIgnoreFiles) ignoreFiles.push(...(await project.filesLike(name)).filter(isIgnoreFile));
  const leftOut = whole.excluded
    .filter(({ path }) => isInside(whole.mountedDirectory, path))
    .map(({ format, path }) => ({ format, relativePath: relativePath(whole.mountedDirectory, path) }));
  const firstOf = (name: string): string | undefined =>
    files.find(({ format }) => format === name)?.relativePath ??
    leftOut.find(({ format }) => format === name)?.relativePath;
  return {
    mountedDirectory: whole.mountedDirectory,
    below: below.length,
    policies: policies.length,
    ignoreFiles: ignoreFiles.toSorted(compareText),
    formats: formats.map((each) => ({ ...each, first: firstOf(each.name) })),
    ownFiles: whole.files.filter(({ source }) => source !== 'format' && source !== 'import').length,
    always: whole.files.filter(isActive).length,
    example,
  };
}

type Project = ReturnType<typeof askAbout>;

/** The questions about a project. */
function askAbout(mountedDirectory: string, asker: Asker) {
  const place = { mountedDirectory };
  const ask: <Request extends typeof place, Result extends { warnings: Warning[] }>(
    question: Question<Request, Result>,
  ) => Promise<Result> = async (question) => (await asker.ask(question)).result;
  return {
    resolve: (files?: string[]) => ask(questions.resolve({ ...place, files, content: false })),
    formats: () => ask(questions.formats(place)),
    policies: () => ask(questions.listPolicies(place)),
    async filesLike(query: string): Promise<string[]> {
      const { files } = await ask(questions.searchFiles({ ...place, query, limit: looked }));
      return files.map(({ relativePath }) => relativePath);
    },
  };
}

/** The rule files of directories below that apply there. */
async function rulesBelow({ filesLike, resolve }: Project): Promise<string[]> {
  const copied: string[] = [];
  for (const mark of packageMarks)
    for (const path of await filesLike(`vendor/${mark}`))
      if (await holdsPackages(parentPath(path), (name) => baseName(path) === name)) copied.push(parentPath(path));
  const isOwn = (path: string): boolean => !unusual.test(path) && !copied.some((each) => path.startsWith(`${each}/`));
  const texts: string[] = [];
  for (const name of textsOfDirectories)
    texts.push(...(await filesLike(name)).filter((path) => path.endsWith(`/${name}`) && isOwn(path)));
  const below: string[] = [];
  for (let at = 0; at < texts.length; at += filesOfRequest) {
    const some = texts.slice(at, at + filesOfRequest);
    const counting = countingIn(await resolve(some));
    below.push(...some.filter((path) => counting.has(path)));
  }
  return below;
}

/** The paths of files that apply, or that only do not because another file has the same text. */
function countingIn({ mountedDirectory, files, excluded }: ResolveResult): ReadonlySet<string> {
  const same = excluded.filter(({ reason }) => reason.code === 'duplicate');
  return new Set([...files, ...same].map(({ path }) => relativePath(mountedDirectory, path)));
}

/** A source file, and what applies to it. If only directories below have rules, a file in the first of these. */
async function exampleOf(
  whole: ResolveResult,
  [firstBelow]: readonly string[],
  { filesLike, resolve }: Project,
): Promise<Overview['example']> {
  const isBelow = whole.files.length === 0 && firstBelow !== undefined;
  const directory = isBelow ? firstBelow.slice(0, firstBelow.lastIndexOf('/') + 1) : '';
  const near = isBelow ? (await filesLike(directory)).filter((path) => path.startsWith(directory)) : [];
  const relativePath = exampleFile(near) ?? exampleFile(await filesLike('.'));
  if (relativePath === undefined) return undefined;
  const { files, usage } = await resolve([relativePath]);
  return { relativePath, applies: files.filter(isActive), tokens: usage.tokens };
}

const isActive = ({ state }: { state: string }): boolean => state === 'active';

/** Whether it is an ignore file that keeps files from models, not only from search. */
export const isIgnoreFile = (path: string): boolean =>
  ignoreKinds.some((kind) => kind.path === baseName(path) && kind.isForSearch !== true);

/** The first source file in the most frequent language. MDX is for documents. */
export function exampleFile(paths: readonly string[]): string | undefined {
  const nameOf = (path: string) => languageOf(path) ?? unsupportedLanguageOf(path);
  const sources = paths.filter((path) => !['MDX', undefined].includes(nameOf(path)));
  const usual = sources.filter((path) => ![unusual, testsOrDeclares, ofOthers].some((each) => each.test(path)));
  const byEnd = Map.groupBy(usual.length > 0 ? usual : sources, (path) => path.slice(path.lastIndexOf('.')));
  return [...byEnd.values()].toSorted((a, b) => b.length - a.length)[0]?.[0];
}

/** The effects of a file of contextd in an editor. */
import { isInside, joinPath, relativePath } from '../../access/paths.ts';
import type { ContextFileSource } from '../../context/front-matter.ts';
import { readIncludePattern } from '../../context/sources/include-pattern.ts';
import { fileMatcher } from '../../context/triggers.ts';
import { exceptionGlobOf } from '../../policy/policy-file.ts';
import { fixedLimits } from '../../settings.ts';
import { checkConfig } from '../../validation/check-config.ts';
import { checkContextFile } from '../../validation/check-context-file.ts';
import { checkPolicy } from '../../validation/check-policy.ts';
import { findFile, matchesFrom } from '../../validation/find-file.ts';
import { checkRuleFile } from '../../validation/rule-files.ts';
import type { FileList } from '../in-process/list-files.ts';
import type { WrittenFile } from './written-file.ts';

/** `line`: from 0. `files`: the first affected files. */
export type Effect = Readonly<{ line: number; title: string; files: readonly string[] }>;

/** When `isStale`, the answer is not needed any more, and the search ends. */
type Where = Readonly<{ mountedDirectory: string; list: () => Promise<FileList>; isStale: () => boolean }>;

const maxExamples = 10;

/** In the order of lines. Throws `ContextdError` if the files cannot be listed. */
export async function effectsOf(file: WrittenFile, text: string, where: Where): Promise<Effect[]> {
  const { path, owner } = file;
  if (file.kind === 'context-file') return [await effectOfRule(file, text, where)];
  if (file.kind === 'context-config') {
    const included = checkConfig(text, path).patterns.filter(({ field }) => field === 'includeFiles');
    return Promise.all(
      included.map(async ({ pattern, place }) => {
        const found = await count(includes(pattern, owner), where);
        return { line: place.line - 1, title: `finds ${found.title}`, files: found.files };
      }),
    );
  }
  const { valid, aiContextPolicy, patterns } = checkPolicy(text, path);
  const matchers = patterns.map(({ pattern }) => exceptionOf(pattern, owner));
  const isException = (each: string): boolean => matchers.some((matches) => matches(each));
  const isKept = (each: string): boolean =>
    isInside(owner, each) && (!valid || isException(each) === (aiContextPolicy === 'allow'));
  const kept = await count(isKept, where);
  const exceptions = patterns.map(async ({ place }, index) => {
    const found = await count(matchers[index] as Matches, where);
    return { line: place.line - 1, title: `matches ${found.title}`, files: found.files };
  });
  const whole = { line: 0, title: `by itself keeps ${kept.title} from models`, files: kept.files };
  return [whole, ...(await Promise.all(exceptions))];
}

async function effectOfRule({ path, owner, rule }: WrittenFile, text: string, where: Where): Promise<Effect> {
  const frontMatterBytes = fixedLimits.request.frontMatterBytes;
  const { source } = rule ? checkRuleFile(text, { path, ...rule, frontMatterBytes }) : checkContextFile(text, { path });
  const said = (title: string): Effect => ({ line: 0, title, files: [] });
  const words = wordsOf(source);
  if (words !== undefined) return said(words);
  const { mountedDirectory } = where;
  const isEvery = source.trigger === 'always';
  // A rule in a directory below applies only there.
  if (isEvery && (owner === mountedDirectory || !isInside(mountedDirectory, owner))) return said('always applies');
  const matchers = source.globs.map((pattern) => fileMatcher(pattern, [mountedDirectory, owner]));
  const found = await count(
    (each) => each !== path && (isEvery ? isInside(owner, each) : matchers.some((matches) => matches(each))),
    where,
  );
  return { line: 0, title: `applies to ${found.title}`, files: found.files };
}

/** `undefined` if it depends on files. */
function wordsOf({ disabled, trigger, name }: ContextFileSource): string | undefined {
  if (disabled) return 'is disabled';
  if (trigger === 'agent') return 'applies when it fits what is asked';
  if (trigger === 'manual') return `applies when it is mentioned${name === undefined ? '' : `, as ${name}`}`;
  return undefined;
}

type Matches = (path: string) => boolean;

/** Like the source of included files. */
function includes(pattern: string, owner: string): Matches {
  const read = readIncludePattern(pattern.replaceAll('\\', '/'));
  if ('problem' in read) return () => false;
  const base = joinPath(owner, read.climbing);
  return (path) => matchesFrom(read.glob, base, path);
}

function exceptionOf(pattern: string, owner: string): Matches {
  const compiled = exceptionGlobOf(pattern);
  if ('problem' in compiled) return () => false;
  return (path) => matchesFrom(compiled.glob, owner, path);
}

async function count(matches: Matches, where: Where): Promise<{ title: string; files: string[] }> {
  const { mountedDirectory, list, isStale } = where;
  const { files, isWhole } = await list();
  const examples: string[] = [];
  let found = 0;
  const look = (path: string): boolean => {
    if (matches(path)) {
      found += 1;
      if (examples.length < maxExamples) examples.push(relativePath(mountedDirectory, path));
    }
    return isStale();
  };
  await findFile(files, look);
  return {
    title: `${found}${isWhole ? '' : ' or more'} ${found === 1 && isWhole ? 'file' : 'files'}`,
    files: examples,
  };
}

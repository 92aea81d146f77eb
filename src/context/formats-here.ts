/** Lists the rule files of other tools, and what each tool would see. All are views of the one composition (FM-03). */
import { isInside } from '../access/paths.ts';
import type { EngineCore } from '../engine-core.ts';
import { compareText } from '../texts/compare-text.ts';
import { uniqueWarnings, type Warning } from '../warnings.ts';
import { alwaysOn, warningOfCost } from './budget.ts';
import { chooseFormats } from './formats/choose-formats.ts';
import { formatNames } from './formats/format-names.ts';
import { ruleFormats } from './formats/formats.ts';
import { formatsOf, type Tool, tools } from './formats/tools.ts';
import { describeChange, ownChoice } from './formats-change.ts';
import type { FormatsRequest, FormatsResult, RuleFile } from './formats-request.ts';
import { findLinks, namedLinks } from './links-here.ts';
import { type LoadedConfig, leavesOut } from './merge.ts';
import type { ResolveResult } from './resolve-result.ts';

type Asked = Pick<FormatsRequest, 'mountedDirectory' | 'workingDirectory'> & { files?: string[]; content: false };
type ToolView = FormatsResult['tools'][number] & { seen: RuleFile[]; warnings: Warning[] };

/** A suggested budget is a multiple of this number of tokens. */
const budgetStep = 1_000;

/** Throws as `compose` does. */
export async function describeFormats(
  { file: files, as, with: added, without, ...place }: FormatsRequest,
  { compose, settings, homeDirectory }: Pick<EngineCore, 'compose' | 'settings' | 'homeDirectory'>,
): Promise<FormatsResult> {
  const asked: Asked = { ...place, files, content: false };
  const composition = await compose(asked);
  const { result: read, configs } = composition;
  const { result: all } = await compose(asked, { formats: formatNames });
  const found = [...all.files, ...all.excluded];
  const present = formatsIn(found);
  const ofProject = formatsIn(found.filter(({ path }) => isInside(all.mountedDirectory, path)));
  // Not the links in `all`: a link to a folder that only other tools read in place hides nothing there.
  const linksFor = async (looked: readonly string[]) => {
    const { result } = await compose(asked, { formats: looked });
    return { result, links: await findLinks(result, homeDirectory) };
  };
  const { links: linksOfAbsent } = await linksFor(formatNames.filter((name) => !present.has(name)));
  const views: ToolView[] = [];
  for (const tool of tools) {
    const looked = formatsOf(tool, present, ofProject);
    const formats = looked.filter((name) => present.has(name));
    if (formats.length === 0 && linksOfAbsent.length === 0 && tool.id !== as) continue;
    const { result, links } = await linksFor(looked);
    if (formats.length === 0 && links.length === 0 && tool.id !== as) continue;
    views.push(viewOf(tool, { formats, links }, result));
  }
  const isRead = formatsThatAreRead(read);
  const allowed = chooseFormats(settings.formats);
  const asTool = views.find(({ tool }) => tool === as);
  const isAsked = added !== undefined || without !== undefined;
  return {
    mountedDirectory: read.mountedDirectory,
    formats: countFormats({ read, all, isRead, allowed, configs }),
    files: ruleFilesOf(all),
    tools: views.map(({ seen: _seen, warnings: _warnings, ...view }) => view),
    as: asTool?.seen,
    change: isAsked
      ? await describeChange(
          { request: asked, with: added, without },
          { before: read, own: ownChoice(composition, settings.clientContextPath), present },
          { compose, homeDirectory },
        )
      : undefined,
    usage: usageOf(read),
    warnings: asTool?.warnings ?? uniqueWarnings(read.warnings),
  };
}

function formatsIn(files: readonly { format?: string | undefined }[]): ReadonlySet<string> {
  return new Set(files.flatMap(({ format }) => format ?? []));
}

type Found = Pick<ToolView, 'formats' | 'links'>;

function viewOf({ id, name }: Tool, { formats, links }: Found, result: ResolveResult): ToolView {
  const seen = ruleFilesOf(result);
  const active = seen.filter(({ state }) => state === 'active');
  const waiting = seen.filter(({ state }) => state !== 'active');
  return {
    tool: id,
    name,
    formats,
    files: active.map(({ relativePath }) => relativePath),
    waiting: waiting.map(({ relativePath }) => relativePath),
    links: links.slice(0, namedLinks),
    linkCount: links.length,
    tokens: tokensOf(active),
    seen,
    warnings: warningsOfView(result),
  };
}

/**
 * Only about files that are read for the tool. The tool does not load our own files, and `links` lists unfollowed
 * links.
 */
function warningsOfView({ files, warnings }: ResolveResult): Warning[] {
  const own = new Set(files.filter(({ source }) => source === 'context-directory').map(({ path }) => path));
  return uniqueWarnings([
    ...warnings.filter(({ code, path = '' }) => code !== 'many_tokens' && code !== 'symlink' && !own.has(path)),
    ...warningOfCost(files.filter(({ path }) => !own.has(path))),
  ]);
}

type Counted = {
  read: ResolveResult;
  all: ResolveResult;
  isRead: (format: string) => boolean;
  allowed: readonly string[];
  configs: readonly LoadedConfig[];
};

function countFormats({ read, all, isRead, allowed, configs }: Counted): FormatsResult['formats'] {
  return ruleFormats
    .flatMap(({ name, tool }) => {
      const found = isRead(name) ? read : all;
      const files = found.files.filter(({ format }) => format === name);
      const left = found.excluded.filter(({ format }) => format === name);
      if (files.length + left.length === 0) return [];
      const active = files.filter(({ state }) => state === 'active');
      const duplicates = left.filter(({ reason }) => reason.code === 'duplicate').length;
      const counts = { files: files.length + left.length, active: active.length, duplicates };
      const leftOutBy = isRead(name) || !allowed.includes(name) ? undefined : leavesOut(name, configs)?.path;
      return [{ name, tool, isRead: isRead(name), leftOutBy, ...counts, tokens: tokensOf(active) }];
    })
    .sort((a, b) => compareText(a.name, b.name));
}

/** A format counts as read if one of its files is in the answer, in any state. */
function formatsThatAreRead({ files, excluded }: ResolveResult): (format: string) => boolean {
  const read = formatsIn([...files, ...excluded]);
  return (format) => read.has(format);
}

function ruleFilesOf({ files }: ResolveResult): RuleFile[] {
  return files.flatMap(({ path, relativePath, format, name, trigger, globs, state, reason, tokens }) =>
    format === undefined ? [] : [{ path, relativePath, format, name, trigger, globs, state, reason, tokens }],
  );
}

function usageOf({ files, usage }: ResolveResult): FormatsResult['usage'] {
  return {
    active: usage.files,
    tokens: usage.tokens,
    alwaysOnTokens: tokensOf(alwaysOn(files)),
    suggestedBudget: Math.max(1, Math.ceil(usage.tokens / budgetStep)) * budgetStep,
  };
}

function tokensOf(files: readonly { tokens: number }[]): number {
  return files.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Which rule files of other tools are here, and what each tool would see of them: views of the one composition (FM-03). */
import { fixedLimits } from '../settings.ts';
import { compareText } from '../texts/compare-text.ts';
import { uniqueWarnings } from '../warnings.ts';
import { alwaysOn } from './budget.ts';
import type { Composer } from './compose.ts';
import { formatNames } from './formats/choose-formats.ts';
import { ruleFormats } from './formats/formats.ts';
import { formatsOf, type Tool, tools } from './formats/tools.ts';
import type { FormatsRequest, FormatsResult, RuleFile } from './formats-request.ts';
import type { ResolveResult } from './resolve-result.ts';

type Asked = { mountedDirectory: string; files?: string[]; content: false };
type ToolView = FormatsResult['tools'][number] & { seen: RuleFile[] };

/** No larger budget is suggested. */
const manyTokens = fixedLimits.context.alwaysOnTokens;
const fewestTokens = 1_000;

/** Throws as `compose` does. */
export async function describeFormats(
  { mountedDirectory, file: files, as }: FormatsRequest,
  { compose }: Pick<Composer, 'compose'>,
): Promise<FormatsResult> {
  const asked: Asked = { mountedDirectory, ...(files && { files }), content: false };
  const { result: read } = await compose(asked);
  const { result: all } = await compose(asked, { formats: formatNames });
  const present = new Set([...all.files, ...all.excluded].flatMap(({ format }) => format ?? []));
  const views: ToolView[] = [];
  for (const tool of tools) {
    const formats = formatsOf(tool, present).filter((name) => present.has(name));
    if (formats.length === 0 && tool.id !== as) continue;
    views.push(viewOf(tool, formats, (await compose(asked, { formats })).result));
  }
  const isRead = formatsThatAreRead(read);
  return {
    mountedDirectory: read.mountedDirectory,
    formats: countFormats({ read, all, isRead }),
    files: ruleFilesOf(all),
    tools: views.map(({ seen: _seen, ...view }) => view),
    ...(as && { as: views.find(({ tool }) => tool === as)?.seen ?? [] }),
    usage: usageOf(read),
    warnings: uniqueWarnings(read.warnings),
  };
}

function viewOf({ id, name }: Tool, formats: string[], result: ResolveResult): ToolView {
  const seen = ruleFilesOf(result);
  const active = seen.filter(({ state }) => state === 'active');
  const waiting = seen.filter(({ state }) => state !== 'active');
  return {
    ...{ tool: id, name, formats },
    files: active.map(({ relativePath }) => relativePath),
    waiting: waiting.map(({ relativePath }) => relativePath),
    tokens: tokensOf(active),
    seen,
  };
}

type Counted = { read: ResolveResult; all: ResolveResult; isRead: (format: string) => boolean };

function countFormats({ read, all, isRead }: Counted): FormatsResult['formats'] {
  return ruleFormats
    .flatMap(({ name, tool }) => {
      const found = isRead(name) ? read : all;
      const files = found.files.filter(({ format }) => format === name);
      const left = found.excluded.filter(({ format }) => format === name);
      if (files.length + left.length === 0) return [];
      const active = files.filter(({ state }) => state === 'active');
      const duplicates = left.filter(({ reason }) => reason.code === 'duplicate').length;
      const counts = { files: files.length + left.length, active: active.length, duplicates };
      return [{ name, tool, isRead: isRead(name), ...counts, tokens: tokensOf(active) }];
    })
    .sort((a, b) => compareText(a.name, b.name));
}

/** A format is read when one of its files is in the answer, whatever became of it. */
function formatsThatAreRead({ files, excluded }: ResolveResult): (format: string) => boolean {
  const read = new Set([...files, ...excluded].flatMap(({ format }) => format ?? []));
  return (format) => read.has(format);
}

function ruleFilesOf({ files }: ResolveResult): RuleFile[] {
  return files.flatMap(({ path, relativePath, format, name, trigger, globs, state, reason, tokens }) =>
    format === undefined ? [] : [{ path, relativePath, format, name, trigger, globs, state, reason, tokens }],
  );
}

function usageOf({ files, usage }: ResolveResult): FormatsResult['usage'] {
  const rounded = Math.ceil(usage.tokens / fewestTokens) * fewestTokens;
  return {
    ...{ active: usage.files, tokens: usage.tokens },
    alwaysOnTokens: tokensOf(alwaysOn(files)),
    suggestedBudget: Math.min(manyTokens, Math.max(fewestTokens, rounded)),
  };
}

function tokensOf(files: readonly { tokens: number }[]): number {
  return files.reduce((sum, { tokens }) => sum + tokens, 0);
}

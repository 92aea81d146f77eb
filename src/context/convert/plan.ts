/**
 * Plans which files to write for the rules in another format, and what would be lost (FM-15). Pure: nothing is read or
 * written.
 */
import { joinPath, relativePath } from '../../access/paths.ts';
import type { Steps } from '../../pace/turns.ts';
import { compareText } from '../../texts/compare-text.ts';
import { writeKeys } from '../../texts/write-yaml.ts';
import { limitWarnings, type Reason } from '../../warnings.ts';
import type { WriteRules } from '../formats/format.ts';
import { ruleFormats } from '../formats/formats.ts';
import { toolOf } from '../formats/tools.ts';
import type { ConvertResult } from './convert-request.ts';
import { asOneSegment, createUniqueNames, isLookedAt, stemOf } from './file-names.ts';
import { addLosses, type GrowingPlan, leave, type Place, textAt } from './growing-plan.ts';
import { lossesOf, unasked, wouldApplyUnasked } from './losses.ts';
import { planShared } from './plan-shared.ts';
import type { RulesHere, SourceRule } from './rules-here.ts';
import type { Target } from './targets.ts';

type OfFormat = Readonly<{ format?: string | undefined }>;

/** The name of the format, as `from` has it. */
const formatOf = ({ format = 'context' }: OfFormat): string => format;

type Named = Pick<SourceRule, 'path' | 'directory' | 'format'>;

/**
 * Paths of the plan are relative to the mounted directory. `from`: formats whose rules are converted, whichever tool
 * reads them.
 */
export function* planConversion(
  { rules, left }: Pick<RulesHere, 'rules' | 'left'>,
  target: Target,
  { from, ...place }: Place & { from?: readonly string[] | undefined },
): Steps<Omit<ConvertResult, 'mountedDirectory' | 'to'>> {
  const isOther = (each: OfFormat): boolean => formatOf(each) !== target.name;
  const isTaken = (each: OfFormat): boolean => from === undefined || from.includes(formatOf(each));
  const own = rules.filter((rule) => !isOther(rule));
  const tool = from === undefined && target.format !== undefined ? toolOf(target.format) : undefined;
  // From an older format of the tool people convert on purpose.
  const isRead = (each: OfFormat): boolean => tool?.reads.includes(formatOf(each)) === true && !isOlder(formatOf(each));
  const taken = rules.filter((rule) => isOther(rule) && isTaken(rule));
  const { write } = target;
  // A shared text is compared with the file that it is written to.
  const copies = 'file' in write ? [] : left.filter((each) => isRead(each) && isCopyFor(each, target));
  const copyOf = new Map(copies.map(({ path, standIn }) => [standIn, relativePath(place.mountedDirectory, path)]));
  const importers = tool === undefined ? [] : rules.filter((rule) => followsImports(rule, target));
  const importing = new Map(importers.map((rule) => [rule.path, rule]));
  const readAs = (rule: SourceRule): string | undefined => {
    if (isRead(rule)) return 'it in its present place';
    const copy = copyOf.get(rule.path);
    if (copy !== undefined) return `the same text in ${copy}`;
    const importer = rule.importers?.find((path) => appliesWith(rule, importing.get(path)));
    return importer && `it, because ${relativePath(place.mountedDirectory, importer)} imports it`;
  };
  const others = taken.filter((rule) => readAs(rule) === undefined);
  const toLeave = [
    ...left.filter((each) => isOther(each) && isTaken(each) && !isCopyBelow(each)),
    ...taken.flatMap((rule) => {
      const as = readAs(rule);
      const reason: Reason = { code: 'included', detail: `${tool?.name} reads ${as}` };
      return as === undefined ? [] : [{ path: rule.path, reason }];
    }),
  ];
  const plan: GrowingPlan = {
    target,
    place,
    bytesLeft: place.answerBytes,
    leftOut: 0,
    files: [],
    present: [],
    lost: [],
    left: toLeave.map(({ path, reason }) => ({ path: relativePath(place.mountedDirectory, path), reason })),
  };
  if ('file' in write)
    yield* planShared(others, { own, left: left.filter((each) => !isOther(each)), file: write.file }, plan);
  else yield* planEach(others, { own, write, named: [...rules, ...left].filter(isOther) }, plan);
  plan.files.sort((a, b) => compareText(a.path, b.path));
  const { files, present, lost, leftOut } = plan;
  const message = `A plan has at most ${place.answerBytes} bytes of text; ${leftOut} more rules are left. Convert in parts: name fewer formats in \`from\`, or a directory below.`;
  const warnings = limitWarnings([{ code: 'limit_total_bytes', leftOut, message }]);
  return { files, present, lost, left: plan.left, warnings };
}

/** Whether another rule applies wherever this one does. */
function appliesWith({ rule }: SourceRule, other: SourceRule | undefined): boolean {
  if (other === undefined || other.rule.trigger === 'always') return other !== undefined;
  return [rule, other.rule].every(({ trigger }) => trigger === 'auto') && `${other.rule.globs}` === `${rule.globs}`;
}

function isCopyFor({ has, format }: RulesHere['left'][number], target: Target): boolean {
  return has === 'text' || (has === 'import' && followsImports({ format }, target));
}

/** Other tools that read a file do not follow its imports for certain. */
function followsImports(each: OfFormat, { format }: Target): boolean {
  const own = ruleFormats.find(({ name }) => name === formatOf(each));
  return own !== undefined && own.tool === format?.tool && own.places.some(({ imports }) => imports !== undefined);
}

function isOlder(format: string): boolean {
  return ruleFormats.some((each) => each.name === format && each.isOlder);
}

/** Duplicates below are not listed: the file that replaces them is converted, and there can be many. */
function isCopyBelow({ directory, reason }: RulesHere['left'][number]): boolean {
  return directory !== '' && reason.code === 'duplicate';
}

/** `own`: rules of the target. `named`: files with a name, converted or not. */
type Each = {
  own: readonly SourceRule[];
  write: Extract<WriteRules, { folder: string }>;
  named: readonly Named[];
};

/** Writes each rule as its own file. */
function* planEach(rules: readonly SourceRule[], { own, write, named }: Each, plan: GrowingPlan): Steps<undefined> {
  const { target, place } = plan;
  const { mountedDirectory } = place;
  const there = new Map<string, string>();
  for (const source of own) {
    const path = relativePath(mountedDirectory, source.path);
    const rendered = render(source, path, { target, write, place });
    if (rendered !== undefined && !there.has(rendered.content)) there.set(rendered.content, path);
    yield;
  }
  const names = yield* namesOf(named, { target, write, place });
  for (const source of rules) {
    yield;
    const path = names.get(source.path) as string;
    const moved = textAt(joinPath(mountedDirectory, path), source, plan);
    const rendered = render({ rule: source.rule, body: moved.body }, path, { target, write, place });
    if (rendered === undefined) leave(plan, source, `${target.title} would read its text differently`);
    else if (wouldApplyUnasked(source.rule, rendered.said)) leave(plan, source, unasked(source.rule, target.title));
    else {
      const { content, said } = rendered;
      const by = there.get(content);
      const losses = [...lossesOf(source.rule, said, target.title), ...moved.losses];
      const added = by === undefined ? [content] : [];
      if (!addLosses(plan, source, { losses, to: by ?? path, added })) continue;
      const from = relativePath(mountedDirectory, source.path);
      if (by !== undefined) plan.present.push({ path: from, by });
      else plan.files.push({ path, content, from: [from] });
    }
  }
  return undefined;
}

type Rendering = Pick<Each, 'write'> & Pick<GrowingPlan, 'target' | 'place'>;

/** The text of a file, and what the reader of its format reads from it. Undefined if the reader gets another body. */
function render({ rule, body }: Pick<SourceRule, 'rule' | 'body'>, path: string, { target, write, place }: Rendering) {
  const keys = writeKeys(write.keysOf(rule, path), write.bare);
  const options = { path: joinPath(place.mountedDirectory, path), frontMatterBytes: place.frontMatterBytes };
  for (const content of [...(keys === '' ? [body] : []), `---\n${keys}---\n${body}`]) {
    const said = target.read(content, options).value;
    if (said.body === body) return { content, said };
  }
  return undefined;
}

/** Names by path. All rules are named in the same order in each plan, so that a rule keeps its name. */
function* namesOf(sources: readonly Named[], { target, write, place }: Rendering): Steps<Map<string, string>> {
  const unique = createUniqueNames();
  const { mountedDirectory, contextPath } = place;
  const named = new Map<string, string>();
  for (const { path, directory, format } of sources.toSorted((a, b) => compareText(a.path, b.path))) {
    const stem = stemOf({ path, directory, format }, mountedDirectory, contextPath);
    const nameAt = (each: string): string => `${write.folder}${each}${write.extension}`;
    const isRead = isLookedAt(nameAt(stem), write.folder, target.format);
    named.set(path, nameAt(unique(isRead ? stem : asOneSegment(stem), format)));
    yield;
  }
  return named;
}

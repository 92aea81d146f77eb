/**
 * Plans which files to write for the rules in another format, and what would be lost (FM-15). Pure: nothing is read or
 * written.
 */
import { joinPath, relativePath } from '../../access/paths.ts';
import { compareText } from '../../texts/compare-text.ts';
import { writeKeys } from '../../texts/write-yaml.ts';
import type { Reason } from '../../warnings.ts';
import type { WriteRules } from '../formats/format.ts';
import { ruleFormats } from '../formats/formats.ts';
import { toolOf } from '../formats/tools.ts';
import { defaultProperties } from '../front-matter-properties.ts';
import { patternBelow } from '../patterns-below.ts';
import type { Loss, PlannedFile } from './convert-request.ts';
import { directoryOf } from './directory-of.ts';
import { asOneSegment, createUniqueNames, isLookedAt, stemOf } from './file-names.ts';
import { type KeyLoss, lossesOf, unasked, wouldApplyUnasked } from './losses.ts';
import { moveText } from './moved-text.ts';
import type { RulesHere, SourceRule } from './rules-here.ts';
import type { Target } from './targets.ts';

type Named = Pick<SourceRule, 'path' | 'directory' | 'format'>;
type Left = { path: string; reason: Reason };
type Plan = {
  files: PlannedFile[];
  present: { path: string; by: string }[];
  lost: Loss[];
  left: Left[];
};

type Place = { mountedDirectory: string; contextPath: string; frontMatterBytes: number };

/**
 * Paths of the plan are relative to the mounted directory. `from`: formats whose rules are converted, whichever tool
 * reads them.
 */
export function planConversion(
  { rules, left }: RulesHere,
  target: Target,
  { from, ...place }: Place & { from?: readonly string[] | undefined },
): Plan {
  const isOther = ({ format = 'context' }: { format?: string }): boolean => format !== target.name;
  const isTaken = ({ format = 'context' }: { format?: string }): boolean => from === undefined || from.includes(format);
  const own = rules.filter((rule) => !isOther(rule));
  const tool = from === undefined && target.format !== undefined ? toolOf(target.format) : undefined;
  // From an older format of the tool people convert on purpose.
  const isRead = ({ format = 'context' }: { format?: string }): boolean =>
    tool?.reads.includes(format) === true && !isOlder(format);
  const taken = rules.filter((rule) => isOther(rule) && isTaken(rule));
  const others = taken.filter((rule) => !isRead(rule));
  const { write } = target;
  const reason: Reason = { code: 'included', detail: `${tool?.name} reads it in its present place` };
  const toLeave = [
    ...left.filter((each) => isOther(each) && isTaken(each) && !isCopyBelow(each)),
    ...taken.filter(isRead).map(({ path }) => ({ path, reason })),
  ];
  const plan: Plan = {
    files: [],
    present: [],
    lost: [],
    left: toLeave.map(({ path, reason }) => ({ path: relativePath(place.mountedDirectory, path), reason })),
  };
  if ('file' in write)
    planShared(others, own, { target, file: write.file, place, plan, left: left.filter((each) => !isOther(each)) });
  else planEach(others, own, { target, write, place, plan, named: [...rules, ...left].filter(isOther) });
  plan.files.sort((a, b) => compareText(a.path, b.path));
  return plan;
}

function isOlder(format: string): boolean {
  return ruleFormats.some((each) => each.name === format && each.isOlder);
}

/** Duplicates below are not listed: the file that replaces them is converted, and there can be many. */
function isCopyBelow({ directory, reason }: RulesHere['left'][number]): boolean {
  return directory !== '' && reason.code === 'duplicate';
}

type Each = {
  target: Target;
  write: Extract<WriteRules, { folder: string }>;
  place: Place;
  plan: Plan;
  /** Files with a name, converted or not. */
  named: readonly Named[];
};

/** Writes each rule as its own file. */
function planEach(
  rules: readonly SourceRule[],
  own: readonly SourceRule[],
  { target, write, place, plan, named }: Each,
): void {
  const { mountedDirectory } = place;
  const there = new Map<string, string>();
  for (const source of own) {
    const path = relativePath(mountedDirectory, source.path);
    const rendered = render(source, path, { target, write, place });
    if (rendered !== undefined && !there.has(rendered.content)) there.set(rendered.content, path);
  }
  const names = namesOf(named, { target, write, place });
  for (const source of rules) {
    const from = relativePath(mountedDirectory, source.path);
    const path = names.get(source.path) as string;
    const moved = textAt(joinPath(mountedDirectory, path), source, { target, place });
    const rendered = render({ rule: source.rule, body: moved.body }, path, { target, write, place });
    if (rendered === undefined) leave(plan, from, `${target.title} would read its text differently`);
    else if (wouldApplyUnasked(source.rule, rendered.said)) leave(plan, from, unasked(source.rule, target.title));
    else {
      const by = there.get(rendered.content);
      if (by !== undefined) plan.present.push({ path: from, by });
      else plan.files.push({ path, content: rendered.content, from: [from] });
      for (const loss of [...lossesOf(source.rule, rendered.said, target.title), ...moved.losses])
        plan.lost.push({ path: from, to: by ?? path, ...loss });
    }
  }
}

/** The text of a file, and what the reader of its format reads from it. Undefined if the reader gets another body. */
function render(
  { rule, body }: Pick<SourceRule, 'rule' | 'body'>,
  path: string,
  { target, write, place }: Pick<Each, 'target' | 'write' | 'place'>,
) {
  const keys = writeKeys(write.keysOf(rule, path), write.bare);
  const options = { path: joinPath(place.mountedDirectory, path), frontMatterBytes: place.frontMatterBytes };
  for (const content of [...(keys === '' ? [body] : []), `---\n${keys}---\n${body}`]) {
    const said = target.read(content, options).value;
    if (said.body === body) return { content, said };
  }
  return undefined;
}

/** Names by path. All rules are named in the same order in each plan, so that a rule keeps its name. */
function namesOf(
  sources: readonly Named[],
  { target, write, place }: Pick<Each, 'target' | 'write' | 'place'>,
): Map<string, string> {
  const unique = createUniqueNames();
  const { mountedDirectory, contextPath } = place;
  const named = new Map<string, string>();
  for (const { path, directory, format } of sources.toSorted((a, b) => compareText(a.path, b.path))) {
    const source = { path, directory, ...(format !== undefined && { format }) };
    const stem = stemOf(source, mountedDirectory, contextPath);
    const nameAt = (each: string): string => `${write.folder}${each}${write.extension}`;
    const isRead = isLookedAt(nameAt(stem), write.folder, target.format);
    named.set(path, nameAt(unique(isRead ? stem : asOneSegment(stem), format)));
  }
  return named;
}

/** `left`: files of the target that are not read. */
type Shared = { target: Target; file: string; place: Place; plan: Plan; left: RulesHere['left'] };

/** Writes all texts of a directory into one file. */
function planShared(
  rules: readonly SourceRule[],
  own: readonly SourceRule[],
  { target, file, place, plan, left }: Shared,
): void {
  const { mountedDirectory } = place;
  const byDirectory = new Map<string, SourceRule[]>();
  for (const source of rules) {
    const { rule, path } = source;
    const from = relativePath(mountedDirectory, path);
    const directory = rule.trigger === 'auto' ? directoryOf(rule.globs) : '';
    const said = saidIn(directory);
    if (wouldApplyUnasked(rule, said)) leave(plan, from, unasked(rule, target.title));
    else byDirectory.set(directory, [...(byDirectory.get(directory) ?? []), source]);
  }
  for (const [directory, sources] of byDirectory) {
    const path = directory === '' ? file : `${directory}/${file}`;
    const to = joinPath(mountedDirectory, path);
    const present = own.find((source) => source.path === to);
    const added: string[] = [];
    const from: string[] = [];
    for (const source of sources) {
      const relative = relativePath(mountedDirectory, source.path);
      const moved = textAt(to, source, { target, place });
      const same = own.find(({ directory: where, body }) => where === directory && body.includes(moved.body.trim()));
      if (same) plan.present.push({ path: relative, by: relativePath(mountedDirectory, same.path) });
      else {
        added.push(moved.body);
        from.push(relative);
      }
      for (const loss of [...lossesOf(source.rule, saidIn(directory), target.title), ...moved.losses])
        plan.lost.push({ path: relative, to: path, ...loss });
    }
    if (added.length === 0) continue;
    const [first = '', ...more] = from;
    const isThere = left.some((each) => each.path === to && each.standIn === joinPath(mountedDirectory, first));
    if (isThere && more.length === 0) {
      plan.present.push({ path: first, by: path });
      continue;
    }
    const texts = present === undefined ? added : [present.body, ...added];
    const content = texts.length === 1 ? (texts[0] as string) : `${texts.map((text) => text.trim()).join('\n\n')}\n`;
    plan.files.push({ path, content, from, ...(present && { replaces: present.sha256 }) });
    if (texts.length > 1) plan.lost.push({ path: first, to: path, ...oneText(texts.length, target.title) });
  }
}

function oneText(count: number, title: string): KeyLoss {
  return {
    key: 'boundaries',
    message: `${title} is one text, so the borders between the ${count} rules are lost.`,
  };
}

/** The meaning of a file without front matter in a directory, relative to the mounted one. */
function saidIn(directory: string) {
  const globs = directory === '' ? ['*'] : [patternBelow(directory) ?? `${directory}/**`];
  return { ...defaultProperties(), trigger: directory === '' ? ('always' as const) : ('auto' as const), globs };
}

/** The text of a rule for its new place, which is an absolute path. */
function textAt(
  to: string,
  { path: from, format, body }: SourceRule,
  { target: { imports, title }, place: { mountedDirectory } }: Pick<Each, 'target' | 'place'>,
) {
  const places = ruleFormats.find(({ name }) => name === format)?.places ?? [];
  const reads = places.find((each) => each.imports)?.imports;
  return moveText(body, { from, to, mountedDirectory, reads, imports, title });
}

function leave({ left }: Plan, path: string, detail: string): void {
  left.push({ path, reason: { code: 'cannot_be_said', detail } });
}

/** Compares files of other tools that say the same, or nearly the same (FM-06; AP-08). */
import { baseName, parentPath, relativePath } from '../access/paths.ts';
import type { World } from '../access/world.ts';
import { ruleFormats } from '../context/formats/formats.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import type { Pause } from '../pace/turns.ts';
import { compareText } from '../texts/compare-text.ts';
import { keyOfText } from '../texts/text-key.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Warning } from '../warnings.ts';
import type { Tree } from './checked-tree.ts';
import type { CheckedRuleFile } from './rule-files.ts';
import { folderOf } from './rule-places.ts';

const minLines = 10;
const minShare = 0.8;
const maxCompared = 16;
/** Nobody compares longer texts by reading. */
const longestCompared = 128 * 1024;

/** `says`: the message, with the path of the other file. */
type Told = { code: WarningCode; says(other: string): string; line?: number };

/** Finds rules that one tool has twice, rules that apply differently in two tools, and copies that differ now. */
export async function compareRuleFiles(
  files: readonly CheckedRuleFile[],
  { mountedDirectory, pause }: Tree,
  world: World,
): Promise<Warning[]> {
  const comparable = files.filter(({ source }) => source.body.trim() !== '' && !source.disabled);
  const groups = [
    ...Map.groupBy(comparable, ({ owner, source }) => `text ${owner}\n${keyOfText(source.body.trim())}`),
    ...Map.groupBy(
      comparable.filter(({ source }) => source.body.length <= longestCompared),
      (file) => `name ${file.owner}\n${nameOf(file)}`,
    ),
  ].filter(([, group]) => group.length > 1);
  const inFolders = Map.groupBy(comparable.filter(isInFolder), ({ owner }) => owner);
  const found: Warning[] = [];
  for (const [key, group] of groups) {
    if (world.isLate()) break;
    const turn = pause();
    if (turn) await turn;
    const compared = group.slice(0, maxCompared).toSorted((a, b) => compareText(a.path, b.path));
    const [first] = compared as [CheckedRuleFile];
    const others = isInFolder(first) ? [] : (inFolders.get(first.owner) ?? []);
    const elsewhere = new Set(others.flatMap(meaningfulLines));
    const told = key.startsWith('text') ? compareEqual(compared) : await compareSimilar(compared, elsewhere, pause);
    for (const { file, other, code, says, line = 1 } of told) {
      const message = says(relativePath(mountedDirectory, other.path));
      found.push({ code, message, path: file.path, line, column: 1 });
    }
  }
  return found;
}

type Pair = { file: CheckedRuleFile; other: CheckedRuleFile };

/** Whether the rule is in a folder of rules. Otherwise, the place names the file itself. */
function isInFolder(file: CheckedRuleFile): boolean {
  return folderOf(file.path, file) !== undefined;
}

/**
 * Copies of a rule have the same name in the folders of all tools. Rules for the whole project have a different name in
 * each tool, so all of them are compared.
 */
function nameOf(file: CheckedRuleFile): string {
  if (!isInFolder(file)) return '';
  if (file.place.withFolder) return `${parentPath(file.path).toLowerCase().split('/').at(-1)}/`;
  const name = baseName(file.path).toLowerCase();
  const end = name.indexOf('.', 1);
  return end < 0 ? name : name.slice(0, end);
}

/** Whether the rule applies only in a mode of its tool. */
function isOfMode({ format, source }: CheckedRuleFile): boolean {
  return format.keys === undefined && source.trigger === 'manual';
}

function compareEqual(group: readonly CheckedRuleFile[]): (Pair & Told)[] {
  return group.flatMap((file, index) => {
    const others = group.slice(0, index);
    const isTwice = ({ format, source }: CheckedRuleFile): boolean =>
      format === file.format &&
      source.trigger === file.source.trigger &&
      source.description === file.source.description &&
      source.globs.join() === file.source.globs.join();
    const twice = isOfMode(file) ? undefined : others.find(isTwice);
    const says = (other: string): string => `It has the text of ${other}. Remove one of the two.`;
    if (twice !== undefined) return [{ file, other: twice, code: 'duplicate_rule', says }];
    return contradictions(file, others);
  });
}

/**
 * The first file of another tool in which the rule always applies, if here it never applies by itself, or the other way
 * round.
 */
function contradictions(file: CheckedRuleFile, others: readonly CheckedRuleFile[]): (Pair & Told)[] {
  const other = others.find((each) => {
    const triggers = [each, file].map(({ source }) => source.trigger);
    const isContrary = triggers.includes('always') && triggers.includes('manual');
    return isContrary && each.format !== file.format && !isOfMode(each) && !isOfMode(file);
  });
  if (other === undefined) return [];
  const whenOf = ({ format: { tool }, source }: CheckedRuleFile): string =>
    `${source.trigger === 'always' ? 'always active' : 'active only if it is mentioned'} in ${tool}`;
  const says = (path: string): string => `This rule is ${whenOf(file)}, and as ${path} it is ${whenOf(other)}.`;
  return [{ file, other, code: 'contradicting_rules', says }];
}

/** Compares files with the same name. A difference that several files share is reported once. */
async function compareSimilar(
  group: readonly CheckedRuleFile[],
  elsewhere: ReadonlySet<string>,
  pause: Pause,
): Promise<(Pair & Told)[]> {
  const found: (Pair & Told)[] = [];
  const versions: CheckedRuleFile[] = [];
  for (const file of group) {
    const turn = pause();
    if (turn) await turn;
    const compared = versions
      .filter((other) => other.format !== file.format && isOfMode(other) === isOfMode(file))
      .map((other) => ({ other, ...compareLines(file, other, elsewhere) }))
      .filter(({ share, isPart }) => share >= minShare || isPart)
      .toSorted((a, b) => b.share - a.share);
    const equal = compared.filter(({ here, there }) => here.length + there.length === 0);
    const isCopy = versions.some(({ source }) => source.body.trim() === file.source.body.trim());
    if (!isCopy)
      found.push(
        ...contradictions(
          file,
          compared.filter(({ share }) => share >= minShare).map(({ other }) => other),
        ),
      );
    if (isCopy || equal.length > 0) continue;
    versions.push(file);
    const [closest] = compared;
    if (closest === undefined || isGenerated(file) || isGenerated(closest.other)) continue;
    const { other } = closest;
    found.push({ file, other, code: 'drifted_copy', says: driftOf(closest), line: lineOf(file, other, closest) });
  }
  return found;
}

/** `isPart`: whether one of the two files has all lines of the other. */
type Compared = { shared: number; share: number; isPart: boolean; here: string[]; there: string[] };

/** The message, for the path of the other file. */
function driftOf({ shared, share, here, there }: Compared): Told['says'] {
  return (other) => {
    if (share < minShare && here.length === 0)
      return `All its ${shared} lines are also in ${other}, which has ${there.length} more. Who gets both files gets them twice.`;
    if (share < minShare)
      return `It has all ${shared} lines of ${other}, and ${here.length} more. Who gets both files gets them twice.`;
    return `It was a copy of ${other}, but the two files differ now: ${shared} lines are the same, ${here.length} only here, ${there.length} only there.`;
  };
}

/**
 * Compares the lines of two files in any order. `here` and `there`: lines that only one of them has, without lines in
 * `elsewhere` and without lines that name a tool.
 */
function compareLines(file: CheckedRuleFile, other: CheckedRuleFile, elsewhere: ReadonlySet<string>): Compared {
  const [lines, others] = [meaningfulLines(file), meaningfulLines(other)];
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  const onlyHere = lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
  const onlyThere = [...left].flatMap(([line, count]) => (count > 0 ? [line] : []));
  const shared = lines.length - onlyHere.length;
  const most = shared + Math.max(onlyHere.length, onlyThere.length);
  return {
    shared,
    share: shared < minLines ? 0 : shared / most,
    isPart: shared >= minLines && (onlyHere.length === 0 || onlyThere.length === 0),
    ...withoutWordsOfTools(
      onlyHere.filter((line) => !elsewhere.has(line)),
      onlyThere.filter((line) => !elsewhere.has(line)),
    ),
  };
}

/** Drops lines that name a tool. Each such line of one copy stands for one other line of the other copy. */
function withoutWordsOfTools(onlyHere: string[], onlyThere: string[]): Pick<Compared, 'here' | 'there'> {
  const [here, there] = [onlyHere, onlyThere].map((lines) => lines.filter((line) => !isOfOneTool(line))) as [
    string[],
    string[],
  ];
  const ofTools = onlyHere.length - here.length - (onlyThere.length - there.length);
  return { here: here.slice(Math.max(0, -ofTools)), there: there.slice(Math.max(0, ofTools)) };
}

function bare(line: string): string {
  return line.trim().replaceAll('../', '');
}

/**
 * The lines with content, without headings and without comments, in which programs sign their output. Made once for
 * each file, because it is compared with many.
 */
const meaningfulLines = onceForEach(({ source }: CheckedRuleFile): readonly string[] => {
  return source.body.split('\n').flatMap((line) => {
    const trimmed = bare(line);
    return trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith('<!--') ? [] : [trimmed];
  });
}, new WeakMap());

/** Names of tools and of their files. Each copy uses those of its own tool. */
const wordsOfTools = [
  ...new Set(
    ruleFormats.flatMap(({ name, tool, places }) => {
      const [first = ''] = name.split('-');
      return [
        tool,
        first[0]?.toUpperCase() + first.slice(1),
        ...places.map(({ firstOf }) => firstOf[0]?.split('/')[0] ?? tool),
      ];
    }),
  ),
];

function isOfOneTool(line: string): boolean {
  return wordsOfTools.some((word) => line.includes(word));
}

/** The first line that only this file has, or else the line after which the other file has more. */
function lineOf({ source }: CheckedRuleFile, other: CheckedRuleFile, { here, there }: Compared): number {
  const lines = source.body.split('\n').map(bare);
  const [own, known] = [new Set(here), new Set(lines)];
  const first = lines.findIndex((line) => own.has(line));
  if (first >= 0) return source.bodyLine + first;
  const others = other.source.body.split('\n').map(bare);
  const before = others.slice(0, others.indexOf(there[0] ?? '')).findLast((line) => line !== '' && known.has(line));
  return source.bodyLine + Math.max(0, lines.indexOf(before ?? ''));
}

/** Whether a program wrote the file. Programs keep copies equal, or make them different on purpose. */
function isGenerated({ source }: CheckedRuleFile): boolean {
  return /\bgenerated (?:from|by)\b|auto-?generated|do not (?:hand-)?edit/iu.test(source.body.slice(0, 1_000));
}

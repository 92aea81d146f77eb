/** What is wrong with files of other tools, by what each tool itself makes of them (FM-02, FM-08; AP-08). */
import { baseName, joinPath, parentPath, relativePath } from '../access/paths.ts';
import type { World } from '../access/world.ts';
import type { Place, RuleFormat, ValueOfTool } from '../context/formats/format.ts';
import { ruleFormats } from '../context/formats/formats.ts';
import type { ContextFileSource } from '../context/front-matter.ts';
import { fileMatcher } from '../context/triggers.ts';
import { splitAtCommas } from '../texts/bare-values.ts';
import type { Warning } from '../warnings.ts';
import { checkText } from './check-text.ts';
import type { Tree } from './checked-tree.ts';
import { findFile } from './find-file.ts';
import { placeInText } from './finish.ts';
import { readWrittenKeys, type WrittenKeys } from './property-checks.ts';

/** A file at a place of a format, as it was read. `owner` is the directory that holds the place. */
export type RuleFile = Readonly<{
  path: string;
  owner: string;
  format: RuleFormat;
  source: ContextFileSource;
  keys: WrittenKeys;
}>;

type Placed = { path: string; owner: string; format: RuleFormat; place: Place };

const places = ruleFormats.flatMap((format) =>
  format.places.flatMap((place) =>
    place.in === 'home' ? [] : place.firstOf.map((name) => ({ format, place, name: name.replace(/\*$/u, '') })),
  ),
);
const fileNames = new Set(places.map(({ name }) => baseName(name)));

/** Where a file is one of a format; the first place counts. */
function placeOf(path: string, mountedDirectory: string): Placed | undefined {
  const inTree = `/${relativePath(mountedDirectory, path)}`;
  if (!inTree.includes('/.') && !fileNames.has(baseName(path))) return undefined;
  for (const { format, place, name } of places) {
    const at = inTree.indexOf(`/${name}`);
    if (at < 0 || (place.in === 'root' && at > 0)) continue;
    const rest = inTree.slice(at + 1 + name.length);
    const isHeld = name.endsWith('/') ? place.holds?.(rest) !== false : rest === '';
    const owners = inTree.slice(1, at).split('/');
    // Nothing is taken from hidden directories and installed packages.
    const isOfProject = at <= 0 || !owners.some((owner) => /^(?:\.|node_modules$)/u.test(owner));
    if (isHeld && isOfProject) return { path, owner: joinPath(mountedDirectory, inTree.slice(1, at)), format, place };
  }
  return undefined;
}

/** Reads and checks each file by itself. What cannot be read is delivered to nobody. */
export async function readRuleFiles(tree: Tree, world: World, warnings: Warning[]): Promise<RuleFile[]> {
  const { fileBytes, frontMatterBytes, contextFiles } = world.limits;
  const placed: Placed[] = [];
  const note = (path: string): boolean => {
    const found = placeOf(path, tree.mountedDirectory);
    if (found) placed.push(found);
    return placed.length >= contextFiles;
  };
  await findFile(tree.files, note, tree.pace);
  const files: RuleFile[] = [];
  for (const { path, owner, format, place } of placed) {
    if (world.isLate()) break;
    const read = await world.gate.read(path, { ...world.reach, maxBytes: fileBytes });
    const text = read.ok ? read.snapshot.text : undefined;
    if (text === undefined) continue;
    const { value: source, warnings: said } = place.read(text, { path, frontMatterBytes });
    const keys: WrittenKeys = source.hasFrontMatter ? readWrittenKeys(text, source.bodyLine) : new Map();
    const file = { path, owner, format, source, keys };
    warnings.push(...placeInText([...said, ...keyWarnings(file), ...checkText(text, path)], text));
    files.push(file);
  }
  return files;
}

/** Keys by which some tool decides when a rule applies. */
const decidingKeys = new Set(
  ruleFormats.flatMap(({ keys = {} }) => Object.keys(keys).filter((key) => isDeciding(key))),
);

function isDeciding(key: string): boolean {
  return !['name', 'description', 'instructions'].includes(key);
}

function keyWarnings({ path, format: { tool, keys: known }, keys }: RuleFile): Warning[] {
  if (known === undefined) return [];
  const at = (name: string) => ({ path, line: keys.get(name)?.line ?? 1, column: 1, pointer: `/${name}` });
  const decidesItself = [...keys.keys()].some((name) => Object.hasOwn(known, name) && isDeciding(name));
  const strangers = [...keys.keys()].filter((name) => decidingKeys.has(name) && !Object.hasOwn(known, name));
  const names = Object.keys(known).map((name) => `"${name}"`);
  const found: Warning[] = [];
  // Who writes the keys of several tools knows why.
  if (!decidesItself)
    for (const name of strangers) {
      const message = `${tool} does not know "${name}". It knows ${names.join(', ')}.`;
      found.push({ code: 'key_of_another_tool', message, ...at(name) });
    }
  for (const [name, values] of Object.entries(known)) {
    const written = keys.get(name)?.text ?? '';
    const message = written === '' ? undefined : valueProblem(written, values);
    if (message) found.push({ code: 'value_not_understood', message: `${tool} ${message}.`, ...at(name) });
  }
  return found;
}

function valueProblem(written: string, { list, text, commas }: ValueOfTool): string | undefined {
  if (/^(?:\[|-\s)/u.test(written)) return list;
  return text ?? (splitAtCommas(written.replace(/^(["'])(.*)\1$/su, '$2')).length > 1 ? commas : undefined);
}

/** Rules whose patterns fit no file of the tree: they never apply. */
export async function checkRulePatterns(file: RuleFile, tree: Tree): Promise<Warning | undefined> {
  const { path, owner, source, keys, format } = file;
  if (source.trigger !== 'auto' || source.disabled || source.globs.length === 0) return undefined;
  const matchers = source.globs.map((pattern) => fileMatcher(pattern, [tree.mountedDirectory, owner]));
  const found = await findFile(tree.files, (each) => matchers.some((matches) => matches(each)), tree.pace);
  if (found !== undefined) return undefined;
  const key = Object.keys(format.keys ?? {}).find((name) =>
    source.globs.some((glob) => keys.get(name)?.text.includes(glob)),
  );
  const message = 'No file of the tree matches its patterns, so the rule never applies. Correct them, or remove it.';
  return { code: 'rule_for_no_file', message, path, line: (key && keys.get(key)?.line) || 1, column: 1 };
}

const fewestLines = 5;
const mostCompared = 16;

/** The same rule twice for one tool, one that applies differently in two tools, and copies that have drifted apart. */
export function compareRuleFiles(files: readonly RuleFile[], mountedDirectory: string): Warning[] {
  const groups = new Map<string, RuleFile[]>();
  const add = (key: string, file: RuleFile): void => {
    groups.set(key, [...(groups.get(key) ?? []), file]);
  };
  for (const file of files) {
    const text = file.source.body.trim();
    if (text === '') continue;
    const isRule = parentPath(file.path) !== file.owner && parentPath(parentPath(file.path)) !== file.owner;
    add(`text ${file.owner}\n${text}`, file);
    add(isRule ? `name ${file.owner}\n${stemOf(file.path)}` : `whole ${file.owner}`, file);
  }
  const found: Warning[] = [];
  for (const [key, group] of groups) {
    const compared = group.slice(0, mostCompared);
    for (const [index, file] of compared.entries())
      for (const other of compared.slice(0, index)) {
        const shown = relativePath(mountedDirectory, other.path);
        const warning = key.startsWith('text') ? compareEqual(file, other, shown) : compareSimilar(file, other, shown);
        if (warning) found.push({ path: file.path, line: 1, column: 1, ...warning });
      }
  }
  return found;
}

type Told = { code: string; message: string; line?: number };

function stemOf(path: string): string {
  return (baseName(path).split('.')[0] as string).toLowerCase();
}

function compareEqual(file: RuleFile, other: RuleFile, shown: string): Told | undefined {
  if (file.format === other.format && file.source.trigger === other.source.trigger)
    return { code: 'duplicate_rule', message: `It has the text of ${shown}. Remove one of the two.` };
  return contradiction(file, other, `The text of ${shown}`);
}

function contradiction({ format, source }: RuleFile, other: RuleFile, what: string): Told | undefined {
  const triggers = [source, other.source].filter(
    ({ hasFrontMatter, trigger }) => hasFrontMatter || trigger === 'always',
  );
  const [one, two] = triggers.map(({ trigger }) => trigger);
  if (format === other.format || one === two || ![one, two].every((each) => each === 'always' || each === 'manual'))
    return undefined;
  const message = `${what} is "${other.source.trigger}" for ${other.format.tool} and "${source.trigger}" for ${format.tool}.`;
  return { code: 'contradicting_rules', message };
}

/** Files of one name, or for whole projects, of two tools. The lines they share are counted whatever their order. */
function compareSimilar(file: RuleFile, other: RuleFile, shown: string): Told | undefined {
  const [lines, others] = [file, other].map(({ source }) =>
    source.body
      .trim()
      .split(/\r?\n/u)
      .map((line) => line.trimEnd()),
  ) as [string[], string[]];
  if (file.format === other.format || lines.join('\n') === others.join('\n')) return undefined;
  const counts = new Map<string, number>();
  for (const line of others) if (line !== '') counts.set(line, (counts.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of lines) {
    const left = counts.get(line) ?? 0;
    if (left > 0) shared += 1;
    if (left > 0) counts.set(line, left - 1);
  }
  const most = Math.max(...[lines, others].map((each) => each.filter((line) => line !== '').length));
  if (shared < fewestLines || shared / most < 0.8) return undefined;
  const first = lines.findIndex((line, index) => line !== others[index]);
  const before =
    file.source.body.slice(0, file.source.body.length - file.source.body.trimStart().length).split('\n').length - 1;
  const line = file.source.bodyLine + before + (first < 0 ? lines.length - 1 : first);
  const message = `It shares ${shared} of ${most} lines with ${shown}; the first that differs is line ${line}. Make them equal, or let one name the other.`;
  return { code: 'drifted_copy', message, line };
}

/** Plans one file for each directory, with all texts that apply there. */
import { joinPath, relativePath } from '../../access/paths.ts';
import type { Steps } from '../../pace/turns.ts';
import { defaultProperties } from '../front-matter-properties.ts';
import { patternBelow } from '../patterns-below.ts';
import { directoryOf } from './directory-of.ts';
import { addLosses, type GrowingPlan, leave, textAt } from './growing-plan.ts';
import { lossesOf, unasked, wouldApplyUnasked } from './losses.ts';
import type { RulesHere, SourceRule } from './rules-here.ts';

/** `own`, `left`: rules of the target, and its files that are not read. `file`: the name of the written files. */
type Shared = { own: readonly SourceRule[]; left: RulesHere['left']; file: string };

type Written = { path: string; to: string; present: SourceRule | undefined; own: readonly SourceRule[] };

/** Writes all texts of a directory into one file. */
export function* planShared(
  rules: readonly SourceRule[],
  { own, left, file }: Shared,
  plan: GrowingPlan,
): Steps<undefined> {
  const { mountedDirectory } = plan.place;
  const byDirectory = new Map<string, SourceRule[]>();
  for (const source of rules) {
    const { rule } = source;
    const directory = rule.trigger === 'auto' ? directoryOf(rule.globs) : '';
    const there = byDirectory.get(directory);
    if (wouldApplyUnasked(rule, saidIn(directory))) leave(plan, source, unasked(rule, plan.target.title));
    else if (there) there.push(source);
    else byDirectory.set(directory, [source]);
    yield;
  }
  const ownAt = new Map(own.map((source) => [source.path, source]));
  const ownIn = Map.groupBy(own, ({ directory }) => directory);
  const standIns = new Map(left.map(({ path, standIn }) => [path, standIn]));
  for (const [directory, sources] of byDirectory) {
    const path = directory === '' ? file : `${directory}/${file}`;
    const to = joinPath(mountedDirectory, path);
    const written = { path, to, present: ownAt.get(to), own: ownIn.get(directory) ?? [] };
    const added = yield* addTexts(sources, { directory, written }, plan);
    addFile(added, written, { plan, standIn: standIns.get(to) });
  }
  return undefined;
}

type Added = { from: string; body: string }[];

/** The texts that the file does not have yet. */
function* addTexts(
  sources: readonly SourceRule[],
  { directory, written: { path, to, present, own } }: { directory: string; written: Written },
  plan: GrowingPlan,
): Steps<Added> {
  const { mountedDirectory } = plan.place;
  const added: Added = [];
  for (const source of sources) {
    yield;
    const from = relativePath(mountedDirectory, source.path);
    const moved = textAt(to, source, plan);
    const text = moved.body.trim();
    const same = own.find(({ body }) => body.includes(text));
    const losses = [...lossesOf(source.rule, saidIn(directory), plan.target.title), ...moved.losses];
    const before = added.length === 0 && present !== undefined ? [present.body] : [];
    if (!addLosses(plan, source, { losses, to: path, added: same ? [] : [...before, moved.body] })) continue;
    if (same) plan.present.push({ path: from, by: relativePath(mountedDirectory, same.path) });
    else added.push({ from, body: moved.body });
  }
  return added;
}

function addFile(
  added: Added,
  { path, present }: Written,
  { plan, standIn }: { plan: GrowingPlan; standIn: string | undefined },
): void {
  const [first, ...more] = added;
  if (first === undefined) return;
  if (standIn === joinPath(plan.place.mountedDirectory, first.from) && more.length === 0) {
    plan.present.push({ path: first.from, by: path });
    return;
  }
  const texts = [...(present ? [present.body] : []), ...added.map(({ body }) => body)];
  const content = texts.length === 1 ? first.body : `${texts.map((text) => text.trim()).join('\n\n')}\n`;
  plan.files.push({ path, content, from: added.map(({ from }) => from), replaces: present?.sha256 });
  if (texts.length === 1) return;
  const message = `${plan.target.title} is one text, so the borders between the ${texts.length} rules are lost.`;
  plan.lost.push({ path: first.from, to: path, key: 'boundaries', message });
}

/** The meaning of a file without front matter in a directory, relative to the mounted one. */
function saidIn(directory: string) {
  const globs = directory === '' ? ['*'] : [patternBelow(directory) ?? `${directory}/**`];
  return { ...defaultProperties(), trigger: directory === '' ? ('always' as const) : ('auto' as const), globs };
}

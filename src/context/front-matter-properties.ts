/** The typed properties of a context file (CC-27, CC-29, CC-30). */
import { defaultLimits } from '../settings.ts';
import { splitAtCommas } from '../texts/bare-values.ts';
import { plainValue, pointerTo, type Report, type SourceMap, type SourceNode } from '../texts/source-tree.ts';
import { ItemType, priorityRange, Trigger } from './context-file.ts';

/** `name` and `type` are absent unless the file sets them; `properties` are the keys that have no meaning here, as written. */
export type FrontMatterProperties = {
  description: string;
  instructions?: string;
  globs: string[];
  disabled: boolean;
  trigger: Trigger;
  name?: string;
  type?: ItemType;
  priority: number;
  properties: Record<string, unknown>;
};

export function defaultProperties(): FrontMatterProperties {
  return {
    description: '',
    globs: ['*'],
    disabled: false,
    trigger: 'manual',
    priority: priorityRange.default,
    properties: {},
  };
}

/**
 * A name by which a file can be mentioned: up to 128 visible characters and single spaces. No `:`, which marks the owner
 * in names made from paths (AG-03), so that no file can pose as another owner's.
 */
const nameForm = /^(?=.{1,128}$)(?:[^\p{C}\p{Z}:]| (?! |$))+$/u;

/** Properties that mean something (CC-27); others are kept as they are. */
export const knownKeys: readonly string[] = [
  'description',
  'instructions',
  'globs',
  'appliesTo',
  'disabled',
  'trigger',
  'name',
  'type',
  'priority',
];

/** Reads the properties; what has the wrong type is reported and gets its default. */
export function readProperties(root: SourceMap, report: Report): FrontMatterProperties {
  const wrong = (pointer: string, offset: number, message: string): void =>
    report({ code: 'invalid_property', message, offset, pointer });
  const node = (key: string): SourceNode | undefined => {
    const found = root.get(key)?.node;
    return found === undefined || found.value === null ? undefined : found;
  };
  const text = (key: string): string | undefined => {
    const found = node(key);
    if (found === undefined) return undefined;
    if (typeof found.value !== 'object') return (found.text ?? '').trim() || undefined;
    wrong(`/${key}`, found.offset, `"${key}" must be text. It is ignored.`);
    return undefined;
  };
  const matching = <T>(key: string, accept: (value: string) => T | undefined, form: string): T | undefined => {
    const value = text(key);
    const accepted = value === undefined ? undefined : accept(value);
    if (value !== undefined && accepted === undefined)
      wrong(`/${key}`, node(key)?.offset ?? 0, `"${key}" must be ${form}. It is ignored.`);
    return accepted;
  };
  const description = text('description') ?? '';
  const instructions = text('instructions');
  const nameRule = 'at most 128 visible characters and single spaces, without ":"';
  const name = matching('name', (value) => (nameForm.test(value) ? value : undefined), nameRule);
  const type = matching('type', (value) => ItemType.safeParse(value.toLowerCase()).data, '"rule" or "reference"');
  return {
    description,
    ...(instructions === undefined ? {} : { instructions }),
    ...readGlobs(root, wrong),
    disabled: readDisabled(node('disabled'), wrong),
    trigger: readTrigger(node('trigger'), { described: description !== '' || instructions !== undefined, report }),
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { type }),
    priority: readPriority(node('priority'), wrong),
    properties: readUnknown(root, wrong),
  };
}

type Wrong = (pointer: string, offset: number, message: string) => void;

/** `appliesTo` beats `globs`. A list that was written stays a list, even when every pattern of it had to be dropped. */
function readGlobs(root: SourceMap, wrong: Wrong): { globs: string[] } {
  const [appliesTo, globs] = ['appliesTo', 'globs'].map((key) => {
    const node = root.get(key)?.node;
    return node === undefined ? undefined : readPatterns(node, `/${key}`, wrong);
  });
  return { globs: appliesTo ?? globs ?? defaultProperties().globs };
}

/** Patterns of a list or a comma list; `undefined` when none was written. Commas split in lists too, except inside braces. */
function readPatterns(node: SourceNode, pointer: string, wrong: Wrong): string[] | undefined {
  const { patterns: maxPatterns, patternLength } = defaultLimits;
  const items = Array.isArray(node.value) ? node.value : [node];
  const written = items.flatMap((item, index) => {
    const at = item === node ? pointer : pointerTo(pointer, index);
    if (item.value === null) return [];
    if (typeof item.value !== 'string') {
      wrong(at, item.offset, 'A glob pattern must be text. It is ignored.');
      return [];
    }
    return item.value
      .split('\n')
      .flatMap((line) => splitAtCommas(line).map(({ text }) => ({ pattern: unquote(text), at, item })));
  });
  const patterns = written.filter(({ pattern }) => pattern !== '');
  if (patterns.length === 0) return undefined;
  for (const { pattern, at, item } of patterns) {
    if (pattern.length > patternLength)
      wrong(at, item.offset, `A glob pattern is longer than ${patternLength} characters. It is ignored.`);
  }
  const kept = [
    ...new Set(patterns.map(({ pattern }) => pattern).filter((pattern) => pattern.length <= patternLength)),
  ];
  if (kept.length > maxPatterns) {
    wrong(pointer, node.offset, `There are ${kept.length} glob patterns; only the first ${maxPatterns} are used.`);
  }
  return kept.slice(0, maxPatterns);
}

/** `"a", "b"` without a list around it: the quotes belong to the writing, not to the patterns. */
function unquote(pattern: string): string {
  return /^(["']).*\1$/u.test(pattern) && pattern.length > 1 ? pattern.slice(1, -1).trim() : pattern;
}

function readDisabled(node: SourceNode | undefined, wrong: Wrong): boolean {
  if (node === undefined || typeof node.value === 'boolean') return node?.value === true;
  wrong('/disabled', node.offset, '"disabled" must be true or false, without quotes. It is ignored.');
  return false;
}

/** Only plain decimals: `0o17`, `017` and `5.0` do not look the same to everyone. */
function readPriority(node: SourceNode | undefined, wrong: Wrong): number {
  if (node === undefined) return priorityRange.default;
  if (typeof node.value === 'number' && /^(?:0|[1-9]\d{0,2})$/u.test(node.text ?? '')) return node.value;
  const range = `${priorityRange.lowest} to ${priorityRange.highest}`;
  wrong('/priority', node.offset, `"priority" must be a whole number from ${range}. ${priorityRange.default} is used.`);
  return priorityRange.default;
}

/** What rules written for another tool mean: they are not obeyed, but the person is told the word. */
const wordsOfOtherTools: Readonly<Record<string, Trigger | undefined>> = Object.assign(Object.create(null), {
  always_on: 'always',
  glob: 'auto',
  model_decision: 'agent',
});

/** CC-30: what cannot be understood, or an `agent` file that says nothing about itself, is `manual`. */
function readTrigger(
  node: SourceNode | undefined,
  { described, report }: { described: boolean; report: Report },
): Trigger {
  if (node === undefined || node.value === '') return 'manual';
  const at = { offset: node.offset, pointer: '/trigger' };
  const choices = Trigger.options.map((option) => `"${option}"`).join(', ');
  if (typeof node.value !== 'string') {
    report({ ...at, code: 'invalid_property', message: `"trigger" must be one of ${choices}. "manual" is used.` });
    return 'manual';
  }
  const written = node.value.trim().toLowerCase();
  const trigger = Trigger.safeParse(written === 'pattern' ? 'auto' : written);
  if (!trigger.success) {
    const meant = wordsOfOtherTools[written];
    const message =
      meant === undefined
        ? `"trigger" must be one of ${choices}. "manual" is used.`
        : `"${written}" is "${meant}" here. "manual" is used until it is written so.`;
    report({ ...at, code: 'unknown_trigger', message });
    return 'manual';
  }
  if (trigger.data !== 'agent' || described) return trigger.data;
  const message = 'A file with trigger "agent" needs a "description" or "instructions". "manual" is used.';
  report({ ...at, code: 'agent_without_description', message });
  return 'manual';
}

function readUnknown(root: SourceMap, wrong: Wrong): Record<string, unknown> {
  const unknown = new Map([...root].filter(([key]) => !knownKeys.includes(key)));
  const refuse = (pointer: string, offset: number): void =>
    wrong(pointer, offset, 'This key is a name that cannot be used for a property. It is ignored.');
  return plainValue({ offset: 0, value: unknown }, '', refuse) as Record<string, unknown>;
}

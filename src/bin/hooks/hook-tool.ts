/** What a tool asks at one of its events, and what it is told: the same for all tools. Each tool has its own shapes. */
import type { HookToolId } from '../../settings.ts';

/** What an event is about. Paths are as the tool writes them: absolute, relative to `cwd`, or beginning with `~/`. */
export type HookQuestion = Readonly<{
  event: string;
  /** The conversation, a sub-agent's being its own; nothing is remembered where the tool names none. */
  conversation: string | undefined;
  cwd: string | undefined;
  /** The project root, where the tool names it. */
  project: string | undefined;
  /** About to be read or changed. */
  files: readonly string[];
  /** Whether `files` are about to be changed. */
  changes?: boolean;
  /** About to be searched, files too. */
  searched: readonly string[];
  /** Already read or changed: rules can be about them. */
  inPlay?: readonly string[];
  /** What the user asks. */
  prompt?: string;
  /** Whether an `@` in a word mentions a file too. */
  mentionsInWords?: boolean;
  /** Whether the conversation has lost what it was given. */
  forgets?: boolean;
  /** Formats that the caller loads by itself, where it is another one than the tool. */
  loads?: readonly string[];
  /** Whether the event can take context. */
  takesContext: boolean;
}>;

/** `refusal`: why what is about to happen may not. `context`: what the model should see now. */
export type HookAnswer = Readonly<{ refusal?: string; context?: string }>;

/** `line`: one line for standard error. */
export type HookOutput = Readonly<{ json?: unknown; line?: string; exitCode: number }>;

export type HookTool = Readonly<{
  id: HookToolId;
  /** Formats that it loads by itself. Default: those that the table of tools says. */
  loads?: readonly string[];
  name: string;
  /** Characters of context that it takes at once. */
  contextLength: number;
  /** What it refuses where contextd cannot be started; undefined where it goes on. */
  refusesWithout?: string;
  /** What the user has to do before it calls the hook; undefined for nothing special. */
  firstStep?: string;
  /** Where its settings lie in a project, and what makes it call the hook: values by their place in that file. */
  settings: Readonly<{ path: string; base: Readonly<Record<string, unknown>>; entries: readonly SettingsEntry[] }>;
  /** `project`: its root, where the tool has named it beside the event. Undefined for an event that needs no answer. */
  questionOf(input: Readonly<Record<string, unknown>>, project?: string): HookQuestion | undefined;
  /** What is printed on success; undefined: nothing. */
  outputOf(question: HookQuestion, answer: HookAnswer): unknown;
}>;

/** `list`: the place of a list in the settings; `entry`: what it has to hold. */
type SettingsEntry = Readonly<{ list: readonly string[]; entry: unknown }>;

/** What most tools call the same at every event, of which nothing more is known; undefined where it is no event. */
export function questionAt(input: Readonly<Record<string, unknown>>, project?: string): HookQuestion | undefined {
  const event = eventIn(input);
  if (event === undefined) return undefined;
  const [conversation, cwd] = [textAt(input, 'session_id') ?? textAt(input, 'sessionId'), textAt(input, 'cwd')];
  return { event, conversation, cwd, project, files: [], searched: [], takesContext: false };
}

/** VS Code has had both spellings. */
export const eventIn = (input: Readonly<Record<string, unknown>>): string | undefined =>
  textAt(input, 'hook_event_name') ?? textAt(input, 'hookEventName');

/** The text at a key, where there is one. */
export function textAt(input: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = input[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The texts at these keys. */
export function textsAt(input: unknown, keys: readonly string[]): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return keys.flatMap((key) => textAt(input as Record<string, unknown>, key) ?? []);
}

const patchMarks = ['*** Add File: ', '*** Update File: ', '*** Delete File: ', '*** Move to: '];

/** The files that an input of the tool `apply_patch` is about. A patch is a text of its own, or in one of these fields. */
export function filesOfPatches(input: unknown): string[] {
  const patches = typeof input === 'string' ? [input] : textsAt(input, ['input', 'patch', 'command']);
  return patches.flatMap(filesOfPatch);
}

/** Blanks before a mark do not count, as the tool has it. */
function filesOfPatch(patch: string): string[] {
  return patch.split('\n').flatMap((line) => {
    const text = line.trim();
    const mark = patchMarks.find((each) => text.startsWith(each));
    return mark === undefined ? [] : [text.slice(mark.length).trim()];
  });
}

/**
 * What patterns relative to a folder are about: files, where they name one, and else the folder before their first
 * wildcard. One that begins with `/` may mean the root of the system or that folder.
 */
export function namedBy(patterns: readonly string[], folder: string): Pick<HookQuestion, 'files' | 'searched'> {
  const files: string[] = [];
  const searched: string[] = [];
  for (const pattern of patterns) {
    const wildcard = pattern.search(/[*?[\]{}!]/u);
    const name = wildcard < 0 ? pattern : pattern.slice(0, pattern.lastIndexOf('/', wildcard) + 1);
    // Of a pattern that leaves files out, or that begins with a wildcard, nothing is left.
    if (name === '' || wildcard === 0) continue;
    const places = name.startsWith('/') ? [name, `${folder}${name}`] : [`${folder}/${name}`];
    (wildcard < 0 ? files : searched).push(...places);
  }
  return { files, searched };
}

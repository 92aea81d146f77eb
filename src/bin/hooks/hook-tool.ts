/** Questions and answers of hooks, the same for all tools. The file of each tool translates its formats. */
import type { HookToolId } from '../../settings.ts';

/** An event. Paths are as the tool writes them: absolute, relative to `cwd`, or beginning with `~/`. */
export type HookQuestion = Readonly<{
  event: string;
  /** Id of the conversation; a sub-agent has its own. Without an id, what was given is not recorded. */
  conversation: string | undefined;
  cwd: string | undefined;
  /** The root of the project, if the tool names it. */
  project: string | undefined;
  /** Files that are about to be read or changed. */
  files: readonly string[];
  /** Whether `files` are about to be changed. */
  changes?: boolean;
  /** Folders and files that are about to be searched. */
  searched: readonly string[];
  /** Files that were read or changed already. Rules may apply to them. */
  inPlay?: readonly string[];
  /** What the user asks. */
  prompt?: string;
  /** Whether an `@` in a word mentions a file too. */
  mentionsInWords?: boolean;
  /** Whether the conversation has lost what it was given. */
  forgets?: boolean;
  /** Formats that the caller loads itself, if the caller is another tool. */
  loads?: readonly string[];
  /** Whether the event can take context. */
  takesContext: boolean;
}>;

/** What a tool is about to do with files. */
export type UsedPaths = Pick<HookQuestion, 'files' | 'searched' | 'changes'>;

/** `refusal`: why the tool may not go on. `context`: what the model should see now. */
export type HookAnswer = Readonly<{ refusal?: string; context?: string }>;

/** `line`: one line for standard error. */
export type HookOutput = Readonly<{ json?: unknown; line?: string; exitCode: number }>;

export type HookTool = Readonly<{
  id: HookToolId;
  /** Formats that it loads itself. Default: those in the table of tools. */
  loads?: readonly string[];
  name: string;
  /** Max characters of context that it accepts at once. */
  contextLength: number;
  /** What it refuses if contextd cannot be started. `undefined`: it continues. */
  refusesWithout?: string;
  /** What the user has to do before the tool calls the hook, if anything. */
  firstStep?: string;
  /** The settings file in a project, and the entries that make the tool call the hook. */
  settings: Readonly<{ path: string; base: Readonly<Record<string, unknown>>; entries: readonly SettingsEntry[] }>;
  /** `undefined` for an event that needs no answer. `project`: its root, if the tool names it outside of the event. */
  questionOf(input: Readonly<Record<string, unknown>>, project?: string): HookQuestion | undefined;
  /** What to print, if anything. */
  outputOf(question: HookQuestion, answer: HookAnswer): unknown;
}>;

/** `list`: the keys that lead to a list in the settings. `entry`: what the list must contain. */
type SettingsEntry = Readonly<{ list: readonly string[]; entry: unknown }>;

/** The fields that events of most tools have in common. `undefined` if it is not an event. */
export function questionAt(input: Readonly<Record<string, unknown>>, project?: string): HookQuestion | undefined {
  const event = eventIn(input);
  if (event === undefined) return undefined;
  const [conversation, cwd] = [textAt(input, 'session_id') ?? textAt(input, 'sessionId'), textAt(input, 'cwd')];
  return { event, conversation, cwd, project, files: [], searched: [], takesContext: false };
}

/** VS Code has used both spellings. */
export const eventIn = (input: Readonly<Record<string, unknown>>): string | undefined =>
  textAt(input, 'hook_event_name') ?? textAt(input, 'hookEventName');

/** The text of a field, if there is one. */
export function textAt(input: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = input[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The texts of these fields. */
export function textsAt(input: unknown, keys: readonly string[]): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return keys.flatMap((key) => textAt(input as Record<string, unknown>, key) ?? []);
}

const patchMarks = ['*** Add File: ', '*** Update File: ', '*** Delete File: ', '*** Move to: '];

/** The files of an input of the tool `apply_patch`. The patch is the whole input, or in one of these fields. */
export function filesOfPatches(input: unknown): string[] {
  const patches = typeof input === 'string' ? [input] : textsAt(input, ['input', 'patch', 'command']);
  return patches.flatMap(filesOfPatch);
}

/** Like the tool, ignores spaces before a mark. */
function filesOfPatch(patch: string): string[] {
  return patch.split('\n').flatMap((line) => {
    const text = line.trim();
    const mark = patchMarks.find((each) => text.startsWith(each));
    return mark === undefined ? [] : [text.slice(mark.length).trim()];
  });
}

/** What a search names: its folder (default: the working directory), and places in it by patterns. */
export function namedBySearch(
  input: unknown,
  keys: { folder: readonly string[]; patterns: readonly string[] },
): UsedPaths {
  const [folder = '.'] = textsAt(input, keys.folder);
  const { files, searched } = namedBy(textsAt(input, keys.patterns), folder);
  return { files, searched: [folder, ...searched] };
}

/**
 * What patterns relative to a folder name: a file, or the folder before the first wildcard. A leading `/` may mean the
 * root of the file system, or that folder.
 */
export function namedBy(patterns: readonly string[], folder: string): UsedPaths {
  const files: string[] = [];
  const searched: string[] = [];
  for (const pattern of patterns) {
    const wildcard = pattern.search(/[*?[\]{}!]/u);
    const name = wildcard < 0 ? pattern : pattern.slice(0, pattern.lastIndexOf('/', wildcard) + 1);
    // A pattern that excludes files, or begins with a wildcard, names no place.
    if (name === '' || wildcard === 0) continue;
    const places = name.startsWith('/') ? [name, `${folder}${name}`] : [`${folder}/${name}`];
    (wildcard < 0 ? files : searched).push(...places);
  }
  return { files, searched };
}

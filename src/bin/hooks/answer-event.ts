/** The answer to an event of a tool: a refusal, context, or nothing. */
import { isAbsolute, resolve } from 'node:path';
import { isInside } from '../../access/paths.ts';
import { decideSensitive } from '../../access/sensitive.ts';
import { formatsOf, tools } from '../../context/formats/tools.ts';
import { ContextdError } from '../../errors.ts';
import { createPause, inTurns } from '../../pace/turns.ts';
import { fixedLimits } from '../../settings.ts';
import { isRecord } from '../../texts/is-record.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { wordsOfProblem } from '../client/problem-words.ts';
import type { Asker } from '../in-process/ask-engine.ts';
import type { Deadline } from './deadline.ts';
import type { HookDisk } from './disk.ts';
import { gatherContext, giveContext } from './gather-context.ts';
import type { GivenContext } from './given-context.ts';
import { eventIn, type HookAnswer, type HookQuestion, type HookTool } from './hook-tool.ts';
import { type NamedPath, placesOf, projectOf, refusalOf, refusalOfChange, searchedPlacesOf } from './judge-files.ts';
import { mentionsIn } from './mentions.ts';

const { mentions: maxMentions, files: maxFiles } = fixedLimits.hooks;

type Answering = Readonly<{
  /** The working directory of the tool if the event does not name one; absolute. */
  cwd: string;
  disk: HookDisk;
  openAsker(mountedDirectory: string): Promise<Asker>;
  /** The record of what a conversation was given. */
  openGiven(conversation: string | undefined): GivenContext;
  deadline: Deadline;
  /** Give no context if `isUndecided`: then another process answers the event. */
  leavesUndecided?: boolean;
}>;

/**
 * `problem`: why there is no context. `isUndecided`: a path is outside the directories that may be read. Opening it is
 * refused; a mention of it in a prompt is skipped.
 */
type AnsweredEvent = Readonly<{ answer: HookAnswer; problem?: unknown; isUndecided: boolean }>;

/** Throws if it is not an event. `project`: as the tool names it outside of the event. */
export function questionIn(tool: HookTool, event: unknown, project: string | undefined): HookQuestion | undefined {
  if (!isRecord(event)) throw new Error('it is not a JSON object');
  if (eventIn(event) === undefined) throw new Error('it names no event');
  return tool.questionOf(event, project);
}

/** Throws if the prompt cannot be read. Refuses what cannot be decided. Ends the askers that it opens. */
export async function answerEvent(
  tool: HookTool,
  question: HookQuestion,
  answering: Answering,
): Promise<AnsweredEvent> {
  const askers = new Map<string, Promise<Asker>>();
  const openAsker = (mountedDirectory: string): Promise<Asker> => {
    const asker = askers.get(mountedDirectory) ?? answering.openAsker(mountedDirectory);
    askers.set(mountedDirectory, asker);
    return asker;
  };
  try {
    return await answerWith(tool, question, { ...answering, openAsker });
  } finally {
    // The tool does not wait for this.
    for (const asker of askers.values()) asker.then((each) => each.dispose()).catch(() => {});
  }
}

async function answerWith(tool: HookTool, question: HookQuestion, answering: Answering): Promise<AnsweredEvent> {
  const { cwd, disk, deadline, leavesUndecided = false } = answering;
  const { inTime, signal } = deadline;
  const places = await inTime(placesIn(question, { cwd, disk, signal }));
  const isUndecided = places.outside.length > 0;
  try {
    const refusal = await refusalIn(places, question, answering);
    if (refusal !== undefined) return { answer: { refusal }, isUndecided };
  } catch (error) {
    const shown = visibleText(places.judged[0]?.shown ?? '');
    const refusal = `contextd: it cannot be decided whether ${shown} may be seen: ${wordsOf(error)}.`;
    const isOutside = error instanceof ContextdError && error.code === 'path_outside_roots';
    return { answer: { refusal }, isUndecided: isUndecided || isOutside };
  }
  if (isUndecided && leavesUndecided) return { answer: {}, isUndecided };
  try {
    const context = await inTime(contextFor(tool, question, { ...answering, places }));
    return { answer: context === undefined ? {} : { context }, isUndecided };
  } catch (problem) {
    return { answer: {}, problem, isUndecided };
  }
}

async function refusalIn(
  { project, judged, outside }: Places,
  question: HookQuestion,
  { disk, openAsker, deadline }: Answering,
): Promise<string | undefined> {
  const secret = outside.find(({ path }) => decideSensitive(path) !== undefined);
  if (secret) return `contextd: ${visibleText(secret.shown)} is kept from models: sensitive.`;
  const refusal = await deadline.inTime(refusalOf(judged, { project, disk, openAsker }));
  return refusal ?? (question.changes === true ? refusalOfChange(judged, disk) : undefined);
}

async function contextFor(
  tool: HookTool,
  question: HookQuestion,
  { disk, openAsker, openGiven, deadline, places }: Answering & { places: Places },
): Promise<string | undefined> {
  if (!question.takesContext && question.forgets !== true) return undefined;
  const given = openGiven(question.conversation);
  if (question.forgets === true) given.forget();
  if (!question.takesContext) return undefined;
  const { loads = tools.flatMap((each) => (each.id === tool.id ? formatsOf(each, new Set()) : [])) } = tool;
  const { project, workingDirectory, files, mentions } = places;
  const reads = question.loads ?? loads;
  const sought = { mountedDirectory: project, workingDirectory, files, prompt: question.prompt, mentions, reads };
  const items = await gatherContext(sought, { asker: await openAsker(project), given, disk });
  // Items of an answer that comes too late must not count as given.
  deadline.signal.throwIfAborted();
  return giveContext(items, { given, length: tool.contextLength });
}

type Places = Awaited<ReturnType<typeof placesIn>>;
type Place = { cwd: string; disk: HookDisk; signal: AbortSignal };

/** The project, the paths to judge, and the files in use. */
async function placesIn(question: HookQuestion, { cwd: own, disk, signal }: Place) {
  const pause = createPause();
  const cwd = question.cwd !== undefined && isAbsolute(question.cwd) ? resolve(question.cwd) : own;
  const folder = question.project !== undefined && isAbsolute(question.project) ? resolve(question.project) : cwd;
  const project = await projectOf(folder, disk);
  const from = { cwd, disk };
  const named = [...new Set(question.files)];
  if (named.length > maxFiles)
    throw new ContextdError('invalid_request', `The event names more than ${maxFiles} files.`);
  const judged: NamedPath[] = named.flatMap((path) => placesOf(path, { cwd, home: disk.home }));
  for (const path of question.searched) judged.push(...(await searchedPlacesOf(path, from)));
  const outside: NamedPath[] = [];
  const mentions: string[] = [];
  const read = mentionsIn(question.prompt ?? '', { inWords: question.mentionsInWords ?? false });
  for (const name of await inTurns(read, pause)) {
    signal.throwIfAborted();
    const places = placesOf(name, { cwd, home: disk.home });
    outside.push(...places.filter(({ path }) => disk.isOutside(path)));
    // A tool may read all files of a mentioned folder.
    if (await anyIsThere(places, disk)) judged.push(...(await searchedPlacesOf(name, from)));
    else mentions.push(name);
  }
  const worked = [...named, ...(question.inPlay ?? [])].map((path) => resolve(cwd, path));
  const files: string[] = [];
  for (const path of new Set([...worked, ...judged.map((each) => each.path)]))
    if (files.length < maxMentions && isBelow(project, path) && !(await disk.isFolder(path))) files.push(path);
  return {
    project,
    // The engine refuses percent-encoded paths. Without a working directory it still gives the rules of the project.
    workingDirectory: isBelow(project, cwd) && !/%(?:2e|2f|5c)/iu.test(cwd) ? cwd : undefined,
    judged,
    outside,
    files,
    mentions: mentions.slice(0, maxMentions),
  };
}

async function anyIsThere(places: readonly NamedPath[], { realPath }: HookDisk): Promise<boolean> {
  for (const { path } of places) if ((await realPath(path)) !== undefined) return true;
  return false;
}

const isBelow = (directory: string, path: string): boolean => path !== directory && isInside(directory, path);

/** The first line of what is wrong. */
export function wordsOf(error: unknown): string {
  const message = error instanceof ContextdError ? wordsOfProblem(error).join(' ') : (error as Error).message;
  return visibleText(String(message).split('\n', 1)[0] ?? '').replace(/\.$/u, '');
}

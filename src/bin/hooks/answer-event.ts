/** What a tool is told at one of its events: a refusal, or context, or nothing. */
import { isAbsolute, resolve } from 'node:path';
import { isInside } from '../../access/paths.ts';
import { decideSensitive } from '../../access/sensitive.ts';
import { formatsOf, tools } from '../../context/formats/tools.ts';
import { ContextdError } from '../../errors.ts';
import { fixedLimits } from '../../settings.ts';
import { isRecord } from '../../texts/is-record.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { wordsOfProblem } from '../client/problem-words.ts';
import type { Asker } from '../in-process/ask-engine.ts';
import type { Deadline } from './deadline.ts';
import { gatherContext, giveContext } from './gather-context.ts';
import type { GivenContext } from './given-context.ts';
import { eventIn, type HookAnswer, type HookQuestion, type HookTool } from './hook-tool.ts';
import { type NamedPath, placesOf, projectOf, refusalOf, refusalOfChange, searchedPlacesOf } from './judge-files.ts';
import type { Looks } from './looks.ts';
import { mentionsIn } from './mentions.ts';

const { mentions: maxMentions } = fixedLimits.hooks;

type Answering = Readonly<{
  /** Where the tool is, when the event does not say it; absolute. */
  cwd: string;
  looks: Looks;
  openAsker(mountedDirectory: string): Promise<Asker>;
  /** What a conversation was given. */
  openGiven(conversation: string | undefined): GivenContext;
  deadline: Deadline;
  /** An event with something undecided gets no context here, because it is asked about elsewhere then. */
  leavesUndecided?: boolean;
}>;

/**
 * `problem`: why there is no context. `isUndecided`: something is named that lies where nobody may look; what is about to be
 * opened there is refused, and what a prompt mentions there is passed over.
 */
type AnsweredEvent = Readonly<{ answer: HookAnswer; problem?: unknown; isUndecided: boolean }>;

/** Throws where it is no event. `project`: as the tool names it beside the event. */
export function questionIn(tool: HookTool, event: unknown, project: string | undefined): HookQuestion | undefined {
  if (!isRecord(event)) throw new Error('it is not a JSON object');
  if (eventIn(event) === undefined) throw new Error('it names no event');
  return tool.questionOf(event, project);
}

/** Throws where the prompt cannot be read; what cannot be decided is refused. Ends the askers that it opens. */
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

async function answerWith(
  tool: HookTool,
  question: HookQuestion,
  { cwd, looks, openAsker, openGiven, deadline, leavesUndecided = false }: Answering,
): Promise<AnsweredEvent> {
  const { inTime, signal } = deadline;
  const { project, workingDirectory, judged, outside, files, mentions } = await inTime(
    placesIn(question, { cwd, looks, signal }),
  );
  const gather = async (): Promise<string | undefined> => {
    if (!question.takesContext && question.forgets !== true) return undefined;
    const given = openGiven(question.conversation);
    if (question.forgets === true) given.forget();
    if (!question.takesContext) return undefined;
    const { loads = tools.flatMap((each) => (each.id === tool.id ? formatsOf(each, new Set()) : [])) } = tool;
    const reads = question.loads ?? loads;
    const sought = { mountedDirectory: project, workingDirectory, files, prompt: question.prompt, mentions, reads };
    const items = await gatherContext(sought, { asker: await openAsker(project), given, looks });
    // What nobody waits for any more is not given.
    signal.throwIfAborted();
    return giveContext(items, { given, length: tool.contextLength });
  };
  const isUndecided = outside.length > 0;
  try {
    const secret = outside.find(({ path }) => decideSensitive(path) !== undefined);
    const refusal = secret
      ? `contextd: ${visibleText(secret.shown)} is kept from models: sensitive.`
      : await inTime(refusalOf(judged, { project, looks, openAsker }));
    if (refusal !== undefined) return { answer: { refusal }, isUndecided };
    const unchangeable = question.changes === true ? await refusalOfChange(judged, looks) : undefined;
    if (unchangeable !== undefined) return { answer: { refusal: unchangeable }, isUndecided };
  } catch (error) {
    const shown = visibleText(judged[0]?.shown ?? '');
    const refusal = `contextd: it cannot be decided whether ${shown} may be seen: ${wordsOf(error)}.`;
    const isOutside = error instanceof ContextdError && error.code === 'path_outside_roots';
    return { answer: { refusal }, isUndecided: isUndecided || isOutside };
  }
  if (isUndecided && leavesUndecided) return { answer: {}, isUndecided };
  try {
    const context = await inTime(gather());
    return { answer: context === undefined ? {} : { context }, isUndecided };
  } catch (problem) {
    return { answer: {}, problem, isUndecided };
  }
}

type Place = { cwd: string; looks: Looks; signal: AbortSignal };

/** Where the project is, what is judged, and what is in play. */
async function placesIn(question: HookQuestion, { cwd: own, looks, signal }: Place) {
  const cwd = question.cwd !== undefined && isAbsolute(question.cwd) ? resolve(question.cwd) : own;
  const named = question.project !== undefined && isAbsolute(question.project) ? resolve(question.project) : cwd;
  const project = await projectOf(named, looks);
  const from = { cwd, looks };
  const judged: NamedPath[] = question.files.flatMap((path) => placesOf(path, { cwd, home: looks.home }));
  for (const path of question.searched) judged.push(...(await searchedPlacesOf(path, from)));
  const outside: NamedPath[] = [];
  const mentions: string[] = [];
  for (const name of mentionsIn(question.prompt ?? '', { inWords: question.mentionsInWords ?? false })) {
    signal.throwIfAborted();
    const places = placesOf(name, { cwd, home: looks.home });
    outside.push(...places.filter(({ path }) => looks.isOutside(path)));
    // A tool can bring along all that lies in a folder.
    if (await anyIsThere(places, looks)) judged.push(...(await searchedPlacesOf(name, from)));
    else mentions.push(name);
  }
  const worked = [...question.files, ...(question.inPlay ?? [])].map((path) => resolve(cwd, path));
  const files: string[] = [];
  for (const path of new Set([...worked, ...judged.map((each) => each.path)]))
    if (isBelow(project, path) && !(await looks.isFolder(path))) files.push(path);
  return {
    project,
    // A request refuses what looks percent-encoded; without it, there are the rules of the project at least.
    workingDirectory: isBelow(project, cwd) && !/%(?:2e|2f|5c)/iu.test(cwd) ? cwd : undefined,
    judged,
    outside,
    files: files.slice(0, maxMentions),
    mentions: mentions.slice(0, maxMentions),
  };
}

async function anyIsThere(places: readonly NamedPath[], { realPath }: Looks): Promise<boolean> {
  for (const { path } of places) if ((await realPath(path)) !== undefined) return true;
  return false;
}

const isBelow = (directory: string, path: string): boolean => path !== directory && isInside(directory, path);

/** In one line. */
export function wordsOf(error: unknown): string {
  const message = error instanceof ContextdError ? wordsOfProblem(error).join(' ') : (error as Error).message;
  return visibleText(String(message).split('\n', 1)[0] ?? '').replace(/\.$/u, '');
}

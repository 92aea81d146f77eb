/** One call of a hook: what the tool says, and what it is told. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { formatsOf, tools } from '../../context/formats/tools.ts';
import { ContextdError } from '../../errors.ts';
import { fixedLimits } from '../../settings.ts';
import { isRecord } from '../../texts/is-record.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { wordsOfProblem } from '../client/problem-words.ts';
import { type Asker, openAsker } from '../in-process/ask-engine.ts';
import { prepareStateDirectory, type Surroundings, stateDirectoryPath, stateNames } from '../state/state-directory.ts';
import { gatherContext, giveContext } from './gather-context.ts';
import { createGivenContext, type GivenContext } from './given-context.ts';
import { type HookAnswer, type HookOutput, type HookQuestion, type HookTool, textAt } from './hook-tool.ts';
import {
  isFolder,
  type NamedPath,
  placesOf,
  refusalOf,
  refusalOfChange,
  repositoryOf,
  searchedPlacesOf,
} from './judge-files.ts';
import { mentionsIn } from './mentions.ts';

/** `answerMs` is less than tools are told to wait: they go on without an answer. */
const { answerMs, mentions: mostMentions } = fixedLimits.hooks;

export type HookPlace = { stateDir: string | undefined; surroundings: Surroundings };

/** Never throws, and answers within 20 seconds. What cannot be decided is refused. */
export async function runHook(tool: HookTool, readInput: () => Promise<string>, place: HookPlace): Promise<HookOutput> {
  const { goesOn, stops } = tool.exitCodes;
  const inTime = createDeadline(answerMs);
  let question: HookQuestion | undefined;
  try {
    const input: unknown = JSON.parse(await inTime(readInput()));
    if (!isRecord(input)) throw new Error('it is no JSON object');
    if (textAt(input, 'hook_event_name') === undefined) throw new Error('it names no event');
    question = tool.questionOf(input, place.surroundings.environment);
  } catch (error) {
    return { line: `what the tool sent cannot be read, so it is refused (${wordsOf(error)})`, exitCode: stops };
  }
  if (question === undefined) return { exitCode: 0 };
  const { answer, problem } = await answerQuestion(tool, question, { ...place, inTime });
  const json = tool.outputOf(question, answer);
  if (answer.refusal === undefined && problem !== undefined)
    return { line: `no context is given (${problem})`, exitCode: goesOn };
  return { ...(json === undefined ? {} : { json }), exitCode: 0 };
}

type Deadline = <Result>(work: Promise<Result>) => Promise<Result>;

/** Gives up waiting once the time, which begins now, is over. */
function createDeadline(ms: number): Deadline {
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`it takes longer than ${ms / 1_000} seconds`)), ms);
    timer.unref();
  });
  late.catch(() => {});
  return (work) => Promise.race([work, late]);
}

type Answering = HookPlace & { inTime: Deadline };

async function answerQuestion(
  tool: HookTool,
  question: HookQuestion,
  { stateDir, surroundings, inTime }: Answering,
): Promise<{ answer: HookAnswer; problem?: string }> {
  const askers = new Map<string, Promise<Asker>>();
  const open = (mountedDirectory: string): Promise<Asker> => {
    const asker = askers.get(mountedDirectory) ?? openAsker(mountedDirectory, { stateDir, surroundings });
    askers.set(mountedDirectory, asker);
    return asker;
  };
  const { project, judged, files, mentions } = placesIn(question, surroundings);
  const gather = async (): Promise<string | undefined> => {
    if (!question.takesContext && question.forgets !== true) return undefined;
    const given = openGiven(tool, question, { stateDir, surroundings });
    if (question.forgets === true) given.forget();
    if (!question.takesContext) return undefined;
    const { loadsAs = tool.id } = tool;
    const reads = tools.flatMap((each) => (each.id === loadsAs ? formatsOf(each, new Set()) : []));
    const sought = { mountedDirectory: project, files, prompt: question.prompt, mentions, reads };
    const items = await gatherContext(sought, { asker: await open(project), given });
    return giveContext(items, { given, length: tool.contextLength });
  };
  try {
    const refusal = await inTime(refusalOf(judged, { project, openAsker: open }));
    if (refusal !== undefined) return { answer: { refusal } };
    const unchangeable = question.changes === true ? await refusalOfChange(judged) : undefined;
    if (unchangeable !== undefined) return { answer: { refusal: unchangeable } };
  } catch (error) {
    const shown = visibleText(judged[0]?.shown ?? '');
    return { answer: { refusal: `contextd: it cannot be decided whether ${shown} may be seen: ${wordsOf(error)}.` } };
  }
  try {
    const context = await inTime(gather());
    return { answer: context === undefined ? {} : { context } };
  } catch (error) {
    return { answer: {}, problem: wordsOf(error) };
  }
}

/** Where the project is, what is judged, and what is in play. */
function placesIn(question: HookQuestion, { cwd: own, home }: Surroundings) {
  const cwd = question.cwd !== undefined && isAbsolute(question.cwd) ? resolve(question.cwd) : own;
  const named = question.project !== undefined && isAbsolute(question.project) ? resolve(question.project) : cwd;
  // Policies hold from the top of a repository, wherever in it the tool was started.
  const project = repositoryOf(named) ?? named;
  const from = { cwd, home };
  const mentioned = mentionsIn(question.prompt ?? '', { inWords: question.mentionsInWords ?? false }).map((name) => ({
    name,
    places: placesThere(name, from),
  }));
  const judged: NamedPath[] = [
    ...question.files.flatMap((path) => placesOf(path, from)),
    ...question.searched.flatMap((path) => searchedPlacesOf(path, from)),
    // A tool can bring along all that lies in a folder.
    ...mentioned.flatMap(({ name, places }) => (places.length === 0 ? [] : searchedPlacesOf(name, from))),
  ];
  const worked = [...question.files, ...(question.inPlay ?? [])].map((path) => resolve(cwd, path));
  const inPlay = [...worked, ...judged.map(({ path }) => path)];
  const files = [...new Set(inPlay)].filter((path) => isInside(project, path) && !isFolder(path));
  const mentions = mentioned.flatMap(({ name, places }) => (places.length === 0 ? [name] : []));
  return { project, judged, files: files.slice(0, mostMentions), mentions: mentions.slice(0, mostMentions) };
}

const placesThere = (name: string, from: { cwd: string; home: string }): NamedPath[] =>
  placesOf(name, from).filter(({ path }) => existsSync(path));

function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '' && !isAbsolute(way) && way.split('/')[0] !== '..';
}

function openGiven(
  { id }: HookTool,
  { conversation }: HookQuestion,
  { stateDir, surroundings }: HookPlace,
): GivenContext {
  const stateDirectory = stateDirectoryPath(stateDir, surroundings);
  prepareStateDirectory(stateDirectory);
  const name = conversation === undefined ? undefined : JSON.stringify([id, conversation]);
  return createGivenContext(join(stateDirectory, stateNames.hooks), name);
}

/** In one line. */
function wordsOf(error: unknown): string {
  const message = error instanceof ContextdError ? wordsOfProblem(error).join(' ') : (error as Error).message;
  return visibleText(String(message).split('\n', 1)[0] ?? '').replace(/\.$/u, '');
}

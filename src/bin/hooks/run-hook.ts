/** Answers one event of a tool in the process of its hook. */
import { join } from 'node:path';
import { openAsker } from '../in-process/ask-engine.ts';
import { prepareStateDirectory, type Surroundings, stateDirectoryPath, stateNames } from '../state/state-directory.ts';
import { answerEvent, questionIn, wordsOf } from './answer-event.ts';
import type { Deadline } from './deadline.ts';
import { createOwnDisk } from './disk.ts';
import { createGivenContext } from './given-context.ts';
import type { HookOutput, HookQuestion, HookTool } from './hook-tool.ts';
import { projectNamedIn } from './project-variables.ts';

/** The same for all tools: after `goesOn` the tool continues, after `stops` it does not. */
export const hookExitCodes = { goesOn: 1, stops: 2 } as const;

export type HookPlace = { stateDir: string | undefined; surroundings: Surroundings; deadline: Deadline };

/** Refuses what cannot be decided in time. `readInput` returns the event as JSON. */
export async function runHook(
  tool: HookTool,
  readInput: () => Promise<string>,
  { stateDir, surroundings, deadline }: HookPlace,
): Promise<HookOutput> {
  const { environment, cwd, home } = surroundings;
  let question: HookQuestion | undefined;
  try {
    question = questionIn(tool, JSON.parse(await deadline.inTime(readInput())), projectNamedIn(environment, tool.id));
  } catch (error) {
    return {
      line: `the input of the tool cannot be read, so the event is refused (${wordsOf(error)})`,
      exitCode: hookExitCodes.stops,
    };
  }
  if (question === undefined) return { exitCode: 0 };
  const { answer, problem } = await answerEvent(tool, question, {
    cwd,
    disk: createOwnDisk(home),
    openAsker: (mountedDirectory) => openAsker(mountedDirectory, { stateDir, surroundings }),
    openGiven(conversation) {
      const stateDirectory = stateDirectoryPath(stateDir, surroundings);
      prepareStateDirectory(stateDirectory);
      const name = conversation === undefined ? undefined : JSON.stringify([tool.id, conversation]);
      return createGivenContext(join(stateDirectory, stateNames.hooks), name);
    },
    deadline,
  });
  const json = tool.outputOf(question, answer);
  if (answer.refusal === undefined && problem !== undefined)
    return { line: `no context is given (${wordsOf(problem)})`, exitCode: hookExitCodes.goesOn };
  return { json, exitCode: 0 };
}

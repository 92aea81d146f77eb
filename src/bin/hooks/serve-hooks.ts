/** Hooks over HTTP: the daemon answers like the process of a hook, but only about files in granted roots. */
import { isAbsolute } from 'node:path';
import type { AnswerHook } from '../../../routes/hooks.ts';
import type { Engine } from '../../engine.ts';
import { ContextdError, refuseField } from '../../errors.ts';
import { expandHome, fixedLimits } from '../../settings.ts';
import type { Asker } from '../in-process/ask-engine.ts';
import { answerEvent, questionIn, wordsOf } from './answer-event.ts';
import { createDeadline } from './deadline.ts';
import { createConfinedDisk } from './disk.ts';
import { createGivenContext } from './given-context.ts';
import type { HookQuestion, HookTool } from './hook-tool.ts';
import { hookToolOf, hookTools } from './tools.ts';

/** `directory`: the place of the files that record what conversations were given. */
export function createHookAnswers({ engine, directory }: { engine: Engine; directory: string }): AnswerHook {
  const { files, locateRoots } = engine;
  const home = files.homeDirectory();
  return async ({ tool: id, event, project, cwd, outside }, { caller, signal }) => {
    const tool = hookToolOf(id);
    if (tool === undefined)
      throw new ContextdError('not_found', `There is no such tool. The tools are ${idsOfTools()}.`);
    const question = questionOf(tool, event, project === undefined ? undefined : expandHome(project, home));
    if (question === undefined) return {};
    const asked: Engine = { ...engine, gatherContext: (request) => engine.gatherContext(request, { caller, signal }) };
    const asker: Asker = {
      ask: async ({ ask, request }) => ({ result: await ask(asked, request), outsideRootsOfDaemon: false }),
      dispose: async () => {},
    };
    // Each token has its own conversations.
    const owner = caller.scope === 'agent' ? [caller.tokenId] : [];
    const roots = await locateRoots();
    const deadline = createDeadline(fixedLimits.hooks.answerMs, signal);
    const { answer, problem, isUndecided } = await answerEvent(tool, question, {
      cwd: directoryOf(question, cwd === undefined ? undefined : expandHome(cwd, home)),
      disk: createConfinedDisk(files, roots),
      openAsker: async () => asker,
      openGiven: (conversation) =>
        createGivenContext(directory, conversation && JSON.stringify([id, conversation, ...owner])),
      deadline,
      leavesUndecided: outside === 'problem',
    }).finally(deadline.end);
    if (isUndecided && outside === 'problem')
      throw new ContextdError('path_outside_roots', 'The event is about a path outside the granted roots.');
    if (answer.refusal === undefined && problem !== undefined)
      throw problem instanceof ContextdError ? problem : new ContextdError('unavailable', wordsOf(problem));
    return (tool.outputOf(question, answer) ?? {}) as Record<string, unknown>;
  };
}

const idsOfTools = (): string => hookTools.map(({ id }) => id).join(', ');

function questionOf(tool: HookTool, event: unknown, project: string | undefined): HookQuestion | undefined {
  try {
    return questionIn(tool, event, project);
  } catch (error) {
    throw new ContextdError('invalid_request', `The event cannot be read: ${wordsOf(error)}.`);
  }
}

function directoryOf(question: HookQuestion, cwd: string | undefined): string {
  const named = [question.cwd, cwd, question.project].find((path) => path !== undefined && isAbsolute(path));
  if (named !== undefined) return named;
  const message = 'The event names no directory; say it with the query parameter "cwd".';
  throw refuseField('invalid_request', '/cwd', message);
}

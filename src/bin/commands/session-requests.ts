import { Argument, type Command } from 'commander';
import type { RebuiltRequest, StoredReceipt } from '../../session/request.ts';
import type { Warning } from '../../warnings.ts';
import { wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { sessionArgument, sessionPath } from './sessions.ts';
import { askDaemon, printResult } from './shared/ask-daemon.ts';
import { type CommonFlags, jsonOption, positive, stateDirOption, textGiven } from './shared/options.ts';
import { uniqueId } from './shared/unique-id.ts';

type RequestPage = { requests: StoredReceipt[]; next?: number; warnings: Warning[] };

/** `contextd sessions requests|context|reply`: past requests, their context, and the replies of the model. */
export function addSessionRequestCommands(sessions: Command): void {
  const request = () => new Argument('<request>', 'its id; see "contextd sessions requests"');
  const add = (name: string, description: string) =>
    sessions.command(name).description(description).addArgument(sessionArgument());
  add('requests', 'Lists the requests of a session, the newest first.')
    .option('--limit <number>', 'Max requests to list.', positive('integer'), 20)
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .action(listRequests);
  add('context', 'Shows what a model was given for a message, why, and what has changed since.')
    .addArgument(request())
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', contextHelp)
    .action(showContext);
  const answer = add('reply', 'Reports what the model answered to a request. A second reply is refused.');
  answer
    .addArgument(request())
    .argument('[text]', 'the reply; "-" or nothing for standard input', '-')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', replyHelp)
    .action((id: string, requestId: string, given: string) => reply({ id, requestId }, given, answer.opts()));
}

const contextHelp = `
Each item has its priority, how it came into the request, and how relevant it was to
the message. The items are shown as they were then; --json has the messages and tools.

Marks:
  ● always: from the start of the session   ○ manual: added or mentioned
  ◐ auto: a file in play matched            ◇ agent: relevant, with its score

Exit codes:
  0 answered   64 wrong usage, unknown session or request   69 no daemon runs`;

const replyHelp = `
Examples:
  contextd sessions reply <session> <request> "They are wrapped."
  my-model < prompt.txt | contextd sessions reply <session> <request>

Exit codes:
  0 done   64 wrong usage, unknown request, or replied already   69 no daemon runs`;

/** Beginnings of the ids of a session and a request. */
type Written = { id: string; requestId: string };

const pages = () => import('../render/requests.ts');

/** Max requests in one answer of the daemon. */
const pageLength = 100;

async function newestRequests(session: string, flags: CommonFlags & { limit: number }): Promise<RequestPage> {
  const answer: RequestPage = { requests: [], warnings: [] };
  let next: number | undefined;
  do {
    const limit = Math.min(pageLength, flags.limit - answer.requests.length);
    const after = next === undefined ? '' : `&after=${next}`;
    const path = `${session}/requests?limit=${limit}${after}`;
    const page: RequestPage = await askDaemon<RequestPage>(flags, { method: 'GET', path });
    answer.requests.push(...page.requests);
    answer.warnings.push(...page.warnings);
    next = page.next;
  } while (next !== undefined && answer.requests.length < flags.limit);
  return answer;
}

async function listRequests(id: string, flags: CommonFlags & { limit: number }): Promise<void> {
  const answer = await newestRequests(await sessionPath(id, flags), flags);
  await printResult(answer, flags, async (sheet) => (await pages()).renderRequestList(answer, sheet));
}

async function showContext(id: string, requestId: string, flags: CommonFlags): Promise<void> {
  const path = await requestPath({ id, requestId }, flags);
  const request = await askDaemon<RebuiltRequest>(flags, { method: 'GET', path });
  await printResult(request, flags, async (sheet) => (await pages()).renderRequestContext(request, sheet));
}

async function reply(request: Written, given: string, flags: CommonFlags): Promise<void> {
  const modelReply = await textGiven(given);
  if (modelReply.trim() === '') throw wrongUsage('the reply is empty');
  const path = `${await requestPath(request, flags)}/reply`;
  const answer = await askDaemon(flags, { method: 'POST', path, body: { modelReply } });
  if (flags.json === true) return printJson(answer);
  console.log('The reply was added to the session.');
}

async function requestPath({ id, requestId }: Written, flags: CommonFlags): Promise<string> {
  const session = await sessionPath(id, flags);
  const whole = await uniqueId(requestId, async () => {
    const { requests } = await newestRequests(session, { ...flags, limit: Number.MAX_SAFE_INTEGER });
    return requests.map((request) => ({ id: request.requestId }));
  });
  return `${session}/requests/${encodeURIComponent(whole)}`;
}

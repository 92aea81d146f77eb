import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { NewRequest, RequestReceipt } from '../../session/request.ts';
import { expandOf, expandOption } from './resolve.ts';
import { sessionPages, sessionPath } from './sessions.ts';
import { askDaemon, printResult } from './shared/ask-daemon.ts';
import { type CommonFlags, collect, jsonOption, positive, stateDirOption, textGiven } from './shared/options.ts';

type Flags = CommonFlags & {
  file?: string[];
  mention?: string[];
  expand?: string[];
  budget?: number;
};

/** `contextd request`: what a model is sent for a message, and why. */
export function addRequestCommand(program: Command): void {
  program
    .command('request')
    .summary('Build the input of a model for a message in a session.')
    .description(
      'Builds the input of a model for a message in a session, and appends the message to the session. Shows the receipt: what went in, why, and how many tokens it costs. --json has the messages and tools themselves. Needs a running daemon.',
    )
    .argument('<session>', 'id of the session, or the beginning of it')
    .argument('<message>', 'what the user says; "-" for standard input')
    .option('-f, --file <path>', 'A file in play. Repeatable.', collect)
    .option('-m, --mention <item>', 'An item for this request, by name or path. Repeatable.', collect)
    .addOption(expandOption())
    .option('--budget <tokens>', 'Max tokens of messages and tools.', positive('integer'))
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', requestHelp)
    .action(makeRequest);
}

const requestHelp = `
Marks:
  ● always: from the start of the session   ○ manual: added or mentioned
  ◐ auto: a file in play matches            ◇ agent: relevant, with its score

Examples:
  contextd request <session> "How are errors handled?" --file src/app.ts
  contextd request <session> "And in tests?" --budget 4000 --json
  git diff | contextd request <session> -

Exit codes:
  0 done   64 wrong usage or unknown session   69 no daemon runs`;

async function makeRequest(session: string, given: string, flags: Flags): Promise<void> {
  const body: NewRequest = {
    message: await textGiven(given),
    // A person means paths relative to where they stand.
    files: flags.file?.map((file) => resolve(file)),
    mentions: flags.mention,
    expand: expandOf(flags),
    budget: flags.budget === undefined ? undefined : { maxTokens: flags.budget },
  };
  const receipt = await askDaemon<RequestReceipt>(flags, {
    method: 'POST',
    path: `${await sessionPath(session, flags)}/requests`,
    body,
  });
  await printResult(receipt, flags, async (sheet) => (await sessionPages()).renderReceipt(receipt, sheet));
}

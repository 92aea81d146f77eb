import { type Command, Option } from 'commander';
import type { ToolPermission } from '../../agent/agent.ts';
import type { SessionChanges, SessionPatch, SessionSummary } from '../../session/session.ts';
import { wrongUsage } from '../exit-codes.ts';
import { sessionArgument, sessionPages, sessionPath } from './sessions.ts';
import { askDaemon, printResult } from './shared/ask-daemon.ts';
import { anyNumber, type CommonFlags, jsonOption, positive, stateDirOption } from './shared/options.ts';

type SettingFlags = CommonFlags & {
  provider?: string;
  model?: string;
  temperature?: number;
  topP?: number;
  maxOutputTokens?: number;
  maxChatTurns?: number;
  toolPermission?: ToolPermission;
};

/** `contextd sessions set|changes`: the settings of a session, and everything that happened in it. */
export function addSessionChangeCommands(sessions: Command): void {
  sessions
    .command('set')
    .description('Changes settings of a session, which runtimes read before they call its model.')
    .addArgument(sessionArgument())
    .option('--provider <name>', 'Provider of the model; "" if it is not known.')
    .option('--model <name>', 'The model; "" if it is not known.')
    .option('--temperature <number>', 'Sampling temperature, 0 to 2.', anyNumber)
    .option('--top-p <number>', 'Nucleus sampling, 0 to 1.', anyNumber)
    .option('--max-output-tokens <number>', 'Max tokens of a reply.', positive('integer'))
    .option('--max-chat-turns <number>', 'Max calls of the model for one message.', positive('integer'))
    .addOption(
      new Option(
        '--tool-permission <when>',
        'When to ask before a tool is called; "tool": as each tool is set.',
      ).choices(['always', 'never', 'tool']),
    )
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', setHelp)
    .action(changeSettings);
  sessions
    .command('changes')
    .description('Lists what happened in a session, in order: messages, items, settings.')
    .addArgument(sessionArgument())
    .option('--since <number>', 'Show only what came after this change.', positive('integer'), 1)
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', changesHelp)
    .action(listChanges);
}

const setHelp = `
Examples:
  contextd sessions set <session> --model small-model --temperature 0.2
  contextd sessions set <session> --tool-permission always

Exit codes:
  0 done   64 wrong usage or unknown session   69 no daemon runs`;

const changesHelp = `
Each change has a number, one higher than the one before. Change 1 is the beginning of the
session; it is not listed. See "contextd sessions show".
Messages are cut to one line; --json has their whole text.

Examples:
  contextd sessions changes <session>
  contextd sessions changes <session> --since 40 --json

Exit codes:
  0 answered   64 wrong usage or unknown session   69 no daemon runs`;

async function changeSettings(id: string, flags: SettingFlags): Promise<void> {
  const { json: _json, stateDir: _stateDir, provider, model, ...settings } = flags;
  const body: SessionPatch = {
    ...settings,
    ...(provider === undefined ? {} : { currentModelProvider: provider || null }),
    ...(model === undefined ? {} : { currentModelId: model || null }),
  };
  if (Object.keys(body).length === 0) throw wrongUsage('say what to change; --help shows what can be');
  const session = await askDaemon<SessionSummary>(flags, { method: 'PATCH', path: await sessionPath(id, flags), body });
  await printResult(session, flags, async (sheet) => (await sessionPages()).renderSessionSummary(session, sheet));
}

async function listChanges(id: string, flags: CommonFlags & { since: number }): Promise<void> {
  const { since } = flags;
  const all: Pick<SessionChanges, 'changes' | 'lastSyncId' | 'warnings'> = {
    changes: [],
    lastSyncId: since,
    warnings: [],
  };
  const session = await sessionPath(id, flags);
  for (let next: number | undefined = since; next !== undefined; ) {
    const path = `${session}/changes?since=${next}`;
    const page: SessionChanges = await askDaemon<SessionChanges>(flags, { method: 'GET', path });
    if (page.full) throw wrongUsage(`the session has only ${page.lastSyncId} changes`);
    all.changes.push(...page.changes);
    all.warnings.push(...page.warnings);
    all.lastSyncId = page.lastSyncId;
    next = page.next;
  }
  await printResult(all, flags, async (sheet) => {
    const { renderChanges } = await import('../render/requests.ts');
    const { renderWarnings } = await import('../render/page.ts');
    const lines = [...renderChanges(all.changes, sheet), ...renderWarnings(all.warnings, sheet)];
    return lines.length === 0 ? ['Nothing happened since.'] : lines;
  });
}

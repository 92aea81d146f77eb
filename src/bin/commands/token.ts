import { type Command, Option } from 'commander';
import type { AccessTokenList, MintedToken } from '../../../routes/tokens.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { printJson } from '../render/json.ts';
import { askDaemon } from './shared/ask-daemon.ts';
import { addCommonOptions, type CommonFlags, jsonOption, stateDirOption } from './shared/options.ts';
import { uniqueId } from './shared/unique-id.ts';

type Flags = CommonFlags & { scope?: 'agent'; label?: string };

/** `contextd token`, `contextd token list|revoke`: tokens for agent runtimes (S-15). */
export function addTokenCommand(program: Command): void {
  const token = program
    .command('token')
    .summary('Mint a token for an agent runtime, with fewer rights than yours.')
    .description(
      'Mints a token for an agent runtime. It gives access to context, search and sessions. It cannot approve servers, grant roots, write policies, define agents, delete anything, or stop the daemon. The command prints only the token, and only this once. Needs a running daemon.',
    )
    .helpCommand(false)
    .addOption(new Option('--scope <scope>', 'What the token gives access to.').choices(['agent']).default('agent'))
    .option('--label <text>', 'What the token is for. "contextd token list" shows it.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', tokenHelp)
    .action(mintToken);
  const add = (name: string, description: string) => addCommonOptions(token.command(name).description(description));
  add('list', 'Lists the minted tokens, but never their secret values.').action(listTokens);
  add('revoke', 'Revokes a token. It gives no access any more.')
    .argument('<id>', 'id of the token, as `list` shows it, or the beginning of it')
    .action(revokeToken);
}

const tokenHelp = `
Examples:
  AGENT_TOKEN=$(contextd token --label "build agent")
  contextd token list
  contextd token revoke <id>

Exit codes:
  0 done   64 wrong usage or unknown token   69 no daemon runs`;

async function mintToken(flags: Flags): Promise<void> {
  const body = { scope: flags.scope ?? 'agent', label: flags.label };
  const minted = await askDaemon<MintedToken>(flags, { method: 'POST', path: '/v1/tokens', body });
  if (flags.json === true) return printJson(minted);
  console.log(minted.token);
  if (process.stdout.isTTY)
    console.error(`Keep it; it is not shown again. To take it back: contextd token revoke ${minted.id}`);
}

async function listTokens(_own: Flags, command: Command): Promise<void> {
  const flags = command.optsWithGlobals<Flags>();
  const answer = await listed(flags);
  if (flags.json === true) return printJson(answer);
  if (answer.tokens.length === 0) console.log('No tokens were minted. `contextd token --scope agent` mints one.');
  const { bytes, minuteOf, plural } = await import('../render/words.ts');
  for (const { id, scope, label, createdAt, use } of answer.tokens) {
    const held = `${plural(use.sessions, 'session')}, ${bytes(use.storedBytes)}`;
    const columns = [id, scope, minuteOf(createdAt), visibleText(label), held];
    console.log(columns.filter((column) => column !== '').join('  '));
  }
}

async function revokeToken(written: string, _own: Flags, command: Command): Promise<void> {
  const flags = command.optsWithGlobals<Flags>();
  const id = await uniqueId(written, async () => (await listed(flags)).tokens);
  await askDaemon(flags, { method: 'DELETE', path: `/v1/tokens/${encodeURIComponent(id)}` });
  if (flags.json === true) return printJson({ revoked: id });
  console.log('The token is revoked.');
}

const listed = (flags: Flags) => askDaemon<AccessTokenList>(flags, { method: 'GET', path: '/v1/tokens' });

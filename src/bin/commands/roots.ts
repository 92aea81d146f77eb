import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { GrantedRoots } from '../../../routes/roots.ts';
import type { GrantedRoot } from '../../access/roots.ts';
import { visibleText } from '../../texts/visible-text.ts';
import { printJson } from '../render/json.ts';
import { rootNotes } from '../render/words.ts';
import { askDaemon } from './shared/ask-daemon.ts';
import { addCommonOptions, type CommonFlags } from './shared/options.ts';

/** `contextd roots list|grant|revoke`: what the daemon may read. */
export function addRootsCommand(program: Command): void {
  const roots = program
    .command('roots')
    .summary('Show and change which directories the daemon may read.')
    .description('Shows and changes which directories the daemon may read. Needs a running daemon.')
    .helpCommand(false)
    .addHelpText('after', '\nExit codes:\n  0 done   64 wrong usage or directory   69 no daemon runs');
  const add = (name: string, description: string) => addCommonOptions(roots.command(name).description(description));
  const directory = 'directory, relative to the current one';
  add('list', 'Lists the granted roots.').action(listRoots);
  add('grant', 'Allows the daemon to read a directory and everything below it. The grant stays when the daemon stops.')
    .argument('<dir>', directory)
    .action(grantRoot);
  add('revoke', 'Revokes a grant.').argument('<dir>', directory).action(revokeRoot);
}

async function listRoots(flags: CommonFlags): Promise<void> {
  const answer = await askDaemon<GrantedRoots>(flags, { method: 'GET', path: '/v1/roots' });
  if (flags.json === true) return printJson(answer);
  for (const { path, origin } of answer.roots) console.log(visibleText(path) + rootNotes[origin]);
}

async function grantRoot(directory: string, flags: CommonFlags): Promise<void> {
  const body = { path: resolve(directory) };
  const root = await askDaemon<GrantedRoot>(flags, { method: 'POST', path: '/v1/roots', body });
  if (flags.json === true) return printJson(root);
  console.log(`The daemon may read ${visibleText(root.path)}.`);
}

async function revokeRoot(directory: string, flags: CommonFlags): Promise<void> {
  const body = { path: resolve(directory) };
  await askDaemon(flags, { method: 'DELETE', path: '/v1/roots', body });
  if (flags.json === true) return printJson({ revoked: body.path });
  console.log(`The daemon may no longer read ${visibleText(body.path)}.`);
}

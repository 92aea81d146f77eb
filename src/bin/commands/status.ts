import { join } from 'node:path';
import type { Command } from 'commander';
import type { z } from 'zod';
import type { GrantedRoots } from '../../../routes/roots.ts';
import type { Status } from '../../../routes/status.ts';
import { visibleText } from '../../visible-text.ts';
import { processSurroundings, stateDirectoryPath, stateNames } from '../state-directory.ts';
import { jsonOption, printJson, rootNotes, stateDirOption } from './shared.ts';

/** `contextd status`: where the daemon runs and what it may read. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .summary('Show where the daemon runs and what it may read.')
    .description('Shows where the daemon runs and what it may read. With --json: what GET /v1/status answers.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', '\nExit codes:\n  0 it runs   64 wrong usage   69 it does not run')
    .action(printStatus);
}

async function printStatus(flags: { json?: boolean; stateDir?: string }): Promise<void> {
  const stateDirectory = stateDirectoryPath(flags.stateDir, processSurroundings());
  const { requireDaemon } = await import('../client.ts');
  const { request } = await requireDaemon(stateDirectory);
  const status = await request<z.infer<typeof Status>>({ method: 'GET', path: '/v1/status' });
  if (flags.json === true) return printJson(status);
  const { roots } = await request<z.infer<typeof GrantedRoots>>({ method: 'GET', path: '/v1/roots' });
  const megabytes = Math.round(status.memory.rssBytes / 1024 / 1024);
  const rows: [string, string][] = [
    ['address', status.url],
    ['process', `${status.pid}, up ${duration(status.uptimeSeconds)}, ${megabytes} MiB`],
    ['version', `${status.version} (Node.js ${status.nodeVersion})`],
    ['discovery', join(stateDirectory, stateNames.discovery)],
    ...roots.map(({ path, origin }): [string, string] => ['may read', path + rootNotes[origin]]),
    ...status.warnings.map(({ message }): [string, string] => ['warning', message]),
  ];
  console.log('contextd is running');
  rows.forEach(([label, text], index) => {
    const shown = rows[index - 1]?.[0] === label ? '' : label;
    console.log(`  ${shown.padEnd(10)} ${visibleText(text)}`);
  });
}

function duration(seconds: number): string {
  if (seconds >= 86_400) return `${Math.floor(seconds / 86_400)} d`;
  if (seconds >= 3_600) return `${Math.floor(seconds / 3_600)} h`;
  return seconds >= 60 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds)} s`;
}

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { visibleText } from '../../texts/visible-text.ts';
import { wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { parseStore } from '../state/postgres-address.ts';
import { processSurroundings, stateDirectoryPath } from '../state/state-directory.ts';
import { type CommonFlags, jsonOption, stateDirOption } from './shared/options.ts';

type Flags = CommonFlags & { replace?: boolean; trust?: boolean; dryRun?: boolean };

/** `contextd import`: all state from one file. */
export function addImportCommand(program: Command): void {
  program
    .command('import')
    .summary('Take over the state that "export" wrote.')
    .description(
      'Reads all state from a file that "contextd export" wrote. No daemon may run. Lists the decisions of trust (granted roots, approved MCP servers, tokens), and takes them over only with --trust.',
    )
    .argument('<file>', 'what "contextd export" wrote; "-" for standard input')
    .option('--replace', 'Replace existing state. The old database is kept under another name.')
    .option('--trust', 'Also take over granted roots, approvals and tokens. Use it only for your own file.')
    .option('--dry-run', 'Change nothing. Say what the import would take over, and use its exit code.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', importHelp)
    .action(importState);
}

const importHelp = `
It takes over the whole file or nothing. It updates files of older versions, and refuses
files of newer ones.

Examples:
  contextd import --dry-run backup.jsonl   whether it is whole, and what it holds
  contextd import --trust backup.jsonl     your own, on a new machine
  contextd import --replace --trust backup.jsonl

Exit codes:
  0 done   64 wrong usage, not an export, damaged, or there is state already
  69 the disk is full or fails   75 a daemon runs   78 written by a newer contextd, state directory refused`;

const sharedStore =
  'An import goes into the state directory, but CONTEXTD_STORE names a PostgreSQL. Import with CONTEXTD_STORE=sqlite, then: contextd store migrate --from sqlite --to <address>';

async function importState(file: string, flags: Flags): Promise<void> {
  const { importState: run } = await import('../transfer/import-state.ts');
  const surroundings = processSurroundings();
  if (parseStore({}, surroundings) !== undefined) throw wrongUsage(sharedStore);
  const [trust, dryRun] = [flags.trust === true, flags.dryRun === true];
  const result = await run({
    file: file === '-' ? file : resolve(file),
    stateDirectory: stateDirectoryPath(flags.stateDir, surroundings),
    replace: flags.replace === true,
    trust,
    dryRun,
  });
  const { importSummary, renderImport } = await import('../transfer/render-state.ts');
  if (flags.json === true) printJson(importSummary(result, { trust, dryRun }));
  else for (const line of renderImport(result, { trust, dryRun })) console.log(visibleText(line));
  if (result.refusal !== undefined) throw result.refusal;
}

import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { visibleText } from '../../texts/visible-text.ts';
import { printJson } from '../render/json.ts';
import { parseStore } from '../state/postgres-address.ts';
import { processSurroundings, stateDirectoryPath } from '../state/state-directory.ts';
import { type CommonFlags, jsonOption, refuseBeside, stateDirOption } from './shared/options.ts';

type Flags = CommonFlags & { force?: boolean };

/** `contextd export`: all state as one file. */
export function addExportCommand(program: Command): void {
  program
    .command('export')
    .summary('Write all state into one file.')
    .description(
      'Writes all that the daemon keeps into one file: granted roots, approvals, tokens (as digests), agents, added context, sessions, requests and usage. Leaves out vectors, because the daemon computes them again. Works with and without a running daemon.',
    )
    .argument(
      '[file]',
      'file to write; "-" for standard output. Default: contextd-<time>.jsonl in the current directory',
    )
    .option('--force', 'Overwrite the file.')
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', exportHelp)
    .action(exportState);
}

const exportHelp = `
The file holds your messages, and secrets of MCP servers that agents define. Protect it
like these secrets. It has mode 0600.

Examples:
  contextd export
  contextd export - | gzip > contextd.jsonl.gz
  contextd import backup.jsonl          on the other machine

Exit codes:
  0 done   64 wrong usage, or the file exists   69 the daemon does not answer, the disk is full
  78 state directory refused`;

async function exportState(file: string | undefined, flags: Flags): Promise<void> {
  if (file === '-') refuseBeside('"-"', { '--force': flags.force === true, '--json': flags.json === true });
  const { openExport, writeExportFile } = await import('../transfer/export-state.ts');
  const surroundings = processSurroundings();
  const isShared = parseStore({}, surroundings) !== undefined;
  const chunks = openExport(stateDirectoryPath(flags.stateDir, surroundings), isShared);
  if (file === '-') {
    for await (const chunk of chunks) if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    return;
  }
  const path = resolve(file ?? `contextd-${new Date().toISOString().replaceAll(/[-:]|\.\d+/gu, '')}.jsonl`);
  const written = await writeExportFile(path, chunks, { force: flags.force === true });
  if (flags.json === true) return printJson({ file: path, ...written });
  const { renderCounts, renderDamaged } = await import('../transfer/render-state.ts');
  console.log(`Exported to ${visibleText(path)}: ${renderCounts(written.rows)}.`);
  for (const line of renderDamaged(written.damaged)) console.log(line);
}

import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Diagnostic } from '../../validation/diagnostic.ts';
import { exitCodes, wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { terminalSheet } from '../render/page.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { jsonOption } from './shared/options.ts';

type Flags = { format: 'text' | 'json' | 'sarif'; json?: boolean; strict?: boolean; clientContextPath?: string };

/** `contextd check`: checks all configurations, context files, policies and rule files of a tree. */
export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .summary('Check configurations, context files, policies and rule files of other tools.')
    .description(
      'Checks all context configurations, context files, policies and rule files of other tools in a directory and below it. Says where each mistake is and how to fix it.',
    )
    .argument('[dir]', 'the directory to check', '.')
    .addOption(
      new Option('--format <format>', 'How to print the findings.').choices(['text', 'json', 'sarif']).default('text'),
    )
    .addOption(jsonOption().conflicts('format'))
    .option('--strict', 'Exit with 1 for warnings too.')
    .option('--client-context-path <path>', 'Name of context directories, relative. Default: .context')
    .addHelpText('after', checkHelp)
    .action(check);
}

const checkHelp = `
Uses no daemon: the answer is the same at your desk, in a hook and in CI. Skips ".git" and
"node_modules". Follows symbolic links only if CONTEXTD_FOLLOW_SYMLINKS is "true"; then it
checks each file once, under one of its names.

Marks:
  ✕ error: does not work as written   ! warning: looks wrong

Examples:
  contextd check
  contextd check ~/code/shop --strict
  contextd check --format sarif > contextd.sarif

Exit codes:
  0 no errors   1 errors, or with --strict warnings   64 wrong usage or directory   70 internal error`;

async function check(dir: string, flags: Flags): Promise<void> {
  const { environment, home } = processSurroundings();
  const directory = resolve(dir);
  const { parseClientContextPath } = await import('../../settings.ts');
  const { parseContextEnvironment } = await import('../state/context-environment.ts');
  const { warnings, clientContextPath, followSymlinks } = parseContextEnvironment(environment, home);
  const named =
    flags.clientContextPath === undefined
      ? { value: clientContextPath }
      : parseClientContextPath(flags.clientContextPath);
  if (named.value === undefined) throw wrongUsage(`--client-context-path cannot be used: ${named.problem}.`);
  const { createDirectoryCheck } = await import('../in-process/check-directory.ts');
  const { validate, readSources } = createDirectoryCheck(directory, {
    clientContextPath: named.value,
    followSymlinks,
  });
  const result = await validate();
  const diagnostics: Diagnostic[] = [
    ...result.diagnostics,
    ...warnings.map((warning) => ({ severity: 'warning' as const, ...warning })),
  ];
  const strict = flags.strict === true;
  if (flags.json === true || flags.format === 'json') printJson({ ...result, diagnostics });
  else if (flags.format === 'sarif') {
    const [{ sarifLog }, { packageVersion }] = await Promise.all([
      import('../render/sarif.ts'),
      import('../state/package-info.ts'),
    ]);
    printJson(sarifLog(diagnostics, { directory, version: packageVersion() }));
  } else {
    const { renderDiagnostics } = await import('../render/diagnostics.ts');
    const sources = await readSources(diagnostics);
    process.stdout.write(
      renderDiagnostics(diagnostics, { ...terminalSheet(home, directory), directory, strict, sources }),
    );
    const { sayPartOfRepository } = await import('./shared/hints.ts');
    await sayPartOfRepository(directory, home, () => 'Only this part was checked.');
  }
  if (!result.valid || (strict && diagnostics.length > 0)) process.exitCode = exitCodes.findings;
}

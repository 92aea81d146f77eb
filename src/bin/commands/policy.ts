import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { PolicyFileName } from '../../access/policy-file-names.ts';
import { exitCodes } from '../exit-codes.ts';
import { questions } from '../in-process/questions.ts';
import { processSurroundings } from '../state/state-directory.ts';
import { addPolicyOptions, addPolicyWriting, readPolicyText } from './policy-writing.ts';
import { printResult } from './shared/ask-daemon.ts';
import { pathIn, projectAbove } from './shared/given-paths.ts';
import { type CommonFlags, jsonOption, projectArgument, stateDirOption, wholeNumber } from './shared/options.ts';
import { askHere } from './shared/print-answer.ts';

/** `contextd policy`: what an AI system may see of a directory, and why (AP-07 … AP-09). */
export function addPolicyCommand(program: Command): void {
  const policy = program
    .command('policy')
    .summary('Show and change what an AI system may see.')
    .description(
      'Shows which files of a directory an AI system may see, and which policy decides. Also changes policies.',
    )
    .helpCommand(false)
    .addHelpText('after', policyHelp);
  policy
    .command('check')
    .summary('Say whether an AI system may see these files.')
    .description('Says for each file whether an AI system may get its content, and which policy decides.')
    .argument('<path...>', 'the files, relative to <dir> or the current directory; they need not exist')
    .option(
      '-d, --directory <dir>',
      'The mounted directory: the root of the project. Default: the git repository around the current directory.',
    )
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', checkHelp)
    .action(checkPolicy);
  policy
    .command('list')
    .summary('List the policies of a directory.')
    .description('Lists the policies of a directory and below it.')
    .addArgument(projectArgument())
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', '\nExit codes:\n  0 answered   64 wrong usage or directory   70 internal error')
    .action(listPolicies);
  const preview = policy
    .command('preview')
    .summary('Show what a policy would let through.')
    .description('Shows what a policy would let through, before it is written. Writes nothing.')
    .addArgument(projectArgument());
  addPolicyOptions(preview)
    .option('--limit <number>', 'Max files to show. Default: 100', wholeNumber(1_000))
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', previewHelp)
    .action(previewPolicy);
  addPolicyWriting(policy);
}

const policyHelp = `
A policy is a file ".ai-context-policy.yaml". Only one policy decides about a file: the
nearest one, from the directory of the file up to the root of the project:

  ai_context_policy: allow      # or: block
  exclude:                      # files for which the opposite applies
    - "secrets/**"`;

const checkHelp = `
The running daemon answers. If no daemon runs, or the daemon may not read <dir>, this
command answers by itself. CONTEXTD_DEFAULT_POLICY then applies where there is no policy.

Examples:
  contextd policy check src/app.ts secrets/prices.md
  git diff --cached --name-only -z | xargs -0 -r contextd policy check --

Exit codes:
  0 all may be seen   1 some may not   64 wrong usage or directory   70 internal error`;

const previewHelp = `
Without --policy, --exclude and --file it shows what the existing policies let through;
--name has no effect then. It skips ".git" and "node_modules".

Examples:
  contextd policy preview --policy block --exclude "docs/**"
  contextd policy preview --policy allow --exclude "**/*.sql" --in services
  contextd policy preview --file new-policy.yaml

Exit codes:
  0 answered   64 wrong usage or directory   70 internal error`;

const pages = () => import('../render/policy.ts');

async function checkPolicy(paths: string[], flags: CommonFlags & { directory?: string }): Promise<void> {
  const directory = resolve(flags.directory ?? '.');
  const named = paths.map((path) => resolve(directory, pathIn(directory, path)));
  const check = (mountedDirectory: string) => askHere(questions.checkPolicy({ mountedDirectory, paths: named }), flags);
  // Like in hooks, only ignore files in the mounted directory and below count.
  const project = flags.directory === undefined ? await projectAbove(directory, processSurroundings().home) : undefined;
  const whole = await check(project ?? directory);
  // If the daemon may read only a part of the repository, only the files in this part count.
  const part = project !== undefined && whole.outsideRootsOfDaemon ? await check(directory) : whole;
  const { result } = part.outsideRootsOfDaemon ? whole : part;
  if (result.decisions.some(({ allowed }) => !allowed)) process.exitCode = exitCodes.findings;
  await printResult(result, flags, async (sheet) =>
    (await pages()).renderPolicyCheck(result, { sheet, mountedDirectory: directory }),
  );
}

async function listPolicies(directory: string, flags: CommonFlags): Promise<void> {
  const request = { mountedDirectory: resolve(directory) };
  const { result } = await askHere(questions.listPolicies(request), flags);
  await printResult(result, flags, async (sheet) => {
    // A policy above the directory may decide for the files that none of these covers.
    const isCovered = result.policies.some(({ directory }) => directory === request.mountedDirectory);
    const rest = isCovered ? undefined : await askHere(questions.checkPolicy({ ...request, paths: ['.'] }), flags);
    return (await pages()).renderPolicyList(result, rest?.result, { sheet, ...request });
  });
}

type PreviewFlags = CommonFlags & {
  policy?: 'allow' | 'block';
  exclude?: string[];
  file?: string;
  in?: string;
  name?: PolicyFileName;
  limit?: number;
};

async function previewPolicy(directory: string, flags: PreviewFlags): Promise<void> {
  const place = {
    mountedDirectory: resolve(directory),
    directory: flags.in,
    name: flags.name,
    limit: flags.limit,
  };
  const wanted =
    flags.file === undefined
      ? { aiContextPolicy: flags.policy, exclude: flags.exclude }
      : { text: await readPolicyText(flags.file) };
  const { result } = await askHere(questions.previewPolicy({ ...place, ...wanted }), flags);
  const { mountedDirectory } = place;
  await printResult(result, flags, async (sheet) =>
    (await pages()).renderPolicyPreview(result, { sheet, mountedDirectory }),
  );
}

import { readFile } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type PolicyFileName, policyFileNames } from '../../access/policy-file-names.ts';
import { ContextdError } from '../../errors.ts';
import type { PolicyDocument, PolicyList } from '../../policy/policy-requests.ts';
import { visibleText } from '../../texts/visible-text.ts';
import type { DaemonClient } from '../client/client.ts';
import { wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { runningDaemon } from './shared/ask-daemon.ts';
import { type CommonFlags, collect, jsonOption, projectArgument, stateDirOption } from './shared/options.ts';

type PlaceFlags = CommonFlags & { in?: string; name?: PolicyFileName; etag?: string };
type WriteFlags = PlaceFlags & {
  file?: string;
  policy?: 'allow' | 'block';
  exclude?: string[];
  dropExceptions?: boolean;
  replace?: boolean;
};

/** `contextd policy write|remove`: change the policies of a directory (AP-09). */
export function addPolicyWriting(policy: Command): void {
  const write = policy
    .command('write')
    .summary('Write the policy of a directory.')
    .description('Writes the policy of a directory, whole or not at all. Needs a running daemon.')
    .addArgument(projectArgument());
  addPolicyOptions(write)
    .addOption(
      new Option('--drop-exceptions', 'Replace a policy that has exceptions with one that has none.').conflicts([
        'file',
        'exclude',
      ]),
    )
    .addOption(new Option('--replace', 'Replace the existing policy.').conflicts('etag'))
    .option('--etag <etag>', 'Replace only this version; "policy list --json" shows it.', entityTag)
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', writeHelp)
    .action(writePolicy);
  const remove = policy
    .command('remove')
    .summary('Remove the policy of a directory.')
    .description('Removes the policy of a directory. Then the next policy above it decides. Needs a running daemon.')
    .addArgument(projectArgument());
  addPlaceOptions(remove)
    .option('--etag <etag>', 'Remove only this version; "policy list --json" shows it.', entityTag)
    .addOption(jsonOption())
    .addOption(stateDirOption())
    .addHelpText('after', '\nExit codes:\n  0 removed   64 wrong usage, directory or version   69 no daemon runs')
    .action(removePolicy);
}

/** What a policy says, in options or in a file, and where it belongs. */
export function addPolicyOptions(command: Command): Command {
  command
    .addOption(new Option('--policy <policy>', 'What the policy says.').choices(['allow', 'block']))
    .option('-x, --exclude <glob>', 'An exception to the policy. Repeatable.', collect)
    .addOption(
      new Option('-f, --file <path>', 'A file with the whole policy; "-" is standard input.').conflicts([
        'policy',
        'exclude',
      ]),
    );
  return addPlaceOptions(command);
}

/** Which directory is meant, and which of the two files in it (AP-09). */
function addPlaceOptions(command: Command): Command {
  return command
    .option('--in <dir>', 'Directory of the policy, relative to <dir>. Default: <dir> itself.')
    .addOption(new Option('--name <name>', 'Which file, if a directory has both.').choices(policyFileNames));
}

const writeHelp = `
Without --replace and --etag it writes only if there is no policy yet, or with --name,
none of that name. It writes --file byte for byte, and refuses a file that is not a valid
policy. --policy and --exclude keep comments, order and quotes of what stays. They keep an
exception of the old policy only if you give it again. To keep none, add --drop-exceptions.

Examples:
  contextd policy write --policy allow --exclude "secrets/**"
  contextd policy preview --file new.yaml && contextd policy write --file new.yaml --replace

Exit codes:
  0 written   64 wrong usage, directory, policy or version   69 no daemon runs`;

/** The text of a file, or of standard input for `-`. Ends the command when it is none. */
export async function readPolicyText(path: string): Promise<string> {
  const failure = (why: string) => wrongUsage(`"${visibleText(path)}" ${why}`);
  let bytes: Uint8Array;
  try {
    bytes = path === '-' ? await buffer(process.stdin) : await readFile(path);
  } catch (error) {
    throw failure(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    // Keep a byte order mark: the file is written as given.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw failure('is not UTF-8 text');
  }
}

async function writePolicy(directory: string, flags: WriteFlags): Promise<void> {
  const { file, policy, exclude, replace, etag } = flags;
  if (file === undefined && policy === undefined) throw wrongUsage('say what to write, with --file or with --policy');
  const wanted =
    file === undefined ? { aiContextPolicy: policy, exclude: exclude ?? [] } : { text: await readPolicyText(file) };
  const place = placeOf(directory, flags);
  const daemon = await runningDaemon(flags);
  const replaced = replace === true || etag !== undefined ? await policyAt(place, daemon, etag) : undefined;
  const version = replaced?.etag ?? etag;
  const dropped = replaced?.exclude.length ?? 0;
  if (policy !== undefined && exclude === undefined && flags.dropExceptions !== true && dropped > 0) {
    const many = dropped === 1 ? 'an exception' : `${dropped} exceptions`;
    const ways = 'Give those that stay with --exclude, or drop all with --drop-exceptions';
    throw wrongUsage(`the policy that is there has ${many}. ${ways}.`);
  }
  const written = await daemon
    .request<PolicyDocument>({
      method: 'PUT',
      path: '/v1/policy',
      body: { ...place, ...wanted },
      headers: version === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` },
    })
    .catch((error: unknown) => {
      const isThere = version === undefined && error instanceof ContextdError && error.code === 'version_mismatch';
      throw isThere ? wrongUsage('there is a policy already; --replace replaces it') : error;
    });
  if (flags.json === true) return printJson(written);
  console.log(`Written: ${visibleText(relative('.', written.path))}`);
}

async function removePolicy(directory: string, flags: PlaceFlags): Promise<void> {
  const place = placeOf(directory, flags);
  const daemon = await runningDaemon(flags);
  const policy = await policyAt(place, daemon, flags.etag);
  const etag = flags.etag ?? policy?.etag;
  if (etag === undefined) throw wrongUsage('there is no policy that could be removed');
  const query = new URLSearchParams({ ...place });
  await daemon.request({ method: 'DELETE', path: `/v1/policy?${query}`, headers: { 'if-match': `"${etag}"` } });
  if (flags.json === true) return printJson({ removed: policy?.path });
  console.log('The policy is removed.');
}

type Place = { mountedDirectory: string; directory: string; name?: PolicyFileName };

function placeOf(directory: string, { in: below = '.', name }: PlaceFlags): Place {
  const mountedDirectory = resolve(directory);
  return { mountedDirectory, directory: resolve(mountedDirectory, below), ...(name !== undefined && { name }) };
}

/** The current policy of the directory, with the name and `etag` if given. Ends the command if there are two. */
async function policyAt(
  { mountedDirectory, directory, name }: Place,
  { request }: DaemonClient,
  etag: string | undefined,
): Promise<PolicyDocument | undefined> {
  const query = new URLSearchParams({ mountedDirectory });
  const { policies } = await request<PolicyList>({ method: 'GET', path: `/v1/policy?${query}` });
  const [found, second] = policies.filter(
    (each) =>
      each.directory === directory &&
      (name === undefined || basename(each.path) === name) &&
      (etag === undefined || each.etag === etag),
  );
  if (second === undefined) return found;
  const why = `there are two policies in this directory; say which by --name: ${policyFileNames.join(' or ')}`;
  throw wrongUsage(why);
}

function entityTag(value: string): string {
  if (!/^[\x21\x23-\x7e]+$/u.test(value)) throw new InvalidArgumentError('It is not one that "policy list" tells.');
  return value;
}

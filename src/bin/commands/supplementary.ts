import { isAbsolute, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { wordsOfExclusion } from '../../context/reason-words.ts';
import { ContextdError } from '../../errors.ts';
import type { FileSearchResult, SupplementaryItem, SupplementaryList } from '../../supplementary/supplementary-item.ts';
import { shortenPaths } from '../../texts/short-paths.ts';
import { visibleText } from '../../texts/visible-text.ts';
import type { Warning } from '../../warnings.ts';
import { wrongUsage } from '../exit-codes.ts';
import { printJson } from '../render/json.ts';
import { isDirectory } from '../state/paths-on-disk.ts';
import { runningDaemon } from './shared/ask-daemon.ts';
import { addCommonOptions, type CommonFlags, positive } from './shared/options.ts';

type Flags = CommonFlags & { directory: string };

/** `contextd supplementary list|add|move|remove|clear|find`: files and folders that the user adds to the context. */
export function addSupplementaryCommand(program: Command): void {
  const group = program
    .command('supplementary')
    .summary('Show and change what you add to the context by hand.')
    .description(
      'Shows and changes which files and folders you add to the context of a project. Only their paths are kept, outside the project. Needs a running daemon.',
    )
    .helpCommand(false)
    .addHelpText('after', help);
  const add = (name: string, description: string): Command =>
    addCommonOptions(
      group
        .command(name)
        .description(description)
        .option('-d, --directory <dir>', 'The mounted directory: the root of the project.', '.'),
    );
  add('list', 'Lists what you added. Says which of it cannot be used now, and why.').action(printList);
  add('add', 'Adds files and folders. They need not exist yet.')
    .argument('<path...>', 'relative to <dir>')
    .option('--tab', 'The files are open in an editor.')
    .action(addPaths);
  add('remove', 'Removes files and folders from the list, but not from the disk.')
    .argument('<path...>', 'paths relative to <dir>, or ids as --json shows them')
    .action(removePaths);
  add('move', 'Moves files and folders to another place in the list.')
    .argument('<path...>', 'paths relative to <dir>, or ids as --json shows them')
    .requiredOption('--to <place>', 'the new place of the first of them, counted from 1', positive('integer'))
    .action(movePaths);
  add('clear', 'Removes everything from the list.').action(clearList);
  add('find', 'Finds files of the project by letters of their paths.')
    .argument('<query>', 'letters of the path, in order; gaps are allowed')
    .option('--limit <number>', 'Max files to print.', positive('integer'), 20)
    .action(findFiles);
}

const help = `
Examples:
  contextd supplementary add docs/adr src/money.ts
  contextd supplementary find usrcontroller

Exit codes:
  0 done   64 wrong usage, path or directory   69 no daemon runs`;

async function printList(flags: Flags): Promise<void> {
  const list = await (await daemonOf(flags)).list();
  if (flags.json === true) return printJson(list);
  if (list.items.length === 0)
    return console.log('Nothing is added. Add something with: contextd supplementary add <path>');
  for (const item of list.items) console.log(lineOf(item, flags));
}

async function addPaths(paths: string[], flags: Flags & { tab?: boolean }): Promise<void> {
  const { mountedDirectory, request } = await daemonOf(flags);
  const items: SupplementaryItem[] = [];
  try {
    for (const name of paths) {
      const path = resolve(mountedDirectory, name);
      // If it cannot be looked at, it counts as a file, and the daemon says what is wrong.
      const onDisk = isDirectory(path) ? 'folder' : 'file';
      const kind = flags.tab === true ? 'tab' : onDisk;
      const body = { mountedDirectory, kind, path };
      const item = await request<SupplementaryItem>({ method: 'POST', path: '/v1/supplementary', body }).catch(
        (error: unknown) => {
          throw error instanceof ContextdError ? failureOf(name, error) : error;
        },
      );
      items.push(item);
      if (flags.json !== true) console.log(lineOf(item, flags));
    }
  } finally {
    // If one fails, those before it were added.
    if (flags.json === true) printJson({ items });
  }
}

function failureOf(name: string, { code, message, errors }: ContextdError): ContextdError {
  const others = errors.filter((each) => each.message !== message);
  return new ContextdError(code, `${name}: ${message}`, others);
}

async function movePaths(names: string[], flags: Flags & { to: number }): Promise<void> {
  const { mountedDirectory, list, request } = await daemonOf(flags);
  const { items, etag } = await list();
  const moved = itemsNamed(names, { items, mountedDirectory });
  const others = items.filter((item) => !moved.includes(item));
  const ordered = [...others.slice(0, flags.to - 1), ...moved, ...others.slice(flags.to - 1)];
  const body = { mountedDirectory, items: ordered.map(({ kind, path }) => ({ kind, path })) };
  const headers = { 'if-match': `"${etag}"` };
  const after = await request<SupplementaryList>({ method: 'PUT', path: '/v1/supplementary', body, headers });
  if (flags.json === true) return printJson(after);
  for (const item of after.items) console.log(lineOf(item, flags));
}

function itemsNamed(
  names: readonly string[],
  { items, mountedDirectory }: Pick<SupplementaryList, 'items'> & { mountedDirectory: string },
): SupplementaryItem[] {
  const meant = names.map((name) => {
    const found = items.filter(({ id, path }) => id === name || path === resolve(mountedDirectory, name));
    if (found.length === 0) throw wrongUsage(`"${visibleText(name)}" is not in the list`);
    return found;
  });
  return [...new Set(meant.flat())];
}

async function removePaths(names: string[], flags: Flags): Promise<void> {
  const { list, mountedDirectory, request } = await daemonOf(flags);
  const { items } = await list();
  const removed = itemsNamed(names, { items, mountedDirectory });
  for (const { id } of removed) await request({ method: 'DELETE', path: `/v1/supplementary/${id}` });
  if (flags.json === true) return printJson({ items: removed });
  for (const { relativePath } of removed) console.log(`removed ${visibleText(relativePath)}`);
}

async function clearList(flags: Flags): Promise<void> {
  const { query, request } = await daemonOf(flags);
  await request({ method: 'DELETE', path: `/v1/supplementary?${query}` });
  if (flags.json === true) return printJson({ items: [] });
  console.log('The list is empty.');
}

async function findFiles(query: string, flags: Flags & { limit: number }): Promise<void> {
  const { mountedDirectory, request } = await daemonOf(flags);
  const body = { mountedDirectory, query, limit: Math.min(flags.limit, 1_000) };
  const result = await request<FileSearchResult>({ method: 'POST', path: '/v1/workspace/files/search', body });
  if (flags.json === true) return printJson(result);
  for (const file of result.files) console.log(visibleText(shownPath(file, flags)) + whyNot(file, flags));
  if (result.files.length === 0)
    console.error(`Found no file below ${visibleText(mountedDirectory)} with these letters.`);
  for (const { message } of result.warnings as Warning[]) console.error(`contextd: ${visibleText(message)}`);
}

function lineOf(item: SupplementaryItem, flags: Flags): string {
  return `${item.kind.padEnd(7)} ${visibleText(shownPath(item, flags))}${whyNot(item, flags)}`;
}

/** The shorter form that a person can type. */
function shownPath({ path }: { path: string }, { directory }: Flags): string {
  const below = relative(directory, path);
  if (below === '') return '.';
  return isAbsolute(below) || below.startsWith('../..') ? path : below;
}

function whyNot({ disabledReasons }: Pick<SupplementaryItem, 'disabledReasons'>, { directory }: Flags): string {
  if (disabledReasons.length === 0) return '';
  const why = shortenPaths(disabledReasons.map(wordsOfExclusion).join('; '), resolve(directory));
  return visibleText(`  (not used: ${why})`);
}

async function daemonOf({ directory, stateDir }: Flags) {
  const { request } = await runningDaemon({ stateDir });
  const mountedDirectory = resolve(directory);
  const query = new URLSearchParams({ mountedDirectory });
  const list = () => request<SupplementaryList>({ method: 'GET', path: `/v1/supplementary?${query}` });
  return { mountedDirectory, query, list, request };
}

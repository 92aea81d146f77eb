/** What a model should see at an event of a tool, in addition to what the tool loads itself. */
import { isInside, joinPath, relativePath } from '../../access/paths.ts';
import { formatsAt } from '../../context/formats/format-at.ts';
import type { ContextRequest } from '../../prompt/context-request.ts';
import type { ContextItem, ContextResult } from '../../prompt/context-result.ts';
import { renderItem } from '../../prompt/render-items.ts';
import { cutQuery } from '../../texts/longest-query.ts';
import type { Asker } from '../in-process/ask-engine.ts';
import { questions } from '../in-process/questions.ts';
import type { HookDisk } from './disk.ts';
import type { GivenContext } from './given-context.ts';

type Sought = Readonly<{
  mountedDirectory: string;
  /** Where the tool works, below the mounted directory. Not used if there are `files`: then their directories count. */
  workingDirectory: string | undefined;
  /** The files in use; absolute paths. */
  files: readonly string[];
  prompt: string | undefined;
  mentions: readonly string[];
  /** Formats that the tool loads itself. */
  reads: readonly string[];
}>;

/** More than a tool accepts at once. What does not fit is given with the next event. */
const maxTokens = 64_000;

/**
 * The items that were not given yet and that the tool does not load itself. It loads an item if it loads the file, or
 * another one with the same text.
 */
export async function gatherContext(
  sought: Sought,
  { asker, given, disk }: { asker: Asker; given: GivenContext; disk: HookDisk },
): Promise<KeyedItem[]> {
  const { mountedDirectory, workingDirectory, files, prompt, mentions, reads } = sought;
  const request: ContextRequest = {
    mountedDirectory,
    workingDirectory: files.length === 0 ? workingDirectory : undefined,
    documents: files.map((path) => ({ path })),
    query: prompt?.trim() ? cutQuery(prompt) : undefined,
    mentions: [...mentions],
    include: { rules: true, supplementary: prompt !== undefined, imports: 'off', search: false },
    budget: { maxTokens },
    render: 'markdown',
  };
  const { items } = await ask(request, asker);
  const others = items.filter(({ kind, format = '' }) => givenKinds.includes(kind) && !reads.includes(format));
  const fresh = given.notGiven(others.map(keyed));
  if (fresh.length === 0 || reads.length === 0) return fresh;
  const own = await ask({ ...request, formats: [...reads] }, asker);
  const loaded = new Set(own.items.filter(isOfTool).map(({ sha256 }) => sha256));
  const followed = await followedLinks(own, disk);
  const where = { mountedDirectory, homeDirectory: disk.home };
  const isBehindLink = async ({ path }: ContextItem): Promise<boolean> => {
    const real = followed.length === 0 || path === undefined ? undefined : await disk.realPath(path);
    if (real === undefined) return false;
    return followed.some(({ link, target }) => {
      if (!isInside(target, real)) return false;
      const asLoaded = formatsAt(joinPath(link, relativePath(target, real)), where);
      return asLoaded.some(({ format }) => reads.includes(format.name));
    });
  };
  const kept: KeyedItem[] = [];
  for (const each of fresh) if (!loaded.has(each.digest) && !(await isBehindLink(each.item))) kept.push(each);
  return kept;
}

/** Links to folders that contextd does not follow but the tool does, so that it loads the rules there itself. */
async function followedLinks({ warnings }: ContextResult, { realPath }: HookDisk) {
  const links: { link: string; target: string }[] = [];
  for (const { code, path } of warnings) {
    const target = code === 'symlink' && path !== undefined ? await realPath(path) : undefined;
    if (path !== undefined && target !== undefined) links.push({ link: path, target });
  }
  return links;
}

type KeyedItem = Readonly<{ key: string; digest: string; item: ContextItem }>;

const givenKinds: readonly string[] = ['rule', 'reference', 'tool', 'supplementary'];

function keyed(item: ContextItem): KeyedItem {
  const { kind, name, path, sha256 } = item;
  return { key: JSON.stringify([kind, name, path]), digest: sha256, item };
}

/** Whether it is a file of a format, or imported by one, and not from a context directory. */
function isOfTool({ format, reason }: ContextItem): boolean {
  return format !== undefined || reason.code === 'imported';
}

async function ask(request: ContextRequest, asker: Asker): Promise<ContextResult> {
  return (await asker.ask(questions.gatherContext(request))).result;
}

const heading = 'What applies in this project, from contextd:\n\n';
const cutNote = '\n(The rest is left out here; read the file for it.)\n';

/** One text of the items that fit, which then count as given. `undefined` if there are none. */
export function giveContext(
  items: readonly KeyedItem[],
  { given, length }: { given: GivenContext; length: number },
): string | undefined {
  let left = length - heading.length;
  const fitting = items.flatMap((each, at) => {
    let text = renderItem(each.item, 'markdown');
    // The first item is cut if it alone is too long.
    if (at === 0 && text.length > left) text = cut(each.item, left);
    if (text.length > left) return [];
    left -= text.length + 1;
    return [{ ...each, text }];
  });
  const texts = given.claim(fitting).map(({ text }) => text);
  return texts.length === 0 ? undefined : heading + texts.join('\n');
}

/** The item, cut at the end of a line, rendered in at most `length` characters. */
function cut(item: ContextItem, length: number): string {
  const around = renderItem({ ...item, content: '' }, 'markdown').length + cutNote.length + longestFence;
  const kept = item.content.slice(0, Math.max(0, length - around));
  return renderItem({ ...item, content: kept.slice(0, kept.lastIndexOf('\n') + 1) }, 'markdown') + cutNote;
}

/** A fence is longer than any backticks in the content. */
const longestFence = 200;

/**
 * Reads through `createNodeFiles` in a process of its own and prints what came of it as JSON: for tests of what a
 * process may do, which those that run as root or with many descriptors cannot show. Standard input: a `Task` as JSON.
 */
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createNodeFiles } from '../../src/adapters/files/node-files.ts';

export type Task = {
  root: string;
  reads: string[];
  lists: string[];
  /** Become this user and group before anything is read. */
  userId?: number;
  /** Use up all file descriptors but so many. */
  freeDescriptors?: number;
};

export type Outcome = {
  /** Text, names or `!` and the code of a refusal, in the order of the task. */
  reads: string[];
  lists: (string[] | string)[];
  descriptorsBefore: number;
  descriptorsAfter: number;
};

const task = JSON.parse(readFileSync(0, 'utf8')) as Task;
const files = createNodeFiles();
const reach = { roots: [{ path: task.root, realPath: task.root }], followSymlinks: false };

if (task.userId !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(task.userId);
  process.setuid?.(task.userId);
}

function useUpDescriptors(free: number): number[] {
  const used: number[] = [];
  try {
    for (;;) used.push(openSync('/dev/null', 'r'));
  } catch {
    for (const descriptor of used.splice(0, free)) closeSync(descriptor);
    return used;
  }
}

const countDescriptors = () => readdirSync('/dev/fd').length;

const descriptorsBefore = countDescriptors();
const used = task.freeDescriptors === undefined ? [] : useUpDescriptors(task.freeDescriptors);
const reads = await Promise.all(
  task.reads.map(async (path) => {
    const content = await files.read(path, { ...reach, maxBytes: 1000 });
    return content.ok ? Buffer.from(content.bytes).toString() : `!${content.code}`;
  }),
);
const lists = await Promise.all(
  task.lists.map(async (path) => {
    const listing = await files.list(path, { ...reach, maxEntries: 10_000 });
    return listing.ok ? listing.entries.map(({ name }) => name) : `!${listing.code}`;
  }),
);
for (const descriptor of used) closeSync(descriptor);
const outcome: Outcome = { reads, lists, descriptorsBefore, descriptorsAfter: countDescriptors() };
process.stdout.write(JSON.stringify(outcome));

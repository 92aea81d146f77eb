/** The files of the machine for a command that works without a daemon. */
import { createEndingFiles, type EndingFiles } from '../../access/ending-files.ts';
import { createNodeFiles } from '../../adapters/files/node-files.ts';
import { endDespite } from './held-process.ts';

let files: EndingFiles | undefined;

/** One for the whole process, because a language server lists files repeatedly. */
export function commandFiles(): EndingFiles {
  if (files === undefined) {
    files = createEndingFiles(createNodeFiles());
    endDespite(files.holdThreads);
  }
  return files;
}

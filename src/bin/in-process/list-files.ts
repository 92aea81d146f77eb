/** Lists the files of a directory. */

import { treeLimits } from '../../policy/worlds.ts';
import { defaultEngineSettings } from '../../settings.ts';
import { surveyTree } from '../../validation/survey.ts';
import { openDirectory } from './check-directory.ts';

/** `isWhole`: false if a limit cut the list. */
export type FileList = Readonly<{ files: readonly string[]; isWhole: boolean }>;

/** Paths of regular files, except in `.git` and `node_modules`. Throws `ContextdError`. */
export async function listFiles(directory: string, clientContextPath: string): Promise<FileList> {
  const { createWorld } = openDirectory(directory, { clientContextPath });
  const world = await createWorld(directory, { within: treeLimits(defaultEngineSettings.limits) });
  const { files, isWhole } = await surveyTree(world, clientContextPath);
  return { files, isWhole };
}

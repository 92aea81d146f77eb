/** The files of a directory, for what only counts them. */

import { treeLimits } from '../../policy/worlds.ts';
import { defaultEngineSettings } from '../../settings.ts';
import { surveyTree } from '../../validation/survey.ts';
import { openDirectory } from './check-directory.ts';

/** `isWhole` is false where a limit cut the list short. */
export type FileList = Readonly<{ files: readonly string[]; isWhole: boolean }>;

/** Paths of regular files, without what lies in `.git` and `node_modules`. Throws `ContextdError`. */
export async function listFiles(directory: string, clientContextPath: string): Promise<FileList> {
  const { createWorld } = openDirectory(directory, { clientContextPath });
  const world = await createWorld(directory, { within: treeLimits(defaultEngineSettings.limits) });
  const { files, isWhole } = await surveyTree(directory, clientContextPath, world);
  return { files, isWhole };
}

/** `contextd check`, always without a daemon, so that it gives the same results everywhere, such as in CI. */

import { baseName } from '../../access/paths.ts';
import { isPolicyFile } from '../../access/policy-file-names.ts';
import { createSystemClock } from '../../adapters/clock/system-clock.ts';
import { configFileNames } from '../../context/directories.ts';
import { absolutePath } from '../../context/normalize-request.ts';
import { createWorlds, treeLimits } from '../../policy/worlds.ts';
import { defaultEngineSettings, type EngineSettings } from '../../settings.ts';
import { withoutSecrets } from '../../texts/mask.ts';
import type { Diagnostic, ValidateResult } from '../../validation/diagnostic.ts';
import { validateTree } from '../../validation/validate-tree.ts';
import { commandFiles } from './command-files.ts';
import { frozenStore } from './frozen-store.ts';

/** The settings in the environment of the command. */
type OwnSettings = Pick<EngineSettings, 'clientContextPath'> & Partial<Pick<EngineSettings, 'followSymlinks'>>;

/** The gate, policies and worlds for a directory (absolute path), which counts as granted. */
export function openDirectory(directory: string, own: OwnSettings) {
  const files = commandFiles();
  const clock = createSystemClock();
  const settings = { ...defaultEngineSettings, ...own };
  const rootStore = frozenStore({ roots: [], supplementary: new Map() }).roots;
  const worlds = createWorlds({ files, clock, settings, rootStore, grantedRoots: [directory] });
  return { ...worlds, homeDirectory: files.homeDirectory() };
}

type Sources = Map<string, readonly string[]>;

type DirectoryCheck = {
  /** Throws `ContextdError`. */
  validate(): Promise<ValidateResult>;
  /** The lines of the files with findings, by path, without files that are blocked or cannot be read. */
  readSources(diagnostics: readonly Diagnostic[]): Promise<Sources>;
};

/** Checks a directory (absolute path), which counts as granted. An engine would load much more code. */
export function createDirectoryCheck(directory: string, own: OwnSettings): DirectoryCheck {
  const { gate, createWorld, homeDirectory } = openDirectory(directory, own);
  const { clientContextPath } = own;
  const { limits } = defaultEngineSettings;
  return {
    async validate() {
      const mountedDirectory = absolutePath(directory, '/mountedDirectory', homeDirectory);
      const world = await createWorld(mountedDirectory, { within: treeLimits(limits) });
      return validateTree(world, { clientContextPath, depth: limits.depth });
    },
    async readSources(diagnostics) {
      const { reach } = await createWorld(directory);
      const sources: Sources = new Map();
      for (const path of new Set(diagnostics.flatMap(({ path, line }) => (path && line ? [path] : [])))) {
        const options = { ...reach, maxBytes: limits.fileBytes };
        const read = await (isSettings(path) ? gate.readSettings : gate.read)(path, options);
        // Output of a terminal is often shared, so secrets are not quoted.
        const { text } = read.ok ? withoutSecrets(read.snapshot) : {};
        if (text !== undefined) sources.set(path, text.split(/\r?\n/u));
      }
      return sources;
    },
  };
}

/** Findings in these files are about settings. Policies do not apply to these. */
const isSettings = (path: string): boolean =>
  isPolicyFile(path) || (configFileNames as readonly string[]).includes(baseName(path));

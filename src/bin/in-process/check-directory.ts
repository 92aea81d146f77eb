/** `check` for one command: here, by no daemon, so that it says the same at a desk, in a hook and in CI. */

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

/** What the environment of a command can say of them. */
type OwnSettings = Pick<EngineSettings, 'clientContextPath'> & Partial<Pick<EngineSettings, 'followSymlinks'>>;

/** Its files, as they may be read: the directory, given by its absolute path, counts as granted. */
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
  /** The lines of the files that findings are about, by path; a file that cannot be read, or is blocked, is left out. */
  readSources(diagnostics: readonly Diagnostic[]): Promise<Sources>;
};

/** Checks a directory, given by its absolute path, which counts as granted. An engine would load all that it can do besides. */
export function createDirectoryCheck(directory: string, own: OwnSettings): DirectoryCheck {
  const { gate, createWorld, homeDirectory } = openDirectory(directory, own);
  const { clientContextPath } = own;
  const { limits } = defaultEngineSettings;
  return {
    async validate() {
      const mountedDirectory = absolutePath(directory, '/mountedDirectory', homeDirectory);
      const world = await createWorld(mountedDirectory, { within: treeLimits(limits) });
      return validateTree({ mountedDirectory, clientContextPath, depth: limits.depth }, world);
    },
    async readSources(diagnostics) {
      const { reach } = await createWorld(directory);
      const sources: Sources = new Map();
      for (const path of new Set(diagnostics.flatMap(({ path, line }) => (path && line ? [path] : [])))) {
        const options = { ...reach, maxBytes: limits.fileBytes };
        const read = await (isSettings(path) ? gate.readSettings : gate.read)(path, options);
        // A terminal's text is kept and shared: no secret is quoted.
        const { text } = read.ok ? withoutSecrets(read.snapshot) : {};
        if (text !== undefined) sources.set(path, text.split(/\r?\n/u));
      }
      return sources;
    },
  };
}

/** Files whose findings are about settings, which no policy is about. */
const isSettings = (path: string): boolean =>
  isPolicyFile(path) || (configFileNames as readonly string[]).includes(baseName(path));

/** `check` for one command: here, by no daemon, so that it says the same at a desk, in a hook and in CI. */
import { createNodeFiles } from '../adapters/node-files.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { isPolicyFile } from '../content-policy.ts';
import { configFileNames } from '../context/directories.ts';
import { createTimeAllowances } from '../context/time-allowance.ts';
import { createEngine } from '../engine.ts';
import { createGate } from '../gate.ts';
import { baseName } from '../paths.ts';
import { createPolicies } from '../policy/policies.ts';
import type { TokenCounter } from '../ports.ts';
import { defaultEngineSettings, type EngineSettings } from '../settings.ts';
import type { Diagnostic, ValidateResult } from '../validation/diagnostic.ts';
import { frozenStore, silentLogger } from './frozen-store.ts';

/** Checks a directory, given by its absolute path, which counts as granted. Throws `ContextdError`. */
export async function checkDirectory(
  directory: string,
  settings: Pick<EngineSettings, 'clientContextPath'>,
): Promise<ValidateResult> {
  const engine = await createEngine({
    settings: { ...defaultEngineSettings, ...settings },
    grantedRoots: [directory],
    ports: {
      files: createNodeFiles(),
      clock: createSystemClock(),
      store: frozenStore([]),
      logger: silentLogger,
      tokenCounter: noTokenCounter,
    },
  });
  try {
    return await engine.validate({ mountedDirectory: directory });
  } finally {
    engine.dispose();
  }
}

/** A check counts nothing, and has no thread to load. */
const noTokenCounter: TokenCounter = {
  count: () => Promise.reject(new Error('A check counts no tokens.')),
  dispose() {},
};

/** Files whose findings are about settings, which no policy is about. */
const isSettings = (path: string): boolean =>
  isPolicyFile(path) || (configFileNames as readonly string[]).includes(baseName(path));

/** The lines of the files that findings are about, by path; a file that cannot be read, or is blocked, is left out. */
export async function readSources(
  diagnostics: readonly Diagnostic[],
  directory: string,
): Promise<Map<string, readonly string[]>> {
  const files = createNodeFiles();
  const { limits, defaultPolicy } = defaultEngineSettings;
  const clock = createSystemClock();
  const gate = createGate({ files, clock, maxEntries: limits.entries });
  const real = await files.realPath(directory);
  const roots = [{ path: directory, realPath: real.ok ? real.realPath : directory }];
  const reach = { roots, followSymlinks: false };
  const { policies: allowance } = createTimeAllowances(clock.elapsed, limits);
  const policies = createPolicies({ gate, clock, defaultPolicy, policyBytes: limits.configBytes });
  const run = policies.openRun({ ...reach, mountedDirectory: directory, allowance });
  const sources = new Map<string, readonly string[]>();
  for (const path of new Set(diagnostics.flatMap(({ path, line }) => (path && line ? [path] : [])))) {
    const options = { ...reach, policies: run, maxBytes: limits.fileBytes };
    const read = await (isSettings(path) ? gate.readSettings : gate.read)(path, options);
    if (read.ok && read.snapshot.text !== undefined) sources.set(path, read.snapshot.text.split(/\r?\n/u));
  }
  return sources;
}

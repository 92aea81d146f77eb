/** The settings of `serve`: flags win over the environment, the environment over the defaults. */
import { resolve } from 'node:path';
import type { LevelWithSilent } from 'pino';
import {
  defaultEngineSettings,
  defaultPort,
  type EngineSettings,
  expandHome,
  parseClientContextPath,
  parseNameChoice,
} from '../../settings.ts';
import type { Warning } from '../../warnings.ts';
import { wrongSetup, wrongUsage } from '../exit-codes.ts';
import { parseContextEnvironment } from '../state/context-environment.ts';
import { isDirectory } from '../state/paths-on-disk.ts';
import { hasPassword, parseStore, type SharedStore } from '../state/postgres-address.ts';
import { type Surroundings, stateDirectoryPath } from '../state/state-directory.ts';
import { type EmbedderFlags, type EmbedderSettings, parseEmbedderSettings } from './embedder-settings.ts';

export const logLevels = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'silent',
] as const satisfies LevelWithSilent[];

/** The flags of `serve` as the command line gives them. */
export type ServeFlags = EmbedderFlags & {
  port?: number;
  /** Use another port if this one is taken. */
  freePort?: boolean;
  host?: string;
  dangerouslyBind?: string;
  allowedHost?: string[];
  socketTrust?: 'token' | 'owner';
  stateDir?: string;
  store?: string;
  storeDirect?: string;
  storePasswordFile?: string;
  tenant?: string;
  grantRoot?: string[];
  followSymlinks?: boolean;
  maskSecrets?: boolean;
  defaultPolicy?: 'allow' | 'block';
  formats?: string;
  ignoreFiles?: string;
  clientContextPath?: string;
  globalContextPath?: string;
  logLevel?: LevelWithSilent;
  slowRequest?: number;
  agentQuota?: number;
  idleExit?: number;
  parentPid?: number;
  json?: boolean;
  open?: boolean;
};

export type ServeSettings = {
  port: number;
  stateDirectory: string;
  /** Absolute paths of directories that exist. */
  grantedRoots: string[];
  embedder: EmbedderSettings;
  /** The PostgreSQL that daemons share. Absent: everything is kept in the state directory. */
  store?: SharedStore;
  engine: EngineSettings;
  warnings: Warning[];
};

/** Throws `CommandFailure` 64 for a flag, 78 for an environment variable or a directory that cannot be used. */
export function parseServeSettings(flags: ServeFlags, surroundings: Surroundings): ServeSettings {
  const { environment, home } = surroundings;
  const { warnings, ...context } = parseContextEnvironment(environment, home);
  const engine: EngineSettings = {
    ...defaultEngineSettings,
    ...context,
    ...(flags.defaultPolicy === undefined ? {} : { defaultPolicy: flags.defaultPolicy }),
    ...(flags.agentQuota === undefined ? {} : { agentTokenBytes: flags.agentQuota * 1024 * 1024 }),
    followSymlinks: flags.followSymlinks ?? context.followSymlinks,
    maskSecrets: flags.maskSecrets ?? defaultEngineSettings.maskSecrets,
  };
  if (flags.formats !== undefined) engine.formats = parseNameChoice(flags.formats);
  if (flags.ignoreFiles !== undefined) engine.ignoreFiles = parseNameChoice(flags.ignoreFiles);
  if (flags.clientContextPath !== undefined) {
    const { value, problem } = parseClientContextPath(flags.clientContextPath);
    if (value === undefined) throw wrongUsage(`--client-context-path cannot be used: ${problem}.`);
    engine.clientContextPath = value;
  }
  if (flags.globalContextPath !== undefined) engine.globalContextPath = absolute(flags.globalContextPath, surroundings);
  const store = parseStore(flags, surroundings);
  if ([flags.store, flags.storeDirect].some(hasPassword))
    warnings.push({ code: 'store_password_visible', message: visiblePassword });
  return {
    port: flags.port ?? portOfEnvironment(environment.CONTEXTD_PORT) ?? defaultPort,
    stateDirectory: stateDirectoryPath(flags.stateDir, surroundings),
    grantedRoots: (flags.grantRoot ?? []).map((path) => existingDirectory(absolute(path, surroundings))),
    embedder: parseEmbedderSettings(flags, surroundings),
    store,
    engine,
    warnings,
  };
}

const visiblePassword =
  'The password of the store was given on the command line, which every user of the machine can read. Give it with --store-password-file, or in CONTEXTD_STORE and CONTEXTD_STORE_DIRECT.';

/** A port number, 0 to 65535; undefined for anything else. */
export function parsePort(value: string): number | undefined {
  return /^\d{1,5}$/u.test(value) && Number(value) <= 65_535 ? Number(value) : undefined;
}

function portOfEnvironment(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  const port = parsePort(value);
  if (port === undefined) throw wrongSetup(`CONTEXTD_PORT is not a port number: "${value}".`);
  return port;
}

function absolute(path: string, { cwd, home }: Surroundings): string {
  return resolve(cwd, expandHome(path, home));
}

function existingDirectory(path: string): string {
  if (isDirectory(path)) return path;
  throw wrongSetup(`--grant-root: ${path} is not a directory.`);
}

/**
 * The engine: verbs over the ports, no HTTP. `createEngine` builds the graph once and returns a frozen object.
 */
import type { ResolveRequest } from './context/resolve-request.ts';
import type { ResolveResult } from './context/resolve-result.ts';
import type { Clock, Files, Logger, Store, StoredRoot } from './ports.ts';
import type { EngineSettings } from './settings.ts';
import type { Warning } from './warnings.ts';

export type Ports = { files: Files; store: Store; clock: Clock; logger: Logger };

/** A granted root: given at start (`origin: 'start'`), granted for good (`'stored'`), or the global context directory (`'global'`). */
export type GrantedRoot = { path: string; origin: 'start' | 'stored' | 'global'; grantedAt?: string };

export type Engine = Readonly<{
  /** Which context applies (spec 1). The same frozen object is returned as long as nothing changed. Throws `ContextdError`. */
  resolve(request: ResolveRequest): Promise<ResolveResult>;
  listRoots(): Promise<GrantedRoot[]>;
  /** Grants a directory for good. Throws `invalid_request` or `not_found`. `created` is false when it was granted before. */
  grantRoot(path: string): Promise<{ root: StoredRoot; created: boolean }>;
  /** Takes a stored grant back. Throws `not_found`, and `conflict` for a root given at start. */
  revokeRoot(path: string): Promise<void>;
  /** Warnings about the daemon's own settings. */
  settingsWarnings: readonly Warning[];
  dispose(): void;
}>;

export type EngineOptions = {
  ports: Ports;
  settings: EngineSettings;
  /** Absolute paths granted by flags for the life of the process. */
  grantedRoots: readonly string[];
  settingsWarnings?: readonly Warning[];
};

export declare function createEngine(options: EngineOptions): Promise<Engine>;

/** Settings of the context in environment variables (docs/configuration.md). */
import {
  defaultEngineSettings,
  type EngineSettings,
  expandHome,
  parseClientContextPath,
  parseNameChoice,
} from '../../settings.ts';
import type { Warning } from '../../warnings.ts';

/**
 * Engine settings from environment variables (`CLIENT_CONTEXT_PATH`, `GLOBAL_CONTEXT_PATH`, `CONTEXTD_DEFAULT_POLICY`,
 * `CONTEXTD_FORMATS`, `CONTEXTD_IGNORE_FILES`, `CONTEXTD_FOLLOW_SYMLINKS`). A value that cannot be used causes a
 * warning, and the default applies; for the policy, the default that blocks. It never prevents the start.
 */
export function parseContextEnvironment(environment: Environment, homeDirectory: string): ContextSettings {
  const warnings: Warning[] = [];
  const warn: Warn = (code, message) => void warnings.push({ code, message });
  return {
    clientContextPath: clientContextPathIn(environment, warn),
    globalContextPath: globalContextPathIn(environment, homeDirectory, warn),
    defaultPolicy: defaultPolicyIn(environment, warn),
    followSymlinks: followSymlinksIn(environment, warn),
    formats: parseNameChoice(environment.CONTEXTD_FORMATS || 'all'),
    ignoreFiles: parseNameChoice(environment.CONTEXTD_IGNORE_FILES || 'all'),
    warnings,
  };
}

type Environment = Record<string, string | undefined>;
type Warn = (code: Warning['code'], message: string) => void;
type ContextSettings = Pick<
  EngineSettings,
  'clientContextPath' | 'globalContextPath' | 'defaultPolicy' | 'formats' | 'ignoreFiles' | 'followSymlinks'
> & { warnings: Warning[] };

function clientContextPathIn({ CLIENT_CONTEXT_PATH: named }: Environment, warn: Warn): string {
  const byDefault = defaultEngineSettings.clientContextPath;
  if (named === undefined) return byDefault;
  const { value, problem } = parseClientContextPath(named);
  if (value !== undefined) return value;
  const message = `CLIENT_CONTEXT_PATH is not used because ${problem}; "${byDefault}" is used instead.`;
  warn('invalid_client_context_path', message);
  return byDefault;
}

function globalContextPathIn(
  { GLOBAL_CONTEXT_PATH: named }: Environment,
  homeDirectory: string,
  warn: Warn,
): string | undefined {
  if (named === undefined) return undefined;
  const expanded = expandHome(named.replaceAll('\\', '/'), homeDirectory);
  if (expanded.startsWith('/') && !expanded.includes('\0')) return expanded;
  const message =
    'GLOBAL_CONTEXT_PATH is not used because it is not an absolute path; the home directory is used instead.';
  warn('invalid_global_context_path', message);
  return undefined;
}

function defaultPolicyIn({ CONTEXTD_DEFAULT_POLICY: named }: Environment, warn: Warn): 'allow' | 'block' {
  const policy = named || defaultEngineSettings.defaultPolicy;
  if (policy === 'allow' || policy === 'block') return policy;
  warn('invalid_default_policy', 'CONTEXTD_DEFAULT_POLICY is neither "allow" nor "block"; "block" is used.');
  return 'block';
}

function followSymlinksIn({ CONTEXTD_FOLLOW_SYMLINKS: named }: Environment, warn: Warn): boolean {
  if (named && named !== 'true' && named !== 'false')
    warn('invalid_follow_symlinks', 'CONTEXTD_FOLLOW_SYMLINKS is neither "true" nor "false"; links are not followed.');
  return named === 'true';
}

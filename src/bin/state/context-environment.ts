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
export function parseContextEnvironment(
  environment: Record<string, string | undefined>,
  homeDirectory: string,
): Pick<
  EngineSettings,
  'clientContextPath' | 'globalContextPath' | 'defaultPolicy' | 'formats' | 'ignoreFiles' | 'followSymlinks'
> & {
  warnings: Warning[];
} {
  const warnings: Warning[] = [];
  let { clientContextPath } = defaultEngineSettings;
  const client = environment.CLIENT_CONTEXT_PATH;
  if (client !== undefined) {
    const parsed = parseClientContextPath(client);
    if (parsed.value !== undefined) clientContextPath = parsed.value;
    else
      warnings.push({
        code: 'invalid_client_context_path',
        message: `CLIENT_CONTEXT_PATH is not used because ${parsed.problem}; "${clientContextPath}" is used instead.`,
      });
  }
  let globalContextPath: string | undefined;
  const global = environment.GLOBAL_CONTEXT_PATH;
  if (global !== undefined) {
    const expanded = expandHome(global.replaceAll('\\', '/'), homeDirectory);
    if (expanded.startsWith('/') && !expanded.includes('\0')) globalContextPath = expanded;
    else
      warnings.push({
        code: 'invalid_global_context_path',
        message:
          'GLOBAL_CONTEXT_PATH is not used because it is not an absolute path; the home directory is used instead.',
      });
  }
  const policy = environment.CONTEXTD_DEFAULT_POLICY || defaultEngineSettings.defaultPolicy;
  const defaultPolicy = policy === 'allow' ? 'allow' : 'block';
  if (policy !== defaultPolicy)
    warnings.push({
      code: 'invalid_default_policy',
      message: 'CONTEXTD_DEFAULT_POLICY is neither "allow" nor "block"; "block" is used.',
    });
  const follow = environment.CONTEXTD_FOLLOW_SYMLINKS || 'false';
  if (follow !== 'true' && follow !== 'false')
    warnings.push({
      code: 'invalid_follow_symlinks',
      message: 'CONTEXTD_FOLLOW_SYMLINKS is neither "true" nor "false"; links are not followed.',
    });
  return {
    clientContextPath,
    globalContextPath,
    defaultPolicy,
    formats: parseNameChoice(environment.CONTEXTD_FORMATS || 'all'),
    ignoreFiles: parseNameChoice(environment.CONTEXTD_IGNORE_FILES || 'all'),
    followSymlinks: follow === 'true',
    warnings,
  };
}

/**
 * The daemon's settings: flags win over the environment, the environment over the defaults (docs/threats.md).
 * Only this file and `bin/` read `process.env`; nothing a workspace contains can change a setting (CC-37).
 */
import type { Warning } from './warnings.ts';

/** Upper bounds of what one request may cost. Sizes in bytes, times in milliseconds. */
export type Limits = {
  fileBytes: number;
  answerBytes: number;
  configBytes: number;
  frontMatterBytes: number;
  /** Levels of sub-folders below a context directory that are searched; never below 3. */
  depth: number;
  /** Directory entries walked per request. */
  entries: number;
  contextFiles: number;
  walkMs: number;
  /** Time that matching patterns of each list may take per request. */
  includeMatchMs: number;
  excludeMatchMs: number;
  globMatchMs: number;
  /** Time that parsing policies and comparing with them may take per request; what is then undecided is blocked. */
  policyMs: number;
  /** Time that parsing context files may take per request; what was parsed once need not be again. */
  parseMs: number;
  patternLength: number;
  /** Glob patterns per list (`includeFiles`, `excludeFiles`, `globs`). */
  patterns: number;
  parallelOpens: number;
};

export const defaultLimits: Limits = {
  fileBytes: 1024 * 1024,
  answerBytes: 8 * 1024 * 1024,
  configBytes: 256 * 1024,
  frontMatterBytes: 16 * 1024,
  depth: 16,
  entries: 50_000,
  contextFiles: 2_000,
  walkMs: 2_000,
  includeMatchMs: 200,
  excludeMatchMs: 600,
  globMatchMs: 300,
  policyMs: 1_000,
  parseMs: 1_200,
  patternLength: 512,
  patterns: 64,
  parallelOpens: 16,
};

/** How much of a workspace is indexed for suggestions and folders; what lies beyond is left out and said (CC-06). */
export type FileIndexLimits = { files: number; folders: number; depth: number; lookMs: number };

export const defaultFileIndexLimits: FileIndexLimits = { files: 150_000, folders: 20_000, depth: 64, lookMs: 1_500 };

/** Sizes in bytes, times in milliseconds (S-75, S-76; docs/threats.md, "Default limits"). */
export type HttpLimits = {
  bodyBytes: number;
  headerBytes: number;
  urlCharacters: number;
  jsonDepth: number;
  requestTimeoutMs: number;
  headersTimeoutMs: number;
  connectionsCheckMs: number;
  keepAliveTimeoutMs: number;
  connections: number;
};

export const defaultHttpLimits: HttpLimits = {
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  urlCharacters: 8 * 1024,
  jsonDepth: 32,
  requestTimeoutMs: 10_000,
  headersTimeoutMs: 5_000,
  connectionsCheckMs: 1_000,
  keepAliveTimeoutMs: 5_000,
  connections: 1_024,
};

/**
 * `underWay`: requests of one operation that are worked on at once, half of them at most of one token for agents. `lateMs`:
 * delay of the event loop, on average. `waitMs`: the answer of what is not refused is expected within this time.
 */
export type OverloadLimits = { underWay: number; lateMs: number; waitMs: number };

export const defaultOverloadLimits: OverloadLimits = { underWay: 128, lateMs: 250, waitMs: 2_000 };

/** Of `/mcp`: numbers of connections, times in milliseconds (S-77). */
export type McpLimits = { sessions: number; streams: number; idleMs: number };
export const defaultMcpLimits: McpLimits = { sessions: 256, streams: 512, idleMs: 60 * 60_000 };

/**
 * What no flag changes, because other parts are measured with it or because a higher value would help only a flood. Numbers
 * are counts, sizes in bytes and times in milliseconds (docs/threats.md, "Default limits").
 */
export const fixedLimits = {
  /** Of one pattern (S-53). With these the slowest one takes few milliseconds; `nesting` counts levels of braces. */
  globs: { alternatives: 256, nesting: 4, rangeElements: 100 },
  /** Of one request. `files` are read at most, and `parseMs` is what one may spend on parsing them. */
  retrieval: { imports: 1_000, files: 2_000, folderFiles: 500, parseMs: 4_000 },
  supplementary: { items: 1_000 },
  /** For all readers (S-77). Fewer events are `kept` when they are large: never more than may wait for one reader. */
  events: { listeners: 1_000, kept: 1_000, queuedBytes: 1024 * 1024 },
  /** Codes for the console, and how long they live: by themselves, and in a page that a browser opens. */
  signIn: { codes: 16, sessions: 64, codeMs: 60_000, pageMs: 30_000 },
  /** Of agents: the user has another one. */
  tokens: { count: 100 },
  /** Processes, and how often one is started (S-29, S-33). Of the calls under way the rest is the user's. */
  mcpServers: {
    running: 20,
    starting: 4,
    starts: 5,
    perMs: 600_000,
    firstDelayMs: 1_000,
    maxDelayMs: 60_000,
    calls: 100,
    callsOfTokens: 80,
  },
  /** What a server says (S-30). So many bytes of a message that is not taken may come before the server counts as broken. */
  mcpMessages: { bytes: 16 * 1024 * 1024, depth: 64, passedOverBytes: 128 * 1024 * 1024 },
  mcpLists: { items: 512, pages: 64, bytes: 8 * 1024 * 1024 },
} as const;

export type FormatsSetting = 'all' | 'none' | readonly string[];

/** What the engine needs to know. `globalContextPath` is absolute; absent, the home directory is used. */
export type EngineSettings = {
  clientContextPath: string;
  globalContextPath?: string;
  followSymlinks: boolean;
  /** Names of the formats of other tools that are read in place; a repository or a request can only narrow it (FM-03). */
  formats: FormatsSetting;
  /** Whether content is delivered with `***` in the place of what looks like a secret. */
  maskSecrets: boolean;
  /** What holds where no AI context policy is on the way (AP-02). */
  defaultPolicy: 'allow' | 'block';
  /** Most bytes that sessions of one token for agents may hold together, about. */
  agentTokenBytes: number;
  limits: Limits;
};

const defaultClientContextPath = '.context';
export const defaultPort = 4747;
const defaultAgentTokenBytes = 256 * 1024 * 1024;
/** For all listeners together; that there are more is told. */
export const maxWatchedDirectories = 2_000;

export const defaultEngineSettings: EngineSettings = {
  clientContextPath: defaultClientContextPath,
  followSymlinks: false,
  formats: 'all',
  maskSecrets: false,
  defaultPolicy: 'allow',
  agentTokenBytes: defaultAgentTokenBytes,
  limits: defaultLimits,
};

/**
 * A client context path must be relative and not empty (CC-02). Several segments and `..` are allowed; `~`, NUL, a
 * drive letter and more than 1,024 characters are not. Returns the path with `/` separators and without empty and
 * `.` segments.
 */
export function parseClientContextPath(value: string): { value?: string; problem?: string } {
  const path = value.replaceAll('\\', '/').replace(/\/+$/u, '');
  if (value.trim() === '' || path === '') return { problem: 'it is empty' };
  if (path.startsWith('/') || /^[A-Za-z]:/u.test(path)) return { problem: 'it is absolute; it must be relative' };
  if (path.startsWith('~')) return { problem: 'it starts with "~"; it must be relative' };
  if (path.includes('\0')) return { problem: 'it contains a NUL character' };
  if (path.length > 1024) return { problem: 'it is longer than 1,024 characters' };
  if (path.split('/').every((segment) => segment === '.' || segment === ''))
    return { problem: 'it names no directory' };
  const segments = path.split('/').filter((segment) => segment !== '.' && segment !== '');
  return { value: segments.join('/') };
}

/**
 * Engine settings from environment variables (`CLIENT_CONTEXT_PATH`, `GLOBAL_CONTEXT_PATH`, `CONTEXTD_DEFAULT_POLICY`,
 * `CONTEXTD_FORMATS`).
 * A value that cannot be used is a warning and the default applies, for the policy the one that blocks; nothing ever fails
 * to start because of it.
 */
export function parseContextEnvironment(
  environment: Record<string, string | undefined>,
  homeDirectory: string,
): Pick<EngineSettings, 'clientContextPath' | 'globalContextPath' | 'defaultPolicy' | 'formats'> & {
  warnings: Warning[];
} {
  const warnings: Warning[] = [];
  let clientContextPath = defaultClientContextPath;
  const client = environment.CLIENT_CONTEXT_PATH;
  if (client !== undefined) {
    const parsed = parseClientContextPath(client);
    if (parsed.value !== undefined) clientContextPath = parsed.value;
    else
      warnings.push({
        code: 'invalid_client_context_path',
        message: `CLIENT_CONTEXT_PATH is not used because ${parsed.problem}; "${defaultClientContextPath}" is used instead.`,
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
  return {
    clientContextPath,
    ...(globalContextPath === undefined ? {} : { globalContextPath }),
    defaultPolicy,
    formats: parseFormats(environment.CONTEXTD_FORMATS || 'all'),
    warnings,
  };
}

/** `all`, `none`, or names with commas between them. */
export function parseFormats(value: string): FormatsSetting {
  const names = value.split(',').map((name) => name.trim());
  const [first] = names;
  return names.length === 1 && (first === 'all' || first === 'none') ? first : names.filter((name) => name !== '');
}

/** `~` and `~/…` become the home directory; anything else is returned as it is. */
export function expandHome(path: string, homeDirectory: string): string {
  if (path === '~') return homeDirectory;
  return path.startsWith('~/') ? `${homeDirectory}${path.slice(1)}` : path;
}

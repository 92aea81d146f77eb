// Long because it is the one home of all limits.
/**
 * The daemon's settings and limits. Flags win over the environment, the environment over the defaults (docs/threats.md);
 * nothing a workspace contains can change them (CC-37).
 */

/** What clients go by (AN-04): the version is raised when a field changes its meaning; a name, once given, stays. */
export const protocol = {
  protocolVersion: 1,
  capabilities: [
    'context',
    'policy',
    'formats',
    'supplementary',
    'retrieve',
    'prompt',
    'changes',
    'agents',
    'sessions',
    'search',
    'mcp',
    'events',
    'hooks',
  ],
} as const;

/** Coding tools whose hooks are answered. */
export const hookToolIds = ['claude-code', 'codex', 'copilot-cli', 'cursor', 'gemini-cli'] as const;
export type HookToolId = (typeof hookToolIds)[number];

/**
 * Limits that no flag changes: the parts are measured with them, or a higher value would help only a flood. Numbers are
 * counts, sizes in bytes, and times in milliseconds where the name ends in `Ms` (docs/threats.md, "Default limits").
 *
 * The rule of what belongs here: a bound that others meet, because more is refused, or an answer, an event or a file is cut
 * there or made without the rest. What only paces the work stays beside the code that it paces (caches, lengths of turns,
 * retries, buffers, how many at once, how much text one expression is tried on), as does how much of an answer a sentence, a
 * terminal or a view shows. The length of one field stands in its schema.
 */
export const fixedLimits = {
  /**
   * Of one request for context. `depth`: levels below a context directory, never below 3. `policyMs`: what is undecided then
   * is blocked. `candidate…`: what is read, and can be searched; `contextFiles` and `answerBytes` are what can be active of it.
   * `parseMs`, and `parseMsOfFile` more for each: what was parsed once need not be again. `patterns`: of `includeFiles`,
   * `excludeFiles`, `globs` each.
   */
  request: {
    fileBytes: 1024 * 1024,
    candidateBytes: 64 * 1024 * 1024,
    answerBytes: 8 * 1024 * 1024,
    configBytes: 256 * 1024,
    frontMatterBytes: 16 * 1024,
    depth: 16,
    entries: 50_000,
    candidateFiles: 10_000,
    contextFiles: 2_000,
    walkMs: 2_000,
    includeMatchMs: 200,
    excludeMatchMs: 600,
    globMatchMs: 300,
    policyMs: 1_000,
    parseMs: 1_200,
    parseMsOfFile: 1,
    patternLength: 512,
    patterns: 64,
    parallelOpens: 16,
  },
  /** `owners`: directories on the way whose context counts. `placeLooks`: looks at the disk to learn where paths really lie. */
  context: {
    owners: 32,
    placeLooks: 2_048,
    patternsInto: 64,
    secretsTold: 10,
    alwaysOnTokens: 8_000,
    promptTokens: 16_000,
  },
  /** What rule files of other tools import: `depth` counts files that import each other in a row. `characters`: of one file. */
  imports: { depth: 5, ofOneFile: 100, ofRequest: 2_000, characters: 256 * 1024, pathCharacters: 1_024 },
  /** Of a folder whose files belong to others in it: what is looked at, and how many files of one are named. */
  supportingFiles: { entries: 10_000, named: 100 },
  /** Servers of a file, and arguments, variables and headers of one. */
  configurations: { entries: 256 },
  /** Of one text that people write: what is parsed, so that no event loop is held for long, and what is told of it. */
  texts: { levels: 16, yamlTokens: 6_000, yamlLines: 30_000, jsonTokens: 20_000, warnings: 32, hiddenCharacters: 20 },
  /** Of one pattern (S-53). With these the slowest one takes few milliseconds; `nesting` counts levels of braces. */
  globs: { alternatives: 256, nesting: 4, rangeElements: 100, tokens: 4_096 },
  policies: { listed: 2_000, checkedPaths: 10_000, shownDecisions: 1_000, watchedDirectories: 50 },
  /** `fieldErrors`: mistakes of one body that are told. `comparedCharacters`: of all files of other tools that are compared. */
  validation: { diagnostics: 1_000, fieldErrors: 64, comparedCharacters: 50_000_000 },
  /** Of one file that leaves out others, `.gitignore` among them. One that is larger, and not a `.gitignore`, blocks. */
  ignoreFiles: { bytes: 64 * 1024, lines: 1_000 },
  /** To learn where one granted root lies; one that takes longer, on a dead mount, is taken to lie where its name says. */
  roots: { placeMs: 1_000 },
  /** What people search by name. `lookMs`: time of the processor; on a busy machine several times as long may pass. */
  fileIndex: { files: 150_000, folders: 20_000, depth: 64, lookMs: 1_500 },
  /** `listPlaces`, `listNames`: lists whose names are remembered, and names of one. */
  supplementary: { items: 1_000, searchMs: 1_000, listPlaces: 1_000, listNames: 16 },
  /**
   * Of one request. `files` are read at most, and `parseMs` is what one may spend on parsing them; `follow…` is for modules
   * that pass on what others define. `listings`, `reads`: to learn how imports resolve. `wholeLines`: of a file without
   * definitions to choose from.
   */
  retrieval: {
    imports: 1_000,
    files: 2_000,
    folderFiles: 500,
    parseMs: 4_000,
    followMs: 5_000,
    followBytes: 64 * 1024 * 1024,
    listings: 4_000,
    reads: 2_000,
    wholeLines: 300,
  },
  /** Files that are compared with the question, and how many match. `ms` is only for a disk or machine that is far too slow. */
  keywords: { files: 20_000, fileBytes: 256 * 1024, characters: 96 * 1024 * 1024, ms: 8_000, matches: 8 },
  /** What the readers of projects take into account, most of them for one file that imports. */
  projects: {
    workspaces: { directories: 4_000, depth: 6, patterns: 128, packages: 1_000 },
    manifests: { targets: 32 },
    tsconfig: { depth: 8, files: 64, references: 32, targets: 16 },
    cpp: { directories: 200, options: 2_000, includes: 64, headers: 300 },
    go: { files: 200 },
    java: { modules: 300, roots: 400, classesAbove: 6, extends: 100, depth: 32 },
    python: { packages: 1_000, depth: 32 },
    ruby: { directories: 300, requirePaths: 20 },
    rust: { crates: 500, roots: 50, modules: 64, aliases: 8, paths: 500 },
    /** Directories of one directory, of any name. */
    neighbours: 200,
  },
  /**
   * Of one source file. `treeCharacters`: beyond them TypeScript gives imports only; `characters`: for other languages, as
   * `cpuMs`, time of the processor, so that a text means the same on a busy machine. `ofEach`: imports, definitions, exports.
   */
  sources: {
    characters: 2_000_000,
    treeCharacters: 1_000_000,
    cpuMs: 1_300,
    ofEach: 5_000,
    entries: 20_000,
    parseMs: 4_000,
    names: 200_000,
    specifierCharacters: 4_096,
    nameCharacters: 1_024,
    definitionCharacters: 8_000,
  },
  /**
   * `vectors` of 384 numbers are kept in memory, fewer of longer ones. A search waits `waitMs` for what is not indexed. Of a
   * question both ends count. What is selected is long beyond `wholeCharacters`, and is offered by its description or by a
   * section, which is sought in the first `soughtCharacters`. `endpoint…`: texts of one request to a server that embeds, and
   * numbers of a vector.
   */
  search: {
    chunkCharacters: 500,
    wholeCharacters: 8_000,
    soughtCharacters: 64 * 1024,
    vectors: 200_000,
    waitMs: 8_000,
    batchMs: 30_000,
    endpointTexts: 32,
    endpointDimensions: 4_096,
    searches: 256,
    jobs: 8,
    queryCharacters: 8_000,
    queryTerms: 64,
    documentTerms: 10_000,
    fieldCharacters: 4_096,
  },
  /** `documentBytes`: of one agent with all its items. `items`: rules, and as many references; `tools`: that it is offered. */
  agents: {
    count: 1_000,
    documentBytes: 8 * 1024 * 1024,
    items: 1_000,
    itemBytes: 256 * 1024,
    descriptionCharacters: 4_096,
    tools: 1_000,
  },
  /** `ofOneToken`, `ofTokens`: sessions of one token for agents, and up to how many in all such tokens add some. */
  sessions: {
    count: 10_000,
    ofOneToken: 1_000,
    ofTokens: 9_000,
    messages: 100_000,
    changes: 1_000_000,
    items: 4_000,
    contentBytes: 256 * 1024,
    replyBytes: 768 * 1024,
    firstMessageCharacters: 120,
    answerMessages: 2_000,
    answerBytes: 4 * 1024 * 1024,
  },
  /** For all readers (S-77). Fewer events are `kept` when they are large: never more than may wait for one reader. */
  events: {
    listeners: 1_000,
    kept: 1_000,
    queuedBytes: 1024 * 1024,
    changes: 500,
    watchedDirectories: 2_000,
    watchedQuestions: 200,
    heartbeatMs: 15_000,
  },
  /**
   * Of one working tree beside its last commit: `listBytes` of names, `blobBytes` of what was committed. A file of more than
   * `comparedBytes` is only named, and so is one that takes longer than `compareMs`; all take `compareAllMs` at most.
   */
  changes: {
    files: 500,
    listBytes: 8 * 1024 * 1024,
    blobBytes: 32 * 1024 * 1024,
    comparedBytes: 512 * 1024,
    compareMs: 1_000,
    compareAllMs: 5_000,
  },
  /** Codes for the console, and how long they live: by themselves, and in a page that a browser opens. */
  signIn: { codes: 16, pages: 16, sessions: 64, codeMs: 60_000, pageMs: 30_000 },
  /** Of agents: the user has another one. */
  tokens: { count: 100 },
  /** Of coding tools: what one call may bring, how long it takes, and what is remembered of conversations. */
  hooks: {
    inputBytes: 64 * 1024 * 1024,
    answerMs: 20_000,
    mentions: 128,
    conversations: 256,
    conversationBytes: 512 * 1024,
    keptMs: 30 * 24 * 60 * 60 * 1000,
  },
  /** Of connections and what comes through them (S-75, S-76). */
  http: {
    bodyBytes: 1024 * 1024,
    headerBytes: 16 * 1024,
    urlCharacters: 8 * 1024,
    jsonDepth: 32,
    requestTimeoutMs: 10_000,
    headersTimeoutMs: 5_000,
    connectionsCheckMs: 1_000,
    keepAliveTimeoutMs: 5_000,
    connections: 1_024,
  },
  /**
   * `underWay`: requests of one operation that are worked on at once, half of them at most of one token for agents. `lateMs`:
   * delay of the event loop, on average. `waitMs`: the answer of what is not refused is expected within this time.
   */
  overload: { underWay: 128, waiting: 1_024, lateMs: 250, waitMs: 2_000 },
  /** Of `/mcp` and `contextd mcp` (S-77). `mounts`: directories that one client is served. */
  mcpEndpoint: {
    sessions: 256,
    streams: 512,
    idleMs: 60 * 60_000,
    mounts: 16,
    subscriptions: 1_000,
    watchedMounts: 64,
    pageItems: 200,
  },
  /**
   * Processes, and how often one is started (S-29, S-33). Of the calls under way the rest is the user's, and one server is
   * sent no more requests than `requests` at once. `listed`: resources, and prompts, of one answer.
   */
  mcpServers: {
    running: 20,
    starting: 4,
    starts: 5,
    perMs: 600_000,
    firstDelayMs: 1_000,
    maxDelayMs: 60_000,
    calls: 100,
    callsOfTokens: 80,
    requests: 100,
    initializeMs: 10_000,
    listMs: 10_000,
    callMs: 60_000,
    closeMs: 2_000,
    termMs: 2_000,
    listed: 1_000,
  },
  /** What the approval of a server looks at (S-18): files that its arguments name, and what lies in a directory. */
  mcpApprovals: { files: 256, filesMs: 10_000, entries: 10_000, entriesMs: 10_000, packages: 5_000, changes: 100 },
  /** What a server says (S-30). So many bytes of a message that is not taken may come before the server counts as broken. */
  mcpMessages: { bytes: 16 * 1024 * 1024, depth: 64, passedOverBytes: 128 * 1024 * 1024, stderrBytes: 64 * 1024 },
  /** What a server says unasked: so much at once and so much a second. It is not listened to for a while, and then ended. */
  mcpFloods: { atOnce: 10_000, perSecond: 1_000, pauseMs: 100, patienceMs: 5_000 },
  mcpLists: { items: 512, pages: 64, bytes: 8 * 1024 * 1024, textCharacters: 4_096, promptArguments: 100 },
  mcpTools: { schemaBytes: 64 * 1024, depth: 64, checkMs: 2_000, errors: 16 },
  /** Of one row of an export; the largest agent, as JSON in JSON with what can be escaped escaped, is as long. */
  exports: { lineBytes: 64 * 1024 * 1024 },
  /** `bytes`: of one file; `files` counts the one that is written to (S-83, S-84). */
  log: { lineBytes: 8 * 1024, bytes: 10 * 1024 * 1024, files: 5 },
  /** What is under way when the daemon is told to end is given so long (S-80). */
  stopping: { graceMs: 5_000 },
} as const;

/** Which of some things that have names: formats, ignore files. */
export type FormatsSetting = 'all' | 'none' | readonly string[];
/** The names of some limits, with other numbers: for a part that is used with more of them, and for tests. */
type Numbers<Some> = { -readonly [Name in keyof Some]: number };

export type Limits = Numbers<typeof fixedLimits.request>;
export type FileIndexLimits = Numbers<typeof fixedLimits.fileIndex>;
export type HttpLimits = Numbers<typeof fixedLimits.http>;
export type OverloadLimits = Numbers<typeof fixedLimits.overload>;
export type McpLimits = Numbers<Pick<typeof fixedLimits.mcpEndpoint, 'sessions' | 'streams' | 'idleMs'>>;

/** What the engine needs to know. `globalContextPath` is absolute; absent, the home directory is used. */
export type EngineSettings = {
  clientContextPath: string;
  globalContextPath?: string;
  followSymlinks: boolean;
  /** Names of the formats of other tools that are read in place; a repository or a request can only narrow it (FM-03). */
  formats: FormatsSetting;
  /** Names of the ignore files of other tools that are honoured (FX-06). Only the user says. */
  ignoreFiles: FormatsSetting;
  /** Whether content is delivered with `***` in the place of what looks like a secret. */
  maskSecrets: boolean;
  /** What holds where no AI context policy is on the way (AP-02). */
  defaultPolicy: 'allow' | 'block';
  /** Most bytes that sessions of one token for agents may hold together, about. */
  agentTokenBytes: number;
  limits: Limits;
};

export const defaultPort = 4747;

export const defaultEngineSettings: EngineSettings = {
  clientContextPath: '.context',
  followSymlinks: false,
  formats: 'all',
  ignoreFiles: 'all',
  maskSecrets: false,
  defaultPolicy: 'allow',
  agentTokenBytes: 256 * 1024 * 1024,
  limits: fixedLimits.request,
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

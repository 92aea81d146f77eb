// Long because it is the one home of all limits.
/**
 * The daemon's settings and limits. Flags win over the environment, the environment over the defaults
 * (docs/threats.md); nothing a workspace contains can change them (CC-37).
 */

/**
 * What clients check (AN-04). The version rises when a field changes its meaning. A capability is never renamed or
 * removed.
 */
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

/** Coding tools whose hooks contextd answers. */
export const hookToolIds = ['claude-code', 'codex', 'copilot-cli', 'cursor', 'gemini-cli'] as const;
export type HookToolId = (typeof hookToolIds)[number];

/**
 * Limits that no flag changes: the parts are measured with them, or a higher value would help only a flood. Numbers are
 * counts, sizes in bytes, and times in milliseconds if the name ends in `Ms` (docs/threats.md, "Default limits").
 *
 * A limit belongs here if callers can notice it: more is refused, or an answer, an event or a file is cut or made
 * without the rest. A number that only paces the work stays beside the code that it paces (caches, lengths of turns,
 * retries, buffers, how many at once, how much text one expression is tried on). So does how much of an answer a
 * sentence, a terminal or a view shows. The max length of one field is in its schema.
 */
export const fixedLimits = {
  /**
   * Limits of one request for context. `depth`: levels below a context directory, never below 3. `policyMs`: files that
   * are undecided by then are blocked. `candidate…`: files that are read and can be searched; `contextFiles` and
   * `answerBytes` limit how much of them can be active, and `answerBytes` what a conversion writes. `parseMs`, plus
   * `parseMsOfFile` for each file; parsed files are kept. `patterns`: each of `includeFiles`, `excludeFiles` and
   * `globs`.
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
  /**
   * `owners`: directories on the way that may have context. `patternsInto`: patterns that lead into one directory.
   * `secretsTold`: secrets that are listed one by one. `alwaysOnTokens`: above this, answers warn.
   */
  context: {
    owners: 32,
    patternsInto: 64,
    secretsTold: 10,
    alwaysOnTokens: 8_000,
    promptTokens: 16_000,
  },
  /**
   * Imports of rule files of other tools. `depth`: files that import each other in a row. `characters`: of one file.
   */
  imports: { depth: 5, ofOneFile: 100, ofRequest: 2_000, characters: 256 * 1024, pathCharacters: 1_024 },
  /** A folder of a skill: entries that are read, and other files that are listed. */
  supportingFiles: { entries: 10_000, named: 100 },
  /** Servers of a file, and arguments, variables and headers of one. */
  configurations: { entries: 256 },
  /**
   * One text that people write: how much is parsed, so that it does not hold the event loop for long, and how many
   * warnings it gets.
   */
  texts: {
    levels: 16,
    yamlTokens: 6_000,
    yamlLines: 30_000,
    jsonTokens: 20_000,
    tomlCharacters: 32 * 1024,
    warnings: 32,
    hiddenCharacters: 20,
  },
  /**
   * One notebook of Jupyter: how much is read, how many texts and brackets (or five times as many commas) `JSON.parse`
   * gets in one turn, and how much of its cells is taken. `atOnce`: how many are read.
   */
  notebooks: { bytes: 4 * 1024 * 1024, parts: 150_000, characters: 1024 * 1024, atOnce: 4 },
  /** One pattern (S-53). With these limits the slowest one takes a few milliseconds. `nesting`: levels of braces. */
  globs: { alternatives: 256, nesting: 4, rangeElements: 100, tokens: 4_096 },
  policies: { listed: 2_000, checkedPaths: 10_000, shownDecisions: 1_000, watchedDirectories: 50 },
  /**
   * `fieldErrors`: mistakes that are listed for one body. `comparedCharacters`: of all files of other tools together.
   */
  validation: { diagnostics: 1_000, fieldErrors: 64, comparedCharacters: 50_000_000 },
  /** One ignore file, including `.gitignore`. A larger one blocks everything below it, unless it is a `.gitignore`. */
  ignoreFiles: { bytes: 64 * 1024, lines: 1_000 },
  /**
   * Time to find the real path of one granted root. If it takes longer, for example on a dead mount, the given path
   * counts.
   */
  roots: { placeMs: 1_000 },
  /**
   * One call about files. A tick counts unless an earlier call is answered in it. `lateTicks`: from then on, others
   * below its path wait for it. `lastTick`: it ends with an error. A disk that was asleep has answered by then. A busy
   * machine has fewer ticks in the same time. `remoteCalls`: under way at once on file systems that may not answer; all
   * calls share four threads.
   */
  silentDisks: { tickMs: 200, lateTicks: 3, lastTick: 30, remoteCalls: 3 },
  /** The search for files by name. `lookMs` is processor time; on a busy machine up to four times as long may pass. */
  fileIndex: { files: 150_000, folders: 20_000, depth: 64, lookMs: 1_500 },
  /** `listPlaces`: lists whose names are remembered. `listNames`: names of one list. */
  supplementary: { items: 1_000, searchMs: 1_000, listPlaces: 1_000, listNames: 16 },
  /**
   * One request. `files`: files that are read. `parseMs`: time to parse them. `follow…`: for modules that pass on what
   * others define. `lookMs`, `listings`, `reads`: to resolve imports. `wholeLines`: lines of a file that has no
   * definitions to choose from.
   */
  retrieval: {
    imports: 1_000,
    files: 2_000,
    folderFiles: 500,
    parseMs: 4_000,
    followMs: 5_000,
    followBytes: 64 * 1024 * 1024,
    lookMs: 10_000,
    listings: 4_000,
    reads: 2_000,
    wholeLines: 300,
  },
  /**
   * Files that are searched for the question, and how many can match. `sourceCharacters`: of files of which no kind
   * counts less. `comparedCharacters`: of the files with most of its words, of which every word is counted. `ms` matters
   * only on a very slow disk or machine.
   */
  keywords: {
    files: 20_000,
    fileCharacters: 256 * 1024,
    sourceCharacters: 1024 * 1024,
    characters: 96 * 1024 * 1024,
    comparedCharacters: 40 * 1024 * 1024,
    ms: 8_000,
    matches: 8,
  },
  /** What is read of a project, mostly for one importing file. */
  projects: {
    workspaces: { directories: 4_000, depth: 6, patterns: 128, packages: 1_000 },
    manifests: { targets: 32, patterns: 1_000 },
    tsconfig: { depth: 8, files: 64, references: 32, targets: 16 },
    cpp: { directories: 200, options: 2_000, includes: 64, headers: 300 },
    csharp: {
      projects: 100,
      directories: 1_000,
      entries: 1_000,
      files: 10_000,
      scanned: 400,
      named: 600,
      types: 1_000,
      declarations: 50_000,
      roots: 4,
      usings: 500,
      usingFiles: 20,
      enclosing: 16,
      nested: 4,
      parts: 8,
    },
    /**
     * `visits`: exports and parts through which names are followed, for one document. `sameName`: definitions of one
     * name. `configured`: entries of a `package_config.json`. `above`, `candidates`: places where the library of a part
     * may be.
     */
    dart: {
      packages: 1_000,
      configured: 5_000,
      visits: 5_000,
      directives: 1_000,
      names: 5_000,
      sameName: 8,
      above: 8,
      candidates: 64,
    },
    /**
     * `modules`, `names`: that one file defines. `candidates`: files in which a module may be. `nested`: modules inside
     * a file's. `used`: modules that a file uses. `uses`: files whose imports a file gets by `use`.
     */
    elixir: {
      projects: 100,
      paths: 64,
      directories: 1_000,
      entries: 1_000,
      files: 10_000,
      modules: 500,
      names: 5_000,
      candidates: 8,
      sameName: 1_000,
      nested: 3,
      used: 1_000,
      uses: 32,
    },
    go: { files: 200, modules: 2_000 },
    lua: { directories: 300, rockspecs: 8, rockspecCharacters: 200_000, modules: 2_000 },
    /**
     * Java, Kotlin and Scala. `looks`: directories where packages may be. `nested`: types inside each other. `scanned`:
     * files whose declarations are read. `names`: of one file. `files`: that declare one name. `parents`: types that an
     * object of Scala extends, or converts values to.
     */
    jvm: {
      modules: 300,
      builds: 16,
      roots: 800,
      classesAbove: 6,
      extends: 100,
      depth: 32,
      nested: 8,
      looks: 200_000,
      scanned: 400,
      names: 2_000,
      files: 4,
      parents: 300,
    },
    python: { packages: 1_000, depth: 32 },
    /** `read`: files of each place for functions. */
    nuxt: { directories: 300, files: 2_000, read: 200, names: 1_000 },
    php: {
      packages: 300,
      prefixes: 200,
      directories: 1_000,
      names: 1_000,
      files: 200,
      beside: 64,
      around: 64,
      candidates: 8,
      depth: 32,
    },
    /** `constants`: that are looked for. `nested`: modules of one. `looks`: places where they may be. */
    ruby: { directories: 300, requirePaths: 20, constants: 400, nested: 4, looks: 20_000, factories: 200 },
    /** `files`: that a pattern such as `lib/*.sh` names. `names`: that one of them defines. */
    shell: { files: 64, names: 2_000 },
    /**
     * As in C#, and `modules`: that a file imports; `names`: declarations of one file; `used`: names that a file uses.
     */
    swift: {
      directories: 1_000,
      entries: 1_000,
      files: 10_000,
      scanned: 300,
      named: 400,
      names: 2_000,
      used: 5_000,
      sameName: 8,
      modules: 64,
      packages: 200,
      targets: 300,
    },
    rust: { crates: 500, roots: 50, modules: 64, aliases: 8, globs: 1_000, offered: 200, paths: 500 },
    /** Directories that are listed in one directory. */
    neighbours: 200,
  },
  /**
   * One source file. `treeCharacters`: of a longer TypeScript file only the imports are read. `characters`: the same
   * limit for other languages. `cpuMs` is processor time, so that a busy machine does not change the result. `ofEach`:
   * imports, definitions, exports.
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
   * `vectors`: kept in memory, for 384 numbers each; fewer if they are longer. `waitMs`: how long a search waits for
   * texts that are not indexed. Of a long question only the beginning and the end count. `wholeCharacters`: a longer
   * selected item is delivered as its description or one section, which is sought in the first `soughtCharacters`.
   * `documentTerms`: different words of one item or file that count. `fieldCharacters`: of its name, and of its
   * description, that count. `endpoint…`: texts of one request to an embedding server, and numbers of a vector.
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
  /**
   * `documentBytes`: one agent with all its items. `items`: rules, and as many references. `tools`: tools of its
   * servers that are used.
   */
  agents: {
    count: 1_000,
    documentBytes: 8 * 1024 * 1024,
    items: 1_000,
    itemBytes: 256 * 1024,
    descriptionCharacters: 4_096,
    tools: 1_000,
  },
  /**
   * `ofOneToken`: sessions of one agent token. `ofTokens`: agent tokens cannot add sessions when this many exist in
   * total.
   */
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
  /** For all readers (S-77). If events are large, fewer are `kept`: never more bytes than may wait for one reader. */
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
   * A working tree compared with its last commit. `listBytes`: names. `blobBytes`: committed contents. A file is only
   * named if it has more than `comparedBytes` (a notebook: its cells) or takes longer than `compareMs`. All files
   * together take at most `compareAllMs`.
   */
  changes: {
    files: 500,
    listBytes: 8 * 1024 * 1024,
    blobBytes: 32 * 1024 * 1024,
    comparedBytes: 512 * 1024,
    compareMs: 1_000,
    compareAllMs: 5_000,
  },
  /** Codes that sign in to the console, and how long they are valid: alone, and in a page that a browser opens. */
  signIn: { codes: 16, pages: 16, sessions: 64, codeMs: 60_000, pageMs: 30_000 },
  /** Agent tokens. The token of the user does not count. */
  tokens: { count: 100 },
  /** Coding tools: what one call may contain, how long it may take, and what is remembered of conversations. */
  hooks: {
    inputBytes: 64 * 1024 * 1024,
    answerMs: 20_000,
    mentions: 128,
    files: 4_096,
    conversations: 256,
    conversationBytes: 512 * 1024,
    keptMs: 30 * 24 * 60 * 60 * 1000,
  },
  /** Connections and what arrives through them (S-75, S-76). */
  http: {
    bodyBytes: 1024 * 1024,
    headerBytes: 16 * 1024,
    urlCharacters: 8 * 1024,
    jsonDepth: 32,
    requestTimeoutMs: 10_000,
    headersTimeoutMs: 5_000,
    connectionsCheckMs: 1_000,
    keepAliveTimeoutMs: 5_000,
    unreadMs: 120_000,
    connections: 1_024,
  },
  /**
   * `underWay`: requests of one operation that run at once; one agent token has at most half of them. `lateMs`: mean
   * delay of the event loop. `waitMs`: a request waits only if its answer is expected within this time.
   */
  overload: { underWay: 128, waiting: 1_024, lateMs: 250, waitMs: 2_000 },
  /** `/mcp` and `contextd mcp` (S-77). `mounts`: directories that are served to one client. `batch`: messages. */
  mcpEndpoint: {
    sessions: 256,
    streams: 512,
    idleMs: 60 * 60_000,
    mounts: 16,
    subscriptions: 1_000,
    watchedMounts: 64,
    pageItems: 200,
    batch: 64,
  },
  /**
   * Processes, and how often one is started (S-29, S-33). `callsOfTokens`: agent tokens get only this many of the
   * `calls`. `requests`: requests to one server at once. `listed`: resources, and prompts, of one answer.
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
  /**
   * Messages of a server (S-30). `passedOverBytes`: a longer message counts as a broken server; up to this length it is
   * skipped. `parts`: of the content of one answer.
   */
  mcpMessages: {
    bytes: 16 * 1024 * 1024,
    depth: 64,
    values: 250_000,
    parts: 2_000,
    passedOverBytes: 128 * 1024 * 1024,
    stderrBytes: 64 * 1024,
  },
  /**
   * Messages that a server sends unasked. Above these rates contextd stops reading from it for `pauseMs`, and ends it
   * after `patienceMs`.
   */
  mcpFloods: { atOnce: 10_000, perSecond: 1_000, pauseMs: 100, patienceMs: 5_000 },
  mcpLists: { items: 512, pages: 64, bytes: 8 * 1024 * 1024, textCharacters: 4_096, promptArguments: 100 },
  mcpTools: { schemaBytes: 64 * 1024, depth: 64, checkMs: 2_000, errors: 16 },
  /** One row of an export. The largest agent fits, as escaped JSON inside JSON. */
  exports: { lineBytes: 64 * 1024 * 1024 },
  /** `bytes`: of one file. `files`: including the file that is written now (S-83, S-84). */
  log: { lineBytes: 8 * 1024, bytes: 10 * 1024 * 1024, files: 5 },
  /** Time for running requests when the daemon is told to end (S-80). */
  stopping: { graceMs: 5_000 },
} as const;

/** A choice of formats or of ignore files by name. The names can be unknown ones; those of a `FormatChoice` are known. */
export type NameChoice = 'all' | 'none' | readonly string[];
/** Some limits with other numbers: for tests, and for a part that is used with several values. */
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
  /**
   * Names of the formats of other tools that are read in place; a repository or a request can only narrow it (FM-03).
   */
  formats: NameChoice;
  /** Names of the ignore files of other tools that are honoured (FX-06). Only the user can set this. */
  ignoreFiles: NameChoice;
  /** Whether secrets in delivered content are replaced by `***`. */
  maskSecrets: boolean;
  /** What applies to a file that no AI context policy covers (AP-02). */
  defaultPolicy: 'allow' | 'block';
  /** Max bytes of the sessions of one agent token together, approximately. */
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
  const segments = path.split('/').filter((segment) => segment !== '.' && segment !== '');
  if (segments.length === 0) return { problem: 'it names no directory' };
  return { value: segments.join('/') };
}

/** Reads `all`, `none`, or names with commas between them. */
export function parseNameChoice(value: string): NameChoice {
  const names = value.split(',').map((name) => name.trim());
  const [first] = names;
  return names.length === 1 && (first === 'all' || first === 'none') ? first : names.filter((name) => name !== '');
}

/** `~` and `~/…` become the home directory; anything else is returned as it is. */
export function expandHome(path: string, homeDirectory: string): string {
  if (path === '~') return homeDirectory;
  return path.startsWith('~/') ? `${homeDirectory}${path.slice(1)}` : path;
}

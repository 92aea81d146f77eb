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
  /** Limits of one request for context. */
  request: {
    fileBytes: 1024 * 1024,
    /** Files that are read and can be searched. */
    candidateBytes: 64 * 1024 * 1024,
    /** Files that are active, and what a conversion writes. */
    answerBytes: 8 * 1024 * 1024,
    configBytes: 256 * 1024,
    frontMatterBytes: 16 * 1024,
    /** Levels below a context directory. Never below 3. */
    depth: 16,
    entries: 50_000,
    /** Files that are read and can be searched. */
    candidateFiles: 10_000,
    /** Files that are active. */
    contextFiles: 2_000,
    walkMs: 2_000,
    includeMatchMs: 200,
    excludeMatchMs: 600,
    globMatchMs: 300,
    /** Files that are undecided by then are blocked. */
    policyMs: 1_000,
    /** For all files together, in addition to `parseMsOfFile` for each. Parsed files are kept. */
    parseMs: 1_200,
    parseMsOfFile: 1,
    patternLength: 512,
    /** Each of `includeFiles`, `excludeFiles` and `globs`. */
    patterns: 64,
    parallelOpens: 16,
  },
  context: {
    /** Directories on the way that may have context. */
    owners: 32,
    /** Patterns that lead into one directory. */
    patternsInto: 64,
    /** Secrets that are listed one by one. */
    secretsTold: 10,
    /** Above this, answers warn. */
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
  /** One notebook of Jupyter. */
  notebooks: {
    bytes: 4 * 1024 * 1024,
    /** Texts and brackets, or five times as many commas, that `JSON.parse` gets in one turn. */
    parts: 150_000,
    /** Of its cells. */
    characters: 1024 * 1024,
    /** Notebooks that are read at once. */
    atOnce: 4,
  },
  /** One pattern (S-53). With these limits the slowest one takes a few milliseconds. `nesting`: levels of braces. */
  globs: { alternatives: 256, nesting: 4, rangeElements: 100, tokens: 4_096 },
  policies: { listed: 2_000, checkedPaths: 10_000, shownDecisions: 1_000, watchedDirectories: 50 },
  validation: {
    diagnostics: 1_000,
    /** Mistakes that are listed for one body. */
    fieldErrors: 64,
    /** Of all files of other tools together. */
    comparedCharacters: 50_000_000,
  },
  /** One ignore file, including `.gitignore`. A larger one blocks everything below it, unless it is a `.gitignore`. */
  ignoreFiles: { bytes: 64 * 1024, lines: 1_000 },
  /**
   * Time to find the real path of one granted root. If it takes longer, for example on a dead mount, the given path
   * counts.
   */
  roots: { placeMs: 1_000 },
  /**
   * One call about files. A tick counts unless an earlier call is answered in it. A busy machine has fewer ticks in the
   * same time.
   */
  silentDisks: {
    tickMs: 200,
    /** From then on, others below its path wait for it. */
    lateTicks: 3,
    /** It ends with an error. A disk that was asleep has answered by then. */
    lastTick: 30,
    /** Under way at once on file systems that may not answer. All calls share four threads. */
    remoteCalls: 3,
  },
  /** The search for files by name. */
  fileIndex: {
    files: 150_000,
    folders: 20_000,
    depth: 64,
    /** Processor time. On a busy machine up to four times as long may pass. */
    lookMs: 1_500,
  },
  supplementary: {
    items: 1_000,
    searchMs: 1_000,
    /** Lists whose names are remembered. */
    listPlaces: 1_000,
    /** Names of one list. */
    listNames: 16,
  },
  /** One request. */
  retrieval: {
    imports: 1_000,
    /** Files that are read. */
    files: 2_000,
    folderFiles: 500,
    parseMs: 4_000,
    // For modules that pass on what others define.
    followMs: 5_000,
    followBytes: 64 * 1024 * 1024,
    // To resolve imports.
    lookMs: 10_000,
    listings: 4_000,
    reads: 2_000,
    /** Lines of a file that has no definitions to choose from. */
    wholeLines: 300,
  },
  /** Files that are searched for the question. */
  keywords: {
    files: 20_000,
    fileCharacters: 256 * 1024,
    /** Of files of which no kind counts less. */
    sourceCharacters: 1024 * 1024,
    characters: 96 * 1024 * 1024,
    /** Of the files with most of its words, of which every word is counted. */
    comparedCharacters: 40 * 1024 * 1024,
    /** Matters only on a very slow disk or machine. */
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
    dart: {
      packages: 1_000,
      /** Entries of a `package_config.json`. */
      configured: 5_000,
      /** Exports and parts through which names are followed, for one document. */
      visits: 5_000,
      directives: 1_000,
      names: 5_000,
      /** Definitions of one name. */
      sameName: 8,
      // Places where the library of a part may be.
      above: 8,
      candidates: 64,
    },
    elixir: {
      projects: 100,
      paths: 64,
      directories: 1_000,
      entries: 1_000,
      files: 10_000,
      // That one file defines.
      modules: 500,
      names: 5_000,
      /** Files in which a module may be. */
      candidates: 8,
      sameName: 1_000,
      /** Modules inside a file's. */
      nested: 3,
      /** Modules that a file uses. */
      used: 1_000,
      /** Files whose imports a file gets by `use`. */
      uses: 32,
    },
    go: { files: 200, modules: 2_000 },
    lua: { directories: 300, rockspecs: 8, rockspecCharacters: 200_000, modules: 2_000 },
    /** Java, Kotlin and Scala. */
    jvm: {
      modules: 300,
      builds: 16,
      roots: 800,
      classesAbove: 6,
      extends: 100,
      depth: 32,
      /** Types inside each other. */
      nested: 8,
      /** Directories where packages may be. */
      looks: 200_000,
      /** Files whose declarations are read. */
      scanned: 400,
      /** Of one file. */
      names: 2_000,
      /** Files that declare one name. */
      files: 4,
      /** Types that an object of Scala extends, or converts values to. */
      parents: 300,
    },
    python: { packages: 1_000, depth: 32 },
    nuxt: {
      directories: 300,
      files: 2_000,
      /** Files of each place for functions. */
      read: 200,
      names: 1_000,
    },
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
    ruby: {
      directories: 300,
      requirePaths: 20,
      /** Constants that are looked for. */
      constants: 400,
      /** Modules of a constant. */
      nested: 4,
      /** Places where constants may be. */
      looks: 20_000,
      factories: 200,
    },
    shell: {
      /** Files that a pattern such as `lib/*.sh` names. */
      files: 64,
      /** Names that one of them defines. */
      names: 2_000,
    },
    /** As in C#. */
    swift: {
      directories: 1_000,
      entries: 1_000,
      files: 10_000,
      scanned: 300,
      named: 400,
      /** Declarations of one file. */
      names: 2_000,
      /** Names that a file uses. */
      used: 5_000,
      sameName: 8,
      /** Modules that a file imports. */
      modules: 64,
      packages: 200,
      targets: 300,
    },
    rust: { crates: 500, roots: 50, modules: 64, aliases: 8, globs: 1_000, offered: 200, paths: 500 },
    /** Directories that are listed in one directory. */
    neighbours: 200,
  },
  /** One source file. */
  sources: {
    /** Of a longer file only the beginning is read, except in TypeScript and JavaScript. */
    characters: 2_000_000,
    /** Of a longer file in TypeScript or JavaScript only the imports are read. */
    treeCharacters: 1_000_000,
    /** Processor time, so that a busy machine does not change the result. */
    cpuMs: 1_300,
    /** Imports, definitions and exports: of each so many. */
    ofEach: 5_000,
    entries: 20_000,
    parseMs: 4_000,
    names: 200_000,
    specifierCharacters: 4_096,
    nameCharacters: 1_024,
    definitionCharacters: 8_000,
  },
  search: {
    chunkCharacters: 500,
    /** A longer selected item is delivered as its description or one section. */
    wholeCharacters: 8_000,
    /** The section is sought in the first characters of the item. */
    soughtCharacters: 64 * 1024,
    /** Kept in memory, for 384 numbers each. Fewer if they are longer. */
    vectors: 200_000,
    /** How long a search waits for texts that are not indexed. */
    waitMs: 8_000,
    batchMs: 30_000,
    /** Texts of one request to an embedding server. */
    endpointTexts: 32,
    /** Numbers of a vector of an embedding server. */
    endpointDimensions: 4_096,
    searches: 256,
    jobs: 8,
    /** Of a longer question only the beginning and the end count. */
    queryCharacters: 8_000,
    queryTerms: 64,
    /** Different words of one item or file that count. */
    documentTerms: 10_000,
    /** Of its name, and of its description, that count. */
    fieldCharacters: 4_096,
  },
  agents: {
    count: 1_000,
    /** One agent with all its items. */
    documentBytes: 8 * 1024 * 1024,
    /** Rules, and as many references. */
    items: 1_000,
    itemBytes: 256 * 1024,
    descriptionCharacters: 4_096,
    /** Tools of its servers that are used. */
    tools: 1_000,
  },
  sessions: {
    count: 10_000,
    /** Sessions of one agent token. */
    ofOneToken: 1_000,
    /** Agent tokens cannot add sessions when this many exist in total. */
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
  /** For all readers (S-77). */
  events: {
    listeners: 1_000,
    /** Fewer if they are large: never more bytes than may wait for one reader. */
    kept: 1_000,
    queuedBytes: 1024 * 1024,
    changes: 500,
    watchedDirectories: 2_000,
    watchedQuestions: 200,
    heartbeatMs: 15_000,
  },
  /** A working tree compared with its last commit. */
  changes: {
    files: 500,
    /** Names. */
    listBytes: 8 * 1024 * 1024,
    /** Committed contents. */
    blobBytes: 32 * 1024 * 1024,
    /** A larger file is only named. For a notebook, its cells count. */
    comparedBytes: 512 * 1024,
    /** Of removed files, and as many of added ones, that are looked through for renamed files. */
    renamedCharacters: 4_000_000,
    /** A file that takes longer is only named. */
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
  overload: {
    /** Requests of one operation that run at once. One agent token has at most half of them. */
    underWay: 128,
    waiting: 1_024,
    /** Mean delay of the event loop. */
    lateMs: 250,
    /** A request waits only if its answer is expected within this time. */
    waitMs: 2_000,
  },
  /** `/mcp` and `contextd mcp` (S-77). */
  mcpEndpoint: {
    sessions: 256,
    streams: 512,
    idleMs: 60 * 60_000,
    /** Directories that are served to one client. */
    mounts: 16,
    subscriptions: 1_000,
    watchedMounts: 64,
    pageItems: 200,
    /** Messages. */
    batch: 64,
  },
  /** Processes, and how often one is started (S-29, S-33). */
  mcpServers: {
    running: 20,
    starting: 4,
    starts: 5,
    perMs: 600_000,
    firstDelayMs: 1_000,
    maxDelayMs: 60_000,
    calls: 100,
    /** Agent tokens get only this many of the `calls`. */
    callsOfTokens: 80,
    /** Requests to one server at once. */
    requests: 100,
    initializeMs: 10_000,
    listMs: 10_000,
    callMs: 60_000,
    closeMs: 2_000,
    termMs: 2_000,
    /** Resources, and prompts, of one answer. */
    listed: 1_000,
  },
  /** What the approval of a server looks at (S-18): files that its arguments name, and what lies in a directory. */
  mcpApprovals: { files: 256, filesMs: 10_000, entries: 10_000, entriesMs: 10_000, packages: 5_000, changes: 100 },
  /** Messages of a server (S-30). */
  mcpMessages: {
    bytes: 16 * 1024 * 1024,
    depth: 64,
    values: 250_000,
    /** Of the content of one answer. */
    parts: 2_000,
    /** Up to this length a message is skipped. A longer one counts as a broken server. */
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
  /** S-83, S-84. */
  log: {
    lineBytes: 8 * 1024,
    /** Of one file. */
    bytes: 10 * 1024 * 1024,
    /** Including the file that is written now. */
    files: 5,
  },
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

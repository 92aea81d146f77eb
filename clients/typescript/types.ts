// "npm run openapi" writes this from the OpenAPI document.

/** The minted tokens. */
export type AccessTokenList = {
  /** The tokens, oldest first. */
  tokens: Array<ListedToken>;
};

/** An agent: its rules, references and tools, and settings for its sessions. */
export type Agent = {
  /** Id of the agent: 1 to 64 letters, digits, `_` and `-`. */
  id: string;
  /** Name for people. */
  name: string;
  /** What it is for. */
  description?: string;
  /** The system prompt: the first message of every request. */
  systemPrompt?: string;
  /** Project root: absolute, or starting with `~/`. The agent uses its context files. */
  mountedDirectory?: string;
  /** The directory where the agent works: relative to the mounted directory, or absolute inside it. Default: the mounted directory, and the directories of the files of each request. */
  workingDirectory?: string;
  /** Rules that are stored in the agent. */
  rules?: Array<InlineItem>;
  /** References that are stored in the agent. */
  references?: Array<InlineItem>;
  /** MCP servers, by name. */
  mcpServers?: Record<string, AgentMcpServer>;
  settings?: AgentSettings;
};

/** An agent changed. */
export type AgentChanged = {
  /** The type of the event. */
  type: "agent-changed";
  /** Id of the agent. */
  agentId: string;
  /** What happened to it. */
  change: "created" | "updated" | "deleted";
};

/** A rule, reference or tool that an agent has. */
export type AgentItem = {
  /** Kind of the item. */
  type: "rule" | "reference" | "tool";
  /** Name of the item. */
  name: string;
  /** Name of the MCP server that has the tool. */
  serverName?: string;
  /** `always`: part of every new session. `auto`: part of a request when a file in play matches its globs. `manual`: part of a session when somebody adds it. `agent`: part of a request when search finds it relevant. */
  include: "always" | "auto" | "agent" | "manual";
  /** Description of the item. Empty if there is none. */
  description: string;
  /** Priority of a rule or reference. A lower number comes first. */
  priority?: number;
  /** `file`: a context file. `inline`: stored in the agent. `mcp`: an approved MCP server. */
  source: "file" | "inline" | "mcp";
  /** Absolute path of the context file. */
  path?: string;
  /** SHA-256 of the item, in hexadecimal. It changes when the name, the description, the text or the input schema changes. */
  sha256: string;
};

/** All current items of an agent. */
export type AgentItems = {
  /** First rules and references, by priority and name. Then tools, by server and name. */
  items: Array<AgentItem>;
  /** Mistakes in the user’s files and limits that were reached. */
  warnings: Array<Warning>;
};

/** The agents. */
export type AgentList = {
  /** All agents, sorted by id. */
  agents: Array<AgentSummary>;
};

/** An MCP server of an agent. It starts only after the user has approved it. */
export type AgentMcpServer = LocalAgentServer | RemoteAgentServer;

/** Settings for the sessions of the agent. */
export type AgentSettings = {
  /** Search options for rules and references. */
  search?: SearchOptions;
  /** Search options for tools. */
  toolSearch?: SearchOptions;
  /** Max calls of the model for one message of the user. */
  maxChatTurns?: number;
  /** Max tokens of an answer of the model. */
  maxOutputTokens?: number;
  /** Sampling temperature. */
  temperature?: number;
  /** Nucleus sampling. */
  topP?: number;
  toolPermission?: ToolPermission;
};

/** An agent without its content. */
export type AgentSummary = {
  /** Id of the agent: 1 to 64 letters, digits, `_` and `-`. */
  id: string;
  /** Name for people. */
  name: string;
  /** What it is for. */
  description?: string;
  /** Project root. The agent uses its context files. */
  mountedDirectory?: string;
  /** Number of rules that are stored in the agent. */
  rules: number;
  /** Number of references that are stored in the agent. */
  references: number;
  /** Number of its MCP servers. */
  mcpServers: number;
  /** When the agent was created, ISO 8601 UTC. */
  createdAt: string;
  /** When the agent was last changed, ISO 8601 UTC. */
  updatedAt: string;
  /** Version of the agent, for preconditions. */
  etag: string;
};

/** How often the items of an agent are used. */
export type AgentUsage = {
  /** Id of the agent: 1 to 64 letters, digits, `_` and `-`. */
  agentId: string;
  /** Number of requests with the agent, including those of deleted sessions. */
  requests: number;
  /** All current and former items of the agent, most used first. */
  items: Array<ItemUsage>;
  /** Items that could be removed. Empty until the agent has 20 requests. */
  suggestions: Array<UsageSuggestion>;
  /** Problems with files of the agent. */
  warnings: Array<Warning>;
};

/** Decisions of the user about tool calls. */
export type ApprovalMessage = {
  /** A message with decisions of the user about tool calls. */
  role: "approval";
  /** The decisions, in the form that the client uses. */
  toolCallApprovals: Array<unknown>;
};

/** Approves exactly the definition that was shown. */
export type ApprovalRequest = {
  /** Fingerprint of the definition that the user was shown. */
  fingerprint: string;
  /** Fingerprint of the shown tools, to accept changed tools. */
  toolsFingerprint?: string;
};

/** A reply of the model. */
export type AssistantMessage = {
  /** A reply of the model. */
  role: "assistant";
  /** The answer of the model, in any form. Known forms: a message of OpenAI’s chat completions (also with `tool_calls`, or the whole answer with `choices`); the `output` of OpenAI’s Responses (the whole answer, or a list of its items); a message of Anthropic (whole, or its content blocks, with `tool_use`); a list of such messages with tool results between them; `{turns}` of the management document. Known forms with tool calls keep their form and order in later requests. Tool calls without a result are sent as text. Everything else is sent as text: a string as it is, an object by its `content` or `text`, else its JSON. Empty messages and blank parts are not sent, and a `refusal` is sent as text. At most 768 KiB. */
  modelReply?: unknown;
  /** The items of the request that this message answers. */
  requestContext?: {
    /** The items, in the order of the request. */
    items: Array<RequestContextItem>;
  };
  /** Content of the message in the form of the model’s API, instead of `modelReply`. */
  content?: string | Array<{
    /** Type of the part. */
    type: string;
    [name: string]: unknown;
  }> | null;
  /** Tool calls in the form of OpenAI, instead of `modelReply`. */
  tool_calls?: Array<{
    [name: string]: unknown;
  }>;
  [name: string]: unknown;
};

/** How much the answer may contain. */
export type Budget = {
  /** Max tokens. `resolve` and `explain` count the bodies of all active files. Other requests count what their `budget` says. */
  maxTokens?: number;
  encoding?: TokenEncoding;
};

/** An item that has changed since it was sent. */
export type ChangedItem = {
  /** Kind of the item. */
  type: "rule" | "reference" | "tool";
  /** Name of the item. */
  name: string;
  /** Name of the MCP server that has the tool. Only for tools. */
  serverName?: string;
  /** `changed`: the item is different now. `missing`: the agent does not have it now, because it was removed, excluded, or blocked by a policy. */
  change: "changed" | "missing";
  /** SHA-256 of the item as it is now, in hexadecimal. Absent if the item is missing. */
  sha256?: string;
};

/** The merged `clientContext` of all configurations that apply. */
export type ClientContextConfig = {
  /** Glob patterns of files to add. */
  includeFiles: Array<string>;
  /** Glob patterns of files to leave out. They win over `includeFiles`. */
  excludeFiles: Array<string>;
  /** Whether files of the global scope are ignored. */
  ignoreGlobalContext: boolean;
  /** Whether files of the directories above the working directory are ignored. */
  ignoreAncestorContext: boolean;
};

/** A configuration file that was merged. */
export type ConfigSource = {
  /** Absolute path of the configuration file. */
  path: string;
  scope: Scope;
};

/** A code for one sign-in to the console. */
export type ConsoleCode = {
  /** The code. It is shown only here. */
  code: string;
  /** The address of the console, with the code in its fragment. Browsers do not send the fragment. The host is a name below `localhost`, which browsers resolve to loopback. The name changes each time the daemon starts. If the daemon listens only on another address, the host is that address. */
  url: string;
  /** When the code expires, ISO 8601 UTC. */
  expiresAt: string;
};

/** A session of a signed-in console. */
export type ConsoleSession = {
  /** The token of the session. It is shown only here. */
  token: string;
  /** When the session began, ISO 8601 UTC. */
  createdAt: string;
};

/** What happened to one file or directory. */
export type ContextChange = {
  /** Absolute path of the context file, configuration, policy or directory. */
  path: string;
  /** What happened to it. */
  change: "added" | "changed" | "removed";
};

/** Context files, configurations or context directories changed. */
export type ContextChanged = {
  /** The type of the event. */
  type: "context-changed";
  /** The mounted directories whose context may have changed. Resolve them again. */
  mountedDirectories: Array<string>;
  /** The changes, sorted by path. A removed directory stands for everything in it. */
  changes: Array<ContextChange>;
  /** Present if there are more changes than `changes` lists. */
  truncated?: true;
};

/** A file of the context, its state, and the reason for the state. */
export type ContextFile = {
  /** Name of the item. A request can mention it by this name. */
  name: string;
  type: ItemType;
  /** Absolute path. */
  path: string;
  /** Path relative to the mounted directory; `~/…` for files of the global scope. */
  relativePath: string;
  scope: Scope;
  /** How the file was found: in a context directory, as a rule file of another tool, by an `includeFiles` pattern, or because a file of another tool imports it. */
  source: "context-directory" | "format" | "include" | "import";
  /** The name of the format, for a rule file of another tool and for a file that is only imported. */
  format?: FormatName;
  /** Lines of rule files that import this file. */
  importedBy?: Array<Importer>;
  /** Absolute path of the directory that contains the context directory of this file. */
  owner: string;
  trigger: Trigger;
  /** Description from the front matter. Empty if there is none. */
  description: string;
  /** What the model is told about an `agent` file, if it differs from the description. */
  instructions?: string;
  /** Glob patterns of the files that the context applies to. `*` means all files. */
  globs: Array<string>;
  /** A lower number comes first. */
  priority: number;
  /** Front-matter keys that contextd does not use, as written. */
  properties: Record<string, unknown>;
  /** `active`: the model should see the file. `available`: a request can ask for the file. */
  state: "active" | "available";
  reason: Reason;
  /** Relevance to the query, for files that the query selected. */
  similarityScore?: number;
  /** Body without front matter, or the `part` of the body that is delivered. Only for active files, and not with `content: false`. */
  content?: string;
  /** Other files in the folder of a skill, relative to the folder. To get such a file, put its path or `<name of the skill>/<file>` into `mentions`. */
  supportingFiles?: Array<string>;
  /** Size of the whole file in bytes. */
  bytes: number;
  part?: Part;
  /** Tokens of the body, or of its `part`, in the encoding of the budget. */
  tokens: number;
  /** Tokens of the whole body, if only a part of it is delivered. */
  wholeTokens?: number;
  /** True if the file is larger than the limit and only its beginning is delivered. */
  truncated: boolean;
  /** SHA-256 of the bytes that were read, in hexadecimal. */
  sha256: string;
};

/** One piece of context. */
export type ContextItem = {
  kind: ContextKind;
  /** Name of the item, or the path of a file relative to the mounted directory. */
  name: string;
  /** Absolute path, if the item comes from a file. */
  path?: string;
  /** The lines, counted from 1, from which the content was taken. Absent if the content is the whole file. Lines between the definitions are left out and marked with `…`. */
  range?: {
    /** First line. */
    startLine: number;
    /** Last line, which is included. */
    endLine: number;
  };
  /** Name of the format, for a rule file of another tool. */
  format?: FormatName;
  /** Language of the content, if the file name shows it. */
  language?: string;
  /** Why the item is included. */
  reason: Reason;
  /** Relevance to the query, if the query selected the item. */
  score?: number;
  /** Tokens of the item in its rendered form. */
  tokens: number;
  /** Tokens of the whole item, if only a part of it is here. */
  wholeTokens?: number;
  part?: Part;
  /** SHA-256 of the content, in hexadecimal. */
  sha256: string;
  /** True if the content is cut, because the file is too large or the budget is too small. */
  truncated: boolean;
  /** What the model should see. For a tool: its definition as JSON. */
  content: string;
};

/** `rule`, `reference`, `tool`: items that apply. `map`: names of files. `supplementary`: a file that the user added. `tab`: an open document. `definition`, `file`: what the active document imports, in part or whole. `search`: what the query finds. `changes`: how a file differs from the last commit. */
export type ContextKind = "rule" | "reference" | "tool" | "map" | "supplementary" | "tab" | "definition" | "file" | "search" | "changes";

/** Asks for all context of a prompt. */
export type ContextRequest = {
  /** The project root the editor has open: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** The directory where work happens now: relative to the mounted directory, or absolute inside it. Its rules are used. Default: the directory of each document, else the mounted directory. An agent has its own. */
  workingDirectory?: string;
  /** Open documents, most important first. If a document is listed twice, only the first entry counts. The active document is an item only if it is itself a rule. */
  documents?: Array<OpenDocument>;
  /** The question of the user. It selects rules and files by relevance. */
  query?: string;
  /** Context files the user asks for, by item name, relative path or absolute path. The end of a path from a `/` on is enough if it fits only one file. */
  mentions?: Array<string>;
  expand?: Expand;
  /** The agent whose rules, references and tools are used. Default: the rules and references of the directory. */
  agentId?: string;
  /** The session whose items are used: items of its agent, and items that were added to the session. */
  sessionId?: string;
  /** Formats of other tools to read. Only formats that the daemon reads are possible. Default: all of these. */
  formats?: FormatChoice;
  include?: Include;
  /** Max tokens of all items together. Default 16,000. */
  budget?: Budget;
  /** Form of an additional text with all items. `none` (default): no text. Tokens are counted for this form. */
  render?: "none" | "markdown" | "xml";
};

/** All context of a prompt, under one budget. */
export type ContextResult = {
  /** The items, in the order in which to send them. */
  items: Array<ContextItem>;
  /** What was left out. */
  omitted: Array<OmittedContext>;
  /** What the items cost. */
  usage: {
    /** Tokens of all items in their rendered form, and of the text around them. */
    tokens: number;
    /** The budget. */
    maxTokens: number;
    /** Tokens by kind. */
    kinds: Partial<Record<ContextKind, number>>;
  };
  /** The decision about the active document. Absent if there is none. */
  activeDocument?: {
    /** Whether the document may be used. */
    allowed: boolean;
    /** Why the document may not be used: `sensitive`, `blocked_by_policy`, `blocked_by_ignore_file`, or `outside_roots` (it is outside the mounted directory). The answer then has none of its imports, even if the request had its content. */
    reason?: Reason;
  };
  semantic?: SemanticStatus;
  /** Mistakes in the user’s files and limits that were reached. */
  warnings: Array<Warning>;
  /** SHA-256 of all items, in hexadecimal. The same digest means the same context. */
  digest: string;
  /** All items as one text, if `render` asks for it. */
  text?: string;
};

/** Something in a rule that the other format cannot express. */
export type ConvertLoss = {
  /** Path relative to the mounted directory. */
  path: string;
  /** The written file that lacks it: path relative to the mounted directory. */
  to: string;
  /** What the other format cannot express: a key, `imports`, `links` or `boundaries`. */
  key: string;
  /** Line of the body, counted from 1. */
  line?: number;
  /** What happens to it, for people. */
  message: string;
};

/** Which rules to convert, and to which format. */
export type ConvertRequest = {
  /** The project root: absolute, or starting with `~/`. */
  mountedDirectory: string;
  to: ConvertTarget;
  /** Formats to convert from. `context` means the context directory. Default: all formats that are read. */
  from?: Array<"context" | "agents-md" | "aider" | "antigravity" | "augment" | "claude-md" | "claude-rules" | "cline" | "continue" | "copilot" | "copilot-instructions" | "cursor" | "cursorrules" | "gemini" | "jetbrains" | "junie" | "kilo" | "kiro" | "opencode" | "openhands" | "roo" | "trae" | "windsurf" | "amazon-q" | "qwen" | "gitlab-duo" | "goose" | "warp" | "crush" | "replit" | "firebase-studio" | "grok" | "zed" | "agents-skills" | "antigravity-skills" | "augment-skills" | "claude-skills" | "codex-skills" | "copilot-skills" | "cline-skills" | "continue-skills" | "crush-skills" | "cursor-skills" | "gemini-skills" | "goose-skills" | "grok-skills" | "junie-skills" | "kilo-skills" | "kiro-skills" | "opencode-skills" | "openhands-skills" | "qwen-skills" | "roo-skills" | "trae-skills" | "warp-skills" | "windsurf-skills">;
  /** Replaces the daemon’s client context path (default `.context`) for this request. Relative. */
  clientContextPath?: string;
  /** Replaces the daemon’s global context path for this request. Absolute or `~/…`, inside a granted root. */
  globalContextPath?: string;
};

/** What would be written, and what would be lost. */
export type ConvertResult = {
  /** Absolute path. */
  mountedDirectory: string;
  to: ConvertTarget;
  /** Files to write, sorted by path. The client must check whether a file already exists. */
  files: Array<PlannedFile>;
  /** Rules that a file of the target format already contains. */
  present: Array<{
    /** Path relative to the mounted directory. */
    path: string;
    /** Path relative to the mounted directory. */
    by: string;
  }>;
  /** What the target format cannot express, by file and key. */
  lost: Array<ConvertLoss>;
  /** Rules that are not converted, and why. */
  left: Array<{
    /** Path relative to the mounted directory. */
    path: string;
    reason: Reason;
  }>;
  /** Mistakes in the user’s files and limits that were reached. */
  warnings: Array<Warning>;
};

/** Target of a conversion: `context`, or a format of another tool. */
export type ConvertTarget = "agents-md" | "claude-md" | "claude-rules" | "cline" | "context" | "continue" | "copilot-instructions" | "cursor" | "gemini" | "kiro" | "windsurf";

/** The session was created. */
export type CreatedChange = {
  /** Number of the change. */
  syncId: number;
  /** Time of the change, ISO 8601 UTC. */
  at: string;
  /** The session was created. */
  type: "created";
  /** The items that the session began with. */
  contextItems: Array<SessionContextItem>;
};

/** A difference from the approved definition. Secrets are masked. */
export type DefinitionChange = {
  /** What changed: `command`, `args.0`, `env.NAME`, `files.<path>`, `links.<path>`, `below.<path>`, … */
  field: string;
  /** The approved value. Absent if the field is new. */
  before?: string;
  /** The current value. Absent if the field was removed. */
  after?: string;
};

/** A finding about a file, and how to fix it. */
export type Diagnostic = {
  code: WarningCode;
  /** What happened and how to fix it, for people. */
  message: string;
  /** Absolute path of the file or directory the warning is about. */
  path?: string;
  /** Line in that file, counted from 1. */
  line?: number;
  /** Column in that line, counted from 1. */
  column?: number;
  /** JSON pointer of the field the warning is about. */
  pointer?: string;
  /** `error`: the file, or a part of it, does not work as written. `warning`: it looks wrong. */
  severity: "error" | "warning";
  /** Effects of the finding on other files, for example files that a wrong policy blocks. These files need no fix. */
  consequences?: Array<Warning>;
};

/** The state of the embedding model changed. */
export type EmbedderChanged = {
  /** The type of the event. */
  type: "embedder-changed";
  /** State of the embedding model. `stopped`: it is not needed now. */
  state: "stopped" | "downloading" | "loading" | "ready" | "failed";
  /** Why it failed. */
  detail?: string;
};

/** The data of one event of `GET /v1/events`. Later versions may have more types. Ignore types that you do not know. */
export type Event = ContextChanged | PolicyChanged | SupplementaryChanged | AgentChanged | SessionChanged | McpStateChanged | EmbedderChanged | IndexProgress | Resync;

/** Delay of the event loop in the last half second, in milliseconds: how much later than planned a timer runs. After a minute without requests, all values except `longestMs` are 0. */
export type EventLoop = {
  /** Average delay. */
  meanMs: number;
  /** 99 of 100 delays are at most this long. */
  p99Ms: number;
  /** The longest delay. */
  maxMs: number;
  /** The longest delay since the start. */
  longestMs: number;
  /** Share of the time in which the event loop was busy. */
  utilization: number;
};

/** Server-sent events. */
export type EventStreams = {
  /** Open streams of `GET /v1/events`. */
  open: number;
  /** Max streams that can be open at the same time. */
  most: number;
  /** Events since the start. */
  published: number;
  /** Events that clients had missed and got later. */
  replayed: number;
  /** Events that were not sent, because a client read too slowly. The client got a `resync`. */
  dropped: number;
};

/** A file that was found and left out. */
export type ExcludedFile = {
  /** Absolute path. */
  path: string;
  /** The name of the format, for a rule file of another tool. */
  format?: FormatName;
  reason: Reason;
  /** Lines of rule files that import this file. */
  importedBy?: Array<Importer>;
};

/** Long items to deliver whole if search selects them: names, relative paths, absolute paths, or `all`. Unlike `mentions`, this does not select any item. */
export type Expand = "all" | Array<string>;

/** Asks why context files apply or do not apply. */
export type ExplainRequest = {
  /** The project root the editor has open: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** The directory where work happens now: relative to the mounted directory, or absolute inside it. Default: the directory of each of `files`, else the mounted directory. */
  workingDirectory?: string;
  /** Files in play, relative to the mounted directory or absolute. They need not exist. Those that do not exist, and files outside the mounted directory, are in `omitted`. */
  files?: Array<string>;
  /** Context files the user asks for, by item name, relative path or absolute path. The end of a path from a `/` on is enough if it fits only one file. */
  mentions?: Array<string>;
  /** The question of the user. It selects `agent` files by relevance. */
  query?: string;
  expand?: Expand;
  /** Scopes to look in. Default: all three. */
  scopes?: Array<Scope>;
  /** Whether active files contain their bodies. Default true. */
  content?: boolean;
  budget?: Budget;
  /** Formats of other tools to read. Only formats that the daemon reads are possible. Default: all of these. */
  formats?: FormatChoice;
  /** Replaces the daemon’s client context path (default `.context`) for this request. Relative. */
  clientContextPath?: string;
  /** Replaces the daemon’s global context path for this request. Absolute or `~/…`, inside a granted root. */
  globalContextPath?: string;
  /** The one file to explain: relative to the mounted directory, absolute, or `~/…`. It need not exist and may be anywhere. Default: every candidate. */
  path?: string;
};

/** Why files are active, available or excluded. */
export type ExplainResult = {
  /** All candidate files, sorted by path, or the one file of the request. */
  candidates: Array<Explanation>;
  /** Mistakes in the user’s files and limits that were reached. */
  warnings: Array<Warning>;
};

/** A verdict, and the steps that led to it. */
export type Explanation = {
  /** Absolute path. */
  path: string;
  /** What `resolve` says about the file. */
  verdict: "active" | "available" | "excluded";
  reason: Reason;
  /** True if only the beginning of the file is used. The step `size` says where the file was cut. Absent for excluded files. */
  truncated?: boolean;
  /** The steps that led to the verdict, in order. */
  steps: Array<Step>;
};

/** One mistake inside a request. */
export type FieldProblem = {
  /** JSON pointer (RFC 6901) into the body, or into the query as an object. Empty for the whole body or query. */
  pointer: string;
  /** What is wrong, for people. */
  message: string;
};

/** Searches files of a workspace. */
export type FileSearchRequest = {
  /** The project root the editor has open: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** Letters of the path, in order; gaps are allowed. Words can be in any order. If it is empty, the answer has the first files. */
  query: string;
  /** Max files in the answer. Default: 100. */
  limit?: number;
};

/** The files of a workspace that match a query. */
export type FileSearchResult = {
  /** The files, best match first. */
  files: Array<FoundFile>;
  /** Limits that were reached, and problems with policies. */
  warnings: Array<Warning>;
};

/** Formats of other tools: a list of names, `all` or `none`. */
export type FormatChoice = "all" | "none" | Array<FormatName>;

/** A format of another tool that is read in place. */
export type FormatName = "agents-md" | "aider" | "antigravity" | "augment" | "claude-md" | "claude-rules" | "cline" | "continue" | "copilot" | "copilot-instructions" | "cursor" | "cursorrules" | "gemini" | "jetbrains" | "junie" | "kilo" | "kiro" | "opencode" | "openhands" | "roo" | "trae" | "windsurf" | "amazon-q" | "qwen" | "gitlab-duo" | "goose" | "warp" | "crush" | "replit" | "firebase-studio" | "grok" | "zed" | "agents-skills" | "antigravity-skills" | "augment-skills" | "claude-skills" | "codex-skills" | "copilot-skills" | "cline-skills" | "continue-skills" | "crush-skills" | "cursor-skills" | "gemini-skills" | "goose-skills" | "grok-skills" | "junie-skills" | "kilo-skills" | "kiro-skills" | "opencode-skills" | "openhands-skills" | "qwen-skills" | "roo-skills" | "trae-skills" | "warp-skills" | "windsurf-skills";

/** What another choice of formats would change. Nothing is written. */
export type FormatsChange = {
  /** Absolute path of the configuration to change. It need not exist yet. */
  configuration: string;
  /** Version of the configuration, for preconditions. Absent if there is no configuration. */
  etag?: string;
  /** Current value of `formats` in `clientContext` of the configuration. */
  present?: FormatChoice;
  /** New value of `formats` in `clientContext` of the configuration. */
  formats: FormatChoice;
  /** Files whose state would change, by path. */
  files: Array<{
    /** Absolute path. */
    path: string;
    /** Path relative to the mounted directory. A file outside it has `~/…` or its absolute path. */
    relativePath: string;
    format?: FormatName;
    /** Tokens of the body. */
    tokens?: number;
    /** What the file is now. Absent if contextd does not look for it. */
    before?: {
      /** State as in `resolve`. `excluded`: the file is left out. */
      state: "active" | "available" | "excluded";
      reason: Reason;
    };
    /** What the file would be. Absent if contextd would not look for it. */
    after?: {
      /** State as in `resolve`. `excluded`: the file is left out. */
      state: "active" | "available" | "excluded";
      reason: Reason;
    };
  }>;
  /** MCP servers that would be added or removed, by name. */
  servers: Array<{
    /** Name of the server. */
    name: string;
    /** Whether the server would be added or removed. */
    change: "added" | "removed";
  }>;
  /** What applies now. */
  before: {
    /** Context files that apply. */
    active: number;
    /** Tokens of these files. */
    tokens: number;
  };
  /** What would apply. */
  after: {
    /** Context files that apply. */
    active: number;
    /** Tokens of these files. */
    tokens: number;
  };
};

/** Which rule files of other tools are here, and what each tool sees. */
export type FormatsResult = {
  /** Absolute path. */
  mountedDirectory: string;
  /** Formats that have files here, sorted by name. */
  formats: Array<{
    name: FormatName;
    /** Name of the tool that the format belongs to. */
    tool: string;
    /** Whether settings and configurations enable the format. */
    isRead: boolean;
    /** Path of the configuration that disables the format. Absent if the settings of the daemon disable it. */
    leftOutBy?: string;
    /** Number of files of the format. */
    files: number;
    /** Number of files that apply now. */
    active: number;
    /** Number of files that are left out as duplicates of another file. */
    duplicates: number;
    /** Tokens of the files that apply now, or would apply if the format was enabled. */
    tokens: number;
  }>;
  /** All files of other tools that are read or could be read, least specific first. */
  files: Array<RuleFile>;
  /** Tools that would find files here, sorted by name. */
  tools: Array<ToolView>;
  /** The files that the tool of `as` would see, with reasons. */
  as?: Array<RuleFile>;
  /** What `with` and `without` would change. */
  change?: FormatsChange;
  /** What a request costs. */
  usage: {
    /** Number of all context files that apply now, including those of `.context/`. */
    active: number;
    /** Tokens of these files. */
    tokens: number;
    /** Tokens of the files that always apply, whatever file is in play. */
    alwaysOnTokens: number;
    /** A `maxTokens` that is enough for what applies now. */
    suggestedBudget: number;
  };
  /** Mistakes in the user’s files and limits that were reached. With `as`: only for files that this tool reads. */
  warnings: Array<Warning>;
};

/** Which formats to enable in the configuration of a project. */
export type FormatsWriteRequest = {
  /** The project root: absolute, or starting with `~/`. */
  mountedDirectory: string;
  formats: FormatChoice;
};

/** The choice of formats as it was written. */
export type FormatsWritten = {
  /** Absolute path of the configuration. */
  configuration: string;
  formats: FormatChoice;
  /** Version of the configuration, for preconditions. */
  etag: string;
};

/** A file of the workspace that matches a query. */
export type FoundFile = {
  /** Absolute path. */
  path: string;
  /** Path relative to the mounted directory. */
  relativePath: string;
  /** How well the file matches. 1 is an exact match. */
  score: number;
  /** Whether the item can be used now. */
  enabled: boolean;
  /** Why the item cannot be used now: `outside_roots`, `sensitive`, `configuration` (its text is never delivered), `blocked_by_policy`, `blocked_by_ignore_file`, `symlink`, `not_found`, `unreadable`, `not_regular_file` (a file is expected), `not_directory` (a folder is expected), `io_error`. Empty if the item can be used. */
  disabledReasons: Array<Reason>;
};

/** An item that search found relevant. */
export type FoundItem = {
  /** Kind of the item. */
  type: "rule" | "reference" | "tool";
  /** Name of the item. */
  name: string;
  /** Name of the MCP server that has the tool. */
  serverName?: string;
  /** Absolute path of the context file. */
  path?: string;
  /** Relevance. Scores of the same engine can be compared. */
  score: number;
  /** Engine that computed the score. */
  engine: "semantic" | "keyword" | "hybrid";
  /** The part of the item that matches best. */
  chunk: {
    /** Number of the part, counted from 0. */
    index: number;
    /** Text of the part. */
    text: string;
  };
};

/** A directory whose files may be read. */
export type GrantedRoot = {
  /** Absolute path of the directory. */
  path: string;
  /** `start`: granted when the daemon started. `stored`: granted permanently. `global`: the global context directory. */
  origin: "start" | "stored" | "global";
  /** When it was granted permanently, ISO 8601 UTC. */
  grantedAt?: string;
};

/** The directories whose files may be read. */
export type GrantedRoots = {
  /** All granted roots. */
  roots: Array<GrantedRoot>;
};

/** Health of the daemon. */
export type Health = {
  /** `ok`: everything works. `degraded`: the daemon answers, but some features do not work, because it cannot fully use its store. */
  status: "ok" | "degraded";
  /** What does not work now. Present if the status is `degraded`. Everything else works. `events`: the daemon does not learn what other daemons change or revoke. */
  unavailable?: Array<"agents" | "sessions" | "supplementary" | "tokens" | "approvals" | "writes" | "events">;
  /** Version of the protocol. It rises when a field changes its meaning. */
  protocolVersion: number;
  /** Names of what the daemon can do. A name never changes. */
  capabilities: Array<string>;
  /** HMAC-SHA256 of the challenge with the token as key, in hexadecimal. Present if the request had a challenge. */
  proof?: string;
};

/** A document that contains an agent. */
export type ImportRequest = {
  /** Format of the document. Default `yaml`. JSON is also valid YAML. */
  format?: "yaml" | "json";
  /** The document, in the form of an export. */
  content: string;
  /** Whether to replace an agent with the same id. Default false. */
  replace?: boolean;
};

/** Where a rule file imports another file. */
export type Importer = {
  /** Absolute path of the file that imports. */
  path: string;
  /** Line in that file, counted from 1. */
  line: number;
};

/** What to gather. */
export type Include = {
  /** Rules and references that apply, and tools of the agent. Default true. */
  rules?: boolean;
  /** Files that the user has added. Default true. */
  supplementary?: boolean;
  /** Documents other than the active one. Default true. */
  tabs?: boolean;
  /** What to take from imported files. `files`: whole files. `definitions` (default): only what is imported. `off`: nothing. */
  imports?: "files" | "definitions" | "off";
  /** Files that the query finds. Default true. */
  search?: boolean;
  /** How files of the git repository and open documents differ from the last commit. Default false. */
  changes?: boolean;
  /** The names of the files of the workspace. Default false. */
  map?: boolean;
};

/** `always`: part of every new session. `manual`: part of a session when somebody adds it. `agent`: part of a request when search finds it relevant. */
export type IncludeMode = "always" | "manual" | "agent";

/** Progress of a job. */
export type IndexJob = {
  /** `download`: downloads the model (counted in bytes). `index`: embeds texts (counted in chunks). */
  phase: "download" | "index";
  /** How much of `total` is done. */
  done: number;
  /** Total amount. 0 while it is not known. */
  total: number;
  /** Id of the job, from `POST /v1/search/warm`. */
  jobId: string;
};

/** Progress of a download or an indexing job. */
export type IndexProgress = {
  /** The type of the event. */
  type: "index-progress";
  /** Id of the requested job. Absent if a search started the work. */
  jobId?: string;
  /** `download`: downloads the model (counted in bytes). `index`: embeds texts (counted in chunks). */
  phase: "download" | "index";
  /** How much of `total` is done. */
  done: number;
  /** Total amount. 0 while it is not known. */
  total: number;
  /** State of the job. */
  state: "running" | "finished" | "failed";
  /** Why it failed. */
  detail?: string;
};

/** A rule or reference that is stored in the agent. */
export type InlineItem = {
  /** Name of the item. It is unique among items of its kind. */
  name: string;
  /** Description of the item, for people and for search. */
  description?: string;
  /** A lower number comes first. Default 500. */
  priority?: number;
  /** What the model sees. At most 256 KiB. */
  text: string;
  /** How the item gets into sessions and requests. Default `manual`. */
  include?: IncludeMode;
};

/** An item was added. */
export type ItemAddedChange = {
  /** Number of the change. */
  syncId: number;
  /** Time of the change, ISO 8601 UTC. */
  at: string;
  /** An item was added. */
  type: "item_added";
  item: SessionContextItem;
};

/** An item was removed. */
export type ItemRemovedChange = {
  /** Number of the change. */
  syncId: number;
  /** Time of the change, ISO 8601 UTC. */
  at: string;
  /** An item was removed. */
  type: "item_removed";
  item: SessionContextItem;
};

/** The relevant items, and how they were searched. */
export type ItemSearchResult = {
  /** The selected items, most relevant first. */
  results: Array<FoundItem>;
  /** Items that match but are not selected, most relevant first. Present if the request has `rejected`. */
  rejected?: Array<RejectedItem>;
  /** Number of items that were searched. */
  searched: number;
  semantic: SemanticStatus;
  /** Mistakes in the user’s files and limits that were reached. */
  warnings: Array<Warning>;
};

/** Whether a context file is a rule or a reference. */
export type ItemType = "rule" | "reference";

/** How often an item was part of a request. */
export type ItemUsage = {
  /** Kind of the item. */
  type: "rule" | "reference" | "tool";
  /** Name of the item. */
  name: string;
  /** Name of the MCP server that has the tool. Only for tools. */
  serverName?: string;
  /** Current include mode. Absent if the agent no longer has the item. */
  include?: "always" | "auto" | "agent" | "manual";
  /** Number of requests that had the item. */
  requests: number;
  /** Number of requests, by the include mode that the item had. */
  byMode: {
    /** Included as an `always` item. */
    always: number;
    /** Added to the session, or mentioned. */
    manual: number;
    /** Selected by its globs. */
    auto: number;
    /** Selected by search. */
    agent: number;
  };
  /** Tokens of the item in all these requests together. */
  tokens: number;
  /** Relevance in the requests where search selected the item. */
  scores?: {
    /** Number of these requests. */
    count: number;
    /** Lowest score. */
    min: number;
    /** Mean score. */
    mean: number;
    /** Highest score. */
    max: number;
  };
  /** Time of the last request that had the item, ISO 8601 UTC. */
  lastAt?: string;
};

/** A minted token, and what it uses. */
export type ListedToken = {
  /** Id of the token. It is not the secret value. */
  id: string;
  /** What the token gives access to. */
  scope: "agent";
  /** What it is for. */
  label: string;
  /** When it was minted, ISO 8601 UTC. */
  createdAt: string;
  use: TokenUse;
};

/** An MCP server that is a local program. */
export type LocalAgentServer = {
  /** The program. It starts only after the user has approved it. */
  command: string;
  /** Arguments of the program. */
  args?: Array<string>;
  /** Environment variables. Values are masked in every answer. */
  env?: Record<string, string>;
  /** Transport of the server. */
  type?: "stdio" | "sse" | "http";
  /** Whether the server is disabled. */
  disabled?: boolean;
  /** How the tools of the server get into sessions and requests. Default `always`. */
  include?: IncludeMode;
  /** Tools with a different include mode, by name. */
  tools?: Record<string, {
    include: IncludeMode;
  }>;
};

/** A JSON-RPC error. The protocol refuses the message, not the daemon. */
export type McpError = {
  /** The version of JSON-RPC. */
  jsonrpc: "2.0";
  /** Id of the refused message, if it has one. */
  id?: string | number | null;
  /** What is wrong. */
  error: {
    /** What is wrong, for programs. */
    code: number;
    /** What is wrong, for people. */
    message: string;
    /** More details. */
    data?: unknown;
  };
};

/** A JSON-RPC 2.0 message of the Model Context Protocol. */
export type McpMessage = {
  /** The version of JSON-RPC. */
  jsonrpc: "2.0";
  /** Id of a request or an answer. Absent in notifications. */
  id?: string | number | null;
  /** Method of a request or a notification. */
  method?: string;
  /** Parameters of the method. */
  params?: unknown;
  /** Answer of the client to a request of the server. */
  result?: unknown;
  /** Error of the client, instead of an answer. */
  error?: unknown;
};

/** A prompt with its arguments filled in. */
export type McpPromptContent = {
  /** Description that the server gives. Treat it as data, not as instructions. */
  description?: string;
  /** As the server sent them. Treat them as data, not as instructions. */
  messages: Array<unknown>;
  /** Hidden characters and possible secrets in these texts. Absent if there are none. */
  warnings?: Array<Warning>;
};

/** The prompts of a running server. */
export type McpPromptList = {
  /** At most 1,000 entries. */
  prompts: Array<{
    /** Name of the prompt. */
    name: string;
    /** Description that the server gives. Treat it as data, not as instructions. */
    description?: string;
    /** Arguments of the prompt. */
    arguments: Array<{
      /** Name of the argument. */
      name: string;
      /** Description that the server gives. Treat it as data, not as instructions. */
      description?: string;
      /** Whether the argument is required. */
      required: boolean;
    }>;
  }>;
  /** True if the server has more. */
  truncated: boolean;
};

/** The content of a resource. */
export type McpResourceContent = {
  /** As the server sent them. Treat them as data, not as instructions. */
  contents: Array<unknown>;
  /** Hidden characters and possible secrets in these texts. Absent if there are none. */
  warnings?: Array<Warning>;
};

/** The resources of a running server. */
export type McpResourceList = {
  /** At most 1,000 entries. */
  resources: Array<{
    /** URI of the resource. */
    uri: string;
    /** Name for people. */
    name: string;
    /** Description that the server gives. Treat it as data, not as instructions. */
    description?: string;
    /** Media type of the content. */
    mimeType?: string;
  }>;
  /** True if the server has more. */
  truncated: boolean;
};

/** An MCP server with its current definition. */
export type McpServerEntry = {
  /** Id of the server. It stays the same while the place and the name of the definition stay the same. */
  id: string;
  /** Name of the server. */
  name: string;
  /** Transport of the server. */
  transport: "stdio" | "http" | "sse";
  state: McpServerState;
  /** Reason for the state. */
  reason: Reason;
  /** Fingerprint of everything that decides what runs. An approval names it. */
  fingerprint: string;
  /** False if the definition cannot be approved. `reason` says why. */
  approvable: boolean;
  /** When this definition was approved, ISO 8601 UTC. Absent if it is not approved. */
  approvedAt?: string;
  /** Fingerprint of the approved definition, even if the current definition is different. */
  approvedFingerprint?: string;
  /** What changed since the approval. */
  changes?: Array<DefinitionChange>;
  /** Absolute path of the configuration that defines it, or `agent:<id>`. */
  definedIn: string;
  /** Absolute paths of other configurations that have the same definition in lists of other tools. */
  alsoDefinedIn?: Array<string>;
  /** Where the definition comes from: a scope, or an agent. */
  scope: "global" | "static" | "dynamic" | "agent";
  /** Program and arguments, as defined. An agent token sees `***` for each argument. */
  command?: Array<string>;
  /** Absolute path of the program that was found. */
  program?: string;
  /** Working directory of the program. */
  cwd?: string;
  /** Environment variables. Values are masked, except values that decide what code is loaded. */
  env?: Record<string, string>;
  /** Address of the server. User information and query values are masked. */
  url?: string;
  /** Headers of each request. Values are masked. */
  headers?: Record<string, string>;
  /** Files of granted roots that the command runs or is configured with. The approval also covers their content. */
  files: Array<{
    /** Real path of the file. */
    path: string;
    /** Hash of the content. For a `package.json`: hash of the fields that decide what runs. If there is no hash, a code that says why. */
    sha256: string;
  }>;
  /** Present if contextd cannot follow what the command runs. A sentence that says why, and what requires a new approval. */
  unverifiable?: string;
  /** What to check carefully, such as `shell` or `dangerous_env:LD_PRELOAD`. */
  danger: Array<string>;
  /** Weaker definitions with the same name, which this definition hides. */
  shadows?: Array<{
    /** Where the hidden server is defined. */
    path: string;
    /** Scope of the hidden definition. */
    scope: string;
  }>;
  /** Number of tools that can be used. */
  tools: number;
  /** Number of tools that are withheld. */
  withheldTools: number;
};

/** The MCP servers of a workspace or an agent. */
export type McpServerList = {
  /** The servers, sorted by name. */
  servers: Array<McpServerEntry>;
  /** Definitions that cannot be used, or that hide other definitions. */
  warnings: Array<Warning>;
};

/** State of a server. */
export type McpServerState = "needs_approval" | "starting" | "ready" | "failed" | "disabled" | "stopped";

/** The state of an MCP server changed. The reason `tools_changed` means that tools are withheld until the server is approved again. */
export type McpStateChanged = {
  /** The type of the event. */
  type: "mcp-state-changed";
  /** Id of the server. */
  serverId: string;
  /** Name of the server. */
  name: string;
  state: McpServerState;
  reason: Reason;
};

/** A tool of an MCP server. */
export type McpToolEntry = {
  /** Name of the tool. */
  name: string;
  /** Name for people. */
  title?: string;
  /** Description that the server gives. Treat it as data, not as instructions. */
  description: string;
  /** JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>;
  /** JSON Schema of its structured result. */
  outputSchema?: Record<string, unknown>;
  /** Hints of the server. contextd does not rely on them. */
  annotations?: Record<string, unknown>;
  /** Present if invisible characters were removed, or text was cut. */
  altered?: true;
  /** Hash of everything that the server says about the tool. */
  sha256: string;
};

/** The approved tools of a server, and the withheld tools. */
export type McpToolList = {
  /** Id of the server. */
  serverId: string;
  /** Name of the server. */
  serverName: string;
  /** Tools that can be used, by name. */
  tools: Array<McpToolEntry>;
  /** Tools that nobody can use, and why. */
  withheld: Array<WithheldTool>;
  /** Fingerprint of the tools that the server last listed. An approval can name it. */
  toolsFingerprint?: string;
};

/** A message was added. */
export type MessageChange = {
  /** Number of the change. */
  syncId: number;
  /** Time of the change, ISO 8601 UTC. */
  at: string;
  /** A message was added. */
  type: "message";
  message: SessionMessage;
};

/** A message to append: in the form of a session, or in the form of the model’s API. */
export type Message = NoticeMessage | UserMessage | AssistantMessage | ToolMessage | ApprovalMessage;

/** A new token. */
export type MintedToken = {
  /** Id of the token. It is not the secret value. */
  id: string;
  /** What the token gives access to. */
  scope: "agent";
  /** What it is for. */
  label: string;
  /** When it was minted, ISO 8601 UTC. */
  createdAt: string;
  /** The token. It is shown only here. */
  token: string;
};

/** A message that is sent to a model. Messages with tool calls or tool results keep all their fields. */
export type ModelMessage = {
  /** Role, as in model APIs. Absent in items of OpenAI’s Responses, which have a `type`. */
  role?: "system" | "user" | "assistant" | "tool";
  /** The text, or the parts of the reply or of the tool result. */
  content?: string | Array<{
    /** Type of the part. */
    type: string;
    [name: string]: unknown;
  }> | null;
  [name: string]: unknown;
};

/** An agent. Its id is in the path. */
export type NamedAgent = {
  /** Id of the agent: 1 to 64 letters, digits, `_` and `-`. */
  id?: string;
  /** Name for people. */
  name: string;
  /** What it is for. */
  description?: string;
  /** The system prompt: the first message of every request. */
  systemPrompt?: string;
  /** Project root: absolute, or starting with `~/`. The agent uses its context files. */
  mountedDirectory?: string;
  /** The directory where the agent works: relative to the mounted directory, or absolute inside it. Default: the mounted directory, and the directories of the files of each request. */
  workingDirectory?: string;
  /** Rules that are stored in the agent. */
  rules?: Array<InlineItem>;
  /** References that are stored in the agent. */
  references?: Array<InlineItem>;
  /** MCP servers, by name. */
  mcpServers?: Record<string, AgentMcpServer>;
  settings?: AgentSettings;
};

/** A rule or reference. Its name is in the path. */
export type NamedInlineItem = {
  /** Name of the item. If present, it must be the same as in the path. */
  name?: string;
  /** Description of the item, for people and for search. */
  description?: string;
  /** A lower number comes first. Default 500. */
  priority?: number;
  /** What the model sees. At most 256 KiB. */
  text: string;
  /** How the item gets into sessions and requests. Default `manual`. */
  include?: IncludeMode;
};

/** A message of the user, and where work happens. */
export type NewRequest = {
  /** The message of the user, at most 256 KiB. It is sent unchanged. */
  message: string;
  /** Files in play, relative to the mounted directory of the agent or absolute. Files outside it, which are ignored, and files that do not exist are in `omitted`. */
  files?: Array<string>;
  /** Open documents, as in `POST /v1/context`. They are in play, and their unsaved text is used. What the active document imports and what the message finds is sent too. */
  documents?: Array<OpenDocument>;
  /** What else is sent, as in `POST /v1/context`. It gets the tokens that items, history and message leave of the budget, or 16,000 tokens without a budget. Without this and `documents`, nothing is added. `rules` says whether the items of the session are sent. */
  include?: Include;
  /** Items for this request only, by name, relative path or absolute path; tools also as `<server>/<tool>`. Their include mode is `manual`. */
  mentions?: Array<string>;
  expand?: Expand;
  /** Search options for `agent` items. They override the settings of the session and the agent. */
  search?: SearchOptions;
  /** Search options for tools, if they differ from `search`. */
  toolSearch?: SearchOptions;
  /** Max tokens of messages and tools together. What does not fit is left out in this order: `agent` items, least relevant first; `auto` items, last first; messages, oldest first; `manual` items, then `always` items, last first. The system prompt and the message always stay. */
  budget?: Budget;
};

/** The agent and the settings of a new session. */
export type NewSession = {
  /** Id of the agent: 1 to 64 letters, digits, `_` and `-`. */
  agentId: string;
  /** The new session gets the items of this session, with their modes, before the `always` items. */
  parentSessionId?: string;
  /** Settings that differ from those of the agent. */
  settings?: AgentSettings;
};

/** A message that is not sent to a model. */
export type NoticeMessage = {
  /** Role of the message. */
  role: "system" | "error";
  /** The text, at most 256 KiB. */
  content: string;
};

/** Something that was found but is not sent. */
export type OmittedContext = {
  kind: ContextKind;
  /** Name of the item, if it has one. */
  name?: string;
  /** Absolute path. For an import that leads nowhere: the import as written. */
  path?: string;
  /** As in `excluded` of resolve and in `omitted` of retrieve, or `over_budget`, or `missing`. */
  reason: Reason;
  /** Tokens that it would have used, if known. */
  tokens?: number;
};

/** A file whose body did not fit. */
export type OmittedFile = {
  /** Absolute path. */
  path: string;
  /** Tokens that it would have used. */
  tokens: number;
  reason: Reason;
};

/** Messages that were left out. */
export type OmittedHistory = {
  /** Earlier messages. */
  type: "history";
  /** Number of left-out messages. They are the oldest. */
  messages: number;
  /** Tokens that it would have used. */
  tokens: number;
  reason: Reason;
};

/** Something that was found but left out. */
export type OmittedItem = {
  /** Where it comes from: the list of the user, an open tab, an import of the active document, or the query. */
  origin: "supplementary" | "open-tab" | "import" | "search";
  /** Absolute path. For an import that leads nowhere: the import as written. */
  path: string;
  /** `over_budget`, `excluded_by_config` (a configuration excludes it), `blocked_by_policy`, `blocked_by_ignore_file`, `sensitive`, `configuration` (its text is never delivered), `not_found`, `unreadable`, `symlink`, `not_regular_file`, `binary`, `invalid_utf8`, `outside_roots`, `parse_failed`, `parse_timeout`, `outside_workspace` (the import leads above the mounted directory, where contextd does not look), `unsupported` (contextd cannot tell what the import means), `limit_reached`. */
  reason: Reason;
  /** Tokens that it would have used, if known. */
  tokens?: number;
};

/** Something that was left out of a request. Reasons: `over_budget`, `missing`, `limit_reached`; for a file in play, `outside_roots` or `not_found`; for the workspace, the reasons of `POST /v1/context`. */
export type OmittedPart = OmittedRequestItem | OmittedRequestFile | OmittedHistory | OmittedRequestContext;

/** A path of the request that is not in the answer. */
export type OmittedPath = {
  /** Absolute path. */
  path: string;
  /** `outside_roots`: the path is outside the mounted directory. The answer does not say whether it exists. */
  reason: Reason;
};

/** Something of the workspace that was left out. */
export type OmittedRequestContext = {
  kind: ContextKind;
  /** Name of the item, if it has one. */
  name?: string;
  /** Absolute path. For an import that leads nowhere: the import as written. */
  path?: string;
  /** As in `excluded` of resolve and in `omitted` of retrieve, or `over_budget`, or `missing`. */
  reason: Reason;
  /** Tokens that it would have used. */
  tokens: number;
  /** Context of the workspace. */
  type: "context";
};

/** A file in play that is ignored. */
export type OmittedRequestFile = {
  /** One of `files`. */
  type: "file";
  /** Absolute path. */
  path: string;
  /** Tokens that it would have used. */
  tokens: number;
  reason: Reason;
};

/** An item that was left out. */
export type OmittedRequestItem = {
  /** Kind of the item. */
  type: "rule" | "reference" | "tool";
  /** Name of the item. */
  name: string;
  /** Name of the MCP server that has the tool. Only for tools. */
  serverName?: string;
  /** Include mode that the item would have had. */
  includeMode: "always" | "auto" | "agent" | "manual";
  /** Relevance, if search selected the item. */
  similarityScore?: number;
  /** Tokens that it would have used. */
  tokens: number;
  reason: Reason;
};

/** A document that is open in an editor. */
export type OpenDocument = {
  /** Relative to the mounted directory, or absolute. It need not exist. */
  path: string;
  /** The text in the editor, if it differs from the file on disk. The text of a rule file, a configuration or a policy is then used instead of the file, even if the file does not exist yet. All texts together have at most 1 MiB, the max size of a request. */
  content?: string;
  /** The editor’s name of the language. If it is absent or empty, the name of the file decides. */
  language?: string;
  /** The cursor in the active document. Imports that are used near it come first. Definitions of the name under it are complete. */
  cursor?: Position;
  /** The selection in the active document. Names in it count like the name under the cursor. */
  selection?: {
    start: Position;
    end: Position;
  };
  /** True for the active document. Default: the first document is active. */
  isActive?: boolean;
};

/** The part of a long item that is delivered if search selected the item: its description, or the section that matches the question. The text of the part says how large the whole item is and how to get it. */
export type Part = "description" | "section";

/** Whether the content of a file may be given to an AI system, and why. */
export type PathDecision = {
  /** Whether the content may be given to an AI system. */
  allowed: boolean;
  /** `no_policy`: no policy covers the file. The default of the daemon decides; the global context is always allowed. `policy_allow`, `policy_block`: the policy says so. A policy file itself is always blocked. `policy_exception`: an `exclude` pattern reverses the policy. `policy_invalid`: the policy cannot be used, which blocks. `sensitive`: the file is never delivered to anyone. `configuration`: the text of a configuration is never delivered. `outside_roots`: the file is in no granted root, or a link on the way to it leads nowhere. `blocked_by_ignore_file`: an ignore file of another tool excludes the file. `limit_reached`: the decision took too long, which blocks. */
  reason: Reason;
  /** The file that decided. Null if no file decided. */
  decidedBy: {
    /** Absolute path of the policy or ignore file that decided. */
    path: string;
    /** The pattern that decided. */
    pattern?: string;
    /** Line of the pattern, or of `ai_context_policy`. */
    line?: number;
  } | null;
  /** Absolute path of the file. */
  path: string;
};

/** A file to write. */
export type PlannedFile = {
  /** Path relative to the mounted directory. */
  path: string;
  /** Whole text of the file. */
  content: string;
  /** The files that it is made from, relative to the mounted directory. */
  from: Array<string>;
  /** SHA-256 of the existing file, in hexadecimal. Present if `content` is the existing text with more text at the end. */
  replaces?: string;
};

/** Policies or ignore files changed. Decisions about the mounted directories may be different now. */
export type PolicyChanged = {
  /** The type of the event. */
  type: "policy-changed";
  /** The mounted directories whose context may have changed. Resolve them again. */
  mountedDirectories: Array<string>;
  /** The changes, sorted by path. A removed directory stands for everything in it. */
  changes: Array<ContextChange>;
  /** Present if there are more changes than `changes` lists. */
  truncated?: true;
};

/** Which files to decide about. */
export type PolicyCheckRequest = {
  /** The project root: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** Files: relative to the mounted directory, or absolute. They need not exist. */
  paths: Array<string>;
};

/** What the policies say about each file. */
export type PolicyCheckResult = {
  /** One decision for each path, in the order of the request. */
  decisions: Array<PathDecision>;
  /** Problems with the policies that were read. */
  warnings: Array<Warning>;
};

/** An AI context policy of a tree. */
export type PolicyDocument = {
  /** Absolute path of the policy file. */
  path: string;
  /** Directory of the policy. The policy decides about the files below it. */
  directory: string;
  /** What the policy says. `block` if the file cannot be used. */
  aiContextPolicy: "allow" | "block";
  /** Glob patterns of the exceptions. */
  exclude: Array<string>;
  /** Version of the format. */
  version: 1;
  /** False if the file cannot be used. It then blocks everything below its directory. */
  valid: boolean;
  /** Version of the file, for preconditions. Absent if the file cannot be opened. */
  etag?: string;
  /** Text of the file. Absent if it cannot be read as text. */
  text?: string;
};

/** The policies of a tree. */
export type PolicyList = {
  /** The directory of the request as an absolute path. */
  mountedDirectory: string;
  /** All policies of the tree, sorted by path. */
  policies: Array<PolicyDocument>;
  /** Problems with the policies that were read. */
  warnings: Array<Warning>;
};

/** What a policy would allow. */
export type PolicyPreview = {
  /** Number of files below the directory that would be allowed. */
  allowed: number;
  /** Number of files that would be blocked, including sensitive files. */
  blocked: number;
  /** Some decisions of both kinds, sorted by path. */
  sample: Array<PathDecision>;
  /** Differences from the current policies. */
  changes: {
    /** Number of files that are blocked now and would be allowed. */
    allowed: number;
    /** Number of files that are allowed now and would be blocked. */
    blocked: number;
    /** Some of these new decisions, sorted by path. */
    sample: Array<PathDecision>;
  };
  /** Whether a limit prevented some files from being counted. */
  truncated: boolean;
  /** Problems with the policies that were read. */
  warnings: Array<Warning>;
};

/** Settings of a policy. */
export type PolicySettings = {
  /** The project root: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** Directory of the policy: relative to the mounted directory, or absolute inside it. Default: the mounted directory. */
  directory?: string;
  /** What applies to all files that `exclude` does not match. */
  aiContextPolicy: "allow" | "block";
  /** Glob patterns of the exceptions, relative to the directory of the policy. */
  exclude: Array<string>;
  /** Which of the two file names is meant, if a directory has both. Default: the one that is there, else `.ai-context-policy.yaml`. */
  name?: ".ai-context-policy.yaml" | ".ai-context-policy.yml";
};

/** A policy that is not written yet. */
export type PolicySettingsPreview = {
  /** The project root: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** Directory of the policy: relative to the mounted directory, or absolute inside it. Default: the mounted directory. */
  directory?: string;
  /** What the policy would say. Without this and `exclude`, the existing policies are used, and `name` has no effect. */
  aiContextPolicy?: "allow" | "block";
  /** Glob patterns of the exceptions, relative to the directory of the policy. */
  exclude?: Array<string>;
  /** Which of the two file names is meant, if a directory has both. Default: the one that is there, else `.ai-context-policy.yaml`. */
  name?: ".ai-context-policy.yaml" | ".ai-context-policy.yml";
  /** Max decisions to show of each list. Default: 100. */
  limit?: number;
};

/** Text of a policy file. */
export type PolicyText = {
  /** The project root: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** Directory of the policy: relative to the mounted directory, or absolute inside it. Default: the mounted directory. */
  directory?: string;
  /** The whole text of the file. It is written byte for byte. */
  text: string;
  /** Which of the two file names is meant, if a directory has both. Default: the one that is there, else `.ai-context-policy.yaml`. */
  name?: ".ai-context-policy.yaml" | ".ai-context-policy.yml";
};

/** A policy file that is not written yet. */
export type PolicyTextPreview = {
  /** The project root: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** Directory of the policy: relative to the mounted directory, or absolute inside it. Default: the mounted directory. */
  directory?: string;
  /** The whole text of the file. It is written byte for byte. */
  text: string;
  /** Which of the two file names is meant, if a directory has both. Default: the one that is there, else `.ai-context-policy.yaml`. */
  name?: ".ai-context-policy.yaml" | ".ai-context-policy.yml";
  /** Max decisions to show of each list. Default: 100. */
  limit?: number;
};

/** A position in a text, counted as in editors and language servers. */
export type Position = {
  /** Line, counted from 0. */
  line: number;
  /** UTF-16 code unit in the line, counted from 0. */
  column: number;
};

/** Why a request was refused or failed. */
export type Problem = {
  /** Stable URI of the kind of problem: `urn:contextd:problem:<code>`. */
  type: string;
  /** The kind of problem, for people. It is the same for every problem with this code. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** The kind of problem, for programs. */
  code: "invalid_request" | "unauthorized" | "forbidden_host" | "forbidden_origin" | "forbidden_scope" | "path_outside_roots" | "approval_required" | "approval_stale" | "not_found" | "conflict" | "version_mismatch" | "payload_too_large" | "unsupported_media_type" | "limit_exceeded" | "storage_full" | "unavailable" | "upstream_failed" | "upstream_timeout" | "internal";
  /** Details of this problem, for people. */
  detail?: string;
  /** The mistakes inside the request, if they can be located. */
  errors?: Array<FieldProblem>;
  /** Id of the request, as in the `x-request-id` header and in the log. */
  requestId: string;
};

/** A prompt of a server. */
export type PromptRequest = {
  /** Name of the prompt, from the list of prompts. */
  name: string;
  /** Arguments of the prompt, by name. */
  arguments?: Record<string, string>;
};

/** What was read from disk since the start. Unchanged files are not read again. */
export type Reads = {
  /** Files read from disk. */
  filesRead: number;
  /** Directories listed on disk. */
  directoriesListed: number;
  /** Context files parsed. */
  filesParsed: number;
  /** Reads refused by a policy or the list of sensitive files. */
  blocked: number;
  /** How often the process that parses source code was started. */
  parserStarts: number;
  /** How often that process crashed or took too long. */
  parserFailures: number;
  /** Caches in memory. Each one has a limit. */
  caches: {
    /** Cache of file contents. */
    contents: {
      /** Number of entries. */
      entries: number;
      /** Size: about how many bytes, or for listings, how many directory entries. */
      weight: number;
    };
    /** Cache of directory listings. */
    listings: {
      /** Number of entries. */
      entries: number;
      /** Size: about how many bytes, or for listings, how many directory entries. */
      weight: number;
    };
    /** Cache of answers of `resolve`. */
    results: {
      /** Number of entries. */
      entries: number;
      /** Size: about how many bytes, or for listings, how many directory entries. */
      weight: number;
    };
  };
};

/** A reason: why something has its state or its result. */
export type Reason = {
  code: ReasonCode;
  /** Details, for people. */
  detail?: string;
};

/** Code of a reason, for programs. Later versions may have more codes. Treat an unknown code like any other. */
export type ReasonCode = "added_by_user" | "added_to_session" | "asked_for" | "below_min_score" | "beyond_top_k" | "beyond_top_n" | "binary" | "blocked_by_ignore_file" | "blocked_by_policy" | "cancelled" | "cannot_be_said" | "changed" | "configuration" | "disabled" | "duplicate" | "duplicate_name" | "empty" | "excluded_by_config" | "exited" | "format_not_read" | "glob_matched" | "ignored_ancestor" | "ignored_global" | "imported" | "importer_not_active" | "included" | "invalid_name" | "invalid_schema" | "invalid_utf8" | "io_error" | "keyword_match" | "limit_reached" | "mentioned" | "missing" | "needs_mention" | "needs_query_or_mention" | "no_glob_matched" | "no_policy" | "not_approvable" | "not_directory" | "not_executable" | "not_included" | "not_on_the_way" | "not_regular_file" | "not_relevant" | "not_started" | "open" | "outside_repository" | "outside_roots" | "outside_workspace" | "over_budget" | "parse_failed" | "parse_timeout" | "personal" | "policy_allow" | "policy_block" | "policy_exception" | "policy_invalid" | "protocol" | "pseudo_file" | "ready" | "refused" | "rejected" | "restarting" | "semantic_match" | "semantic_unavailable" | "sensitive" | "skill" | "starting" | "stopped_by_user" | "suspicious_unicode" | "symlink" | "timeout" | "too_large" | "too_many_starts" | "tools_changed" | "trigger_always" | "undecodable_name" | "unreachable" | "unreadable" | "unresolved_variable" | "unsupported" | "unsupported_type" | "invalid_request" | "unauthorized" | "forbidden_host" | "forbidden_origin" | "forbidden_scope" | "path_outside_roots" | "approval_required" | "approval_stale" | "not_found" | "conflict" | "version_mismatch" | "payload_too_large" | "unsupported_media_type" | "limit_exceeded" | "storage_full" | "unavailable" | "upstream_failed" | "upstream_timeout" | "internal";

/** A past request exactly as it was sent. */
export type RebuiltRequest = {
  /** Id of the request. */
  requestId: string;
  /** The items that were used, and why. */
  requestContext: {
    /** All items that were sent, in the order in which they were chosen. */
    items: Array<SentItem>;
    /** Parts of the workspace, in the order in which they are sent. Absent if the request did not ask for them. */
    context?: Array<SentContext>;
  };
  /** What was left out, in order of removal. */
  omitted: Array<OmittedPart>;
  usage: RequestUsage;
  semantic: SemanticStatus;
  /** Problems with files of the agent, and mentions that match nothing. */
  warnings: Array<Warning>;
  /** Files in play, as written in the request. */
  files?: Array<string>;
  /** Documents that were open. Their unsaved text is not stored. */
  documents?: Array<{
    /** Relative to the mounted directory, or absolute. It need not exist. */
    path: string;
    /** The editor’s name of the language. If it is absent or empty, the name of the file decides. */
    language?: string;
    /** The cursor in the active document. Imports that are used near it come first. Definitions of the name under it are complete. */
    cursor?: Position;
    /** The selection in the active document. Names in it count like the name under the cursor. */
    selection?: {
      start: Position;
      end: Position;
    };
    /** True for the active document. Default: the first document is active. */
    isActive?: boolean;
  }>;
  /** The `include` of the request. */
  include?: Include;
  /** The `mentions` of the request. */
  mentions?: Array<string>;
  expand?: Expand;
  /** Search options for rules and references, merged from request, session and agent. */
  search?: SearchOptions;
  /** Search options for tools, merged in the same way. */
  toolSearch?: SearchOptions;
  /** The budget of the request. */
  budget?: Budget;
  /** The session of the request. */
  sessionId: string;
  /** Id of the agent: 1 to 64 letters, digits, `_` and `-`. */
  agentId: string;
  /** When the request was made, ISO 8601 UTC. */
  createdAt: string;
  /** The message of the user. */
  message: string;
  /** Number of the change that added the message. */
  syncId: number;
  /** Number of the change that added the reply. Absent until there is a reply. */
  replySyncId?: number;
  /** Messages for the model, in this order: system prompt, history, references, rules, context of the workspace, message of the user. */
  messages: Array<ModelMessage>;
  /** Tools among the items, with their definitions. */
  tools: Array<ToolDefinition>;
  /** Items that have changed since then. The answer shows them as they were sent. */
  changedItems: Array<ChangedItem>;
};

/** An item that search did not select, and why. */
export type RejectedItem = {
  /** Kind of the item. */
  type: "rule" | "reference" | "tool";
  /** Name of the item. */
  name: string;
  /** Name of the MCP server that has the tool. */
  serverName?: string;
  /** Absolute path of the context file. */
  path?: string;
  /** Relevance. Scores of the same engine can be compared. */
  score: number;
  /** Engine that computed the score. */
  engine: "semantic" | "keyword" | "hybrid";
  /** The part of the item that matches best. */
  chunk: {
    /** Number of the part, counted from 0. */
    index: number;
    /** Text of the part. */
    text: string;
  };
  /** `below_min_score`: the score is too low. `beyond_top_n`: other items are better, and the score is below `includeScore`. `beyond_top_k`: as many items as `topK` are better. */
  reason: Reason;
};

/** An MCP server that has an address. */
export type RemoteAgentServer = {
  /** The address of the server. It is called only after the user has approved the server. */
  url: string;
  /** Headers of each request. Values are masked in every answer. */
  headers?: Record<string, string>;
  /** Transport of the server. */
  type?: "stdio" | "sse" | "http";
  /** Whether the server is disabled. */
  disabled?: boolean;
  /** How the tools of the server get into sessions and requests. Default `always`. */
  include?: IncludeMode;
  /** Tools with a different include mode, by name. */
  tools?: Record<string, {
    include: IncludeMode;
  }>;
};

/** The message that contains the reply. */
export type ReplyAnswer = {
  message: SessionMessage;
  /** `lastSyncId` of the session after the reply. */
  lastSyncId: number;
};

/** The answer of the model to a request. */
export type Reply = {
  /** The answer of the model, in any form. Known forms: a message of OpenAI’s chat completions (also with `tool_calls`, or the whole answer with `choices`); the `output` of OpenAI’s Responses (the whole answer, or a list of its items); a message of Anthropic (whole, or its content blocks, with `tool_use`); a list of such messages with tool results between them; `{turns}` of the management document. Known forms with tool calls keep their form and order in later requests. Tool calls without a result are sent as text. Everything else is sent as text: a string as it is, an object by its `content` or `text`, else its JSON. Empty messages and blank parts are not sent, and a `refusal` is sent as text. At most 768 KiB. */
  modelReply: unknown;
};

/** An item that was used for a request, and why. */
export type RequestContextItem = RequestRuleOrReference | RequestTool;

/** Results of requests since the start. */
export type RequestCounts = {
  /** Sum of `succeeded`, `refused`, `shed`, `failed` and `aborted`. */
  total: number;
  /** Answered with a status below 400. */
  succeeded: number;
  /** Answered with a 4xx status, for example without a token, or not valid. */
  refused: number;
  /** Answered with 503 and `Retry-After`, because the daemon had too much to do. */
  shed: number;
  /** Answered with another 5xx status. */
  failed: number;
  /** Not answered, because the client closed the connection. */
  aborted: number;
  /** Requests that the daemon is answering now, including this one, without streams. */
  inFlight: number;
  /** Half of the answers took at most about this long. */
  p50Ms: number;
  /** 99 of 100 answers took at most about this long. */
  p99Ms: number;
};

/** Past requests of a session. */
export type RequestList = {
  /** Requests, the newest first. */
  requests: Array<StoredReceipt>;
  /** Present if there are more. Send it as `after` to get the next page. */
  next?: number;
  /** Stored requests that are damaged and were left out. */
  warnings: Array<Warning>;
};

/** What to send to the model, and why. */
export type RequestReceipt = {
  /** Id of the request. */
  requestId: string;
  /** The items that were used, and why. */
  requestContext: {
    /** All items that are sent, in the order in which they were chosen. */
    items: Array<RequestContextItem>;
    /** Parts of the workspace, in the order in which they are sent. Absent if the request did not ask for them. */
    context?: Array<SentContext>;
  };
  /** What was left out, in order of removal. */
  omitted: Array<OmittedPart>;
  usage: RequestUsage;
  semantic: SemanticStatus;
  /** Problems with files of the agent, and mentions that match nothing. */
  warnings: Array<Warning>;
  /** Messages for the model, in this order: system prompt, history, references, rules, context of the workspace, message of the user. */
  messages: Array<ModelMessage>;
  /** Tools among the items, with their definitions. */
  tools: Array<ToolDefinition>;
  /** `lastSyncId` of the session after the message was added. */
  lastSyncId: number;
};

/** A rule or reference that was used for a request. */
export type RequestRuleOrReference = {
  /** Whether a context file is a rule or a reference. */
  type: "rule" | "reference";
  /** Name of the item. */
  name: string;
  /** Include mode: why the item is part of the request. */
  includeMode: "always" | "auto" | "agent" | "manual";
  /** Relevance to the message, for `agent` items. */
  similarityScore?: number;
  /** Why the item is included: `trigger_always`, `added_to_session`, `mentioned` (with the name), `glob_matched` (with the glob and the file), `semantic_match` (with score and engine), `imported` (with the importing file). Absent in old requests, which do not store it. */
  reason?: Reason;
  /** SHA-256 of the item, in hexadecimal. It changes when the name, the description, the text or the input schema changes. */
  sha256: string;
  part?: Part;
  /** Tokens that are sent. For a rule or reference: its text or part, with the word “Rule:” or “Reference:” before it. For a tool: its definition. */
  tokens: number;
  /** Tokens of the whole item, if only a part is sent. */
  wholeTokens?: number;
};

/** A tool that was used for a request. */
export type RequestTool = {
  /** A tool of an MCP server. */
  type: "tool";
  /** Name of the item. */
  name: string;
  /** Name of the MCP server that has the tool. */
  serverName: string;
  /** Include mode: why the item is part of the request. */
  includeMode: "always" | "auto" | "agent" | "manual";
  /** Relevance to the message, for `agent` items. */
  similarityScore?: number;
  /** Why the item is included: `trigger_always`, `added_to_session`, `mentioned` (with the name), `glob_matched` (with the glob and the file), `semantic_match` (with score and engine), `imported` (with the importing file). Absent in old requests, which do not store it. */
  reason?: Reason;
  /** SHA-256 of the item, in hexadecimal. It changes when the name, the description, the text or the input schema changes. */
  sha256: string;
  part?: Part;
  /** Tokens that are sent. For a rule or reference: its text or part, with the word “Rule:” or “Reference:” before it. For a tool: its definition. */
  tokens: number;
  /** Tokens of the whole item, if only a part is sent. */
  wholeTokens?: number;
};

/** What a request costs, in tokens. */
export type RequestUsage = {
  /** Tokens of all messages and tools. */
  tokens: number;
  /** Tokens of the system prompt. */
  systemPrompt: number;
  /** Tokens of earlier messages. */
  history: number;
  /** Tokens of rules, references and tools. */
  items: number;
  /** Tokens of the message of the user. */
  message: number;
  /** Tokens of the workspace context, if the request asked for it. */
  context?: number;
  /** The budget, if there was one. */
  maxTokens?: number;
  /** Present if the tokens were estimated: four bytes are one token. */
  estimated?: true;
};

/** Asks which context applies. */
export type ResolveRequest = {
  /** The project root the editor has open: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** The directory where work happens now: relative to the mounted directory, or absolute inside it. Default: the directory of each of `files`, else the mounted directory. */
  workingDirectory?: string;
  /** Files in play, relative to the mounted directory or absolute. They need not exist. Those that do not exist, and files outside the mounted directory, are in `omitted`. */
  files?: Array<string>;
  /** Context files the user asks for, by item name, relative path or absolute path. The end of a path from a `/` on is enough if it fits only one file. */
  mentions?: Array<string>;
  /** The question of the user. It selects `agent` files by relevance. */
  query?: string;
  expand?: Expand;
  /** Scopes to look in. Default: all three. */
  scopes?: Array<Scope>;
  /** Whether active files contain their bodies. Default true. */
  content?: boolean;
  budget?: Budget;
  /** Formats of other tools to read. Only formats that the daemon reads are possible. Default: all of these. */
  formats?: FormatChoice;
  /** Replaces the daemon’s client context path (default `.context`) for this request. Relative. */
  clientContextPath?: string;
  /** Replaces the daemon’s global context path for this request. Absolute or `~/…`, inside a granted root. */
  globalContextPath?: string;
};

/** The context that applies, and why. */
export type ResolveResult = {
  /** Absolute path. */
  mountedDirectory: string;
  /** Absolute paths of the AI working directories that were used. */
  workingDirectories: Array<string>;
  /** Active and available files, least specific first. */
  files: Array<ContextFile>;
  /** Files that were found and left out, ordered by path. */
  excluded: Array<ExcludedFile>;
  /** The merged configuration that was applied. */
  config: {
    clientContext: ClientContextConfig;
    /** MCP servers, merged by name. The nearest definition is used as a whole. */
    mcpServers: Record<string, ShownMcpServer>;
  };
  /** Configuration files that were used, weakest first. */
  configSources: Array<ConfigSource>;
  /** Entries of `files` that are outside the mounted directory (`outside_roots`), which are ignored, or that do not exist (`not_found`), which are in play all the same. */
  omitted: Array<OmittedPath>;
  /** Mistakes in the user’s files and limits that were reached. */
  warnings: Array<Warning>;
  /** What the active files cost. */
  usage: {
    /** Number of active files. */
    files: number;
    /** Size of their bodies in bytes. */
    bytes: number;
    /** Tokens of their bodies. */
    tokens: number;
    /** Files whose bodies did not fit, in order of removal. */
    omitted: Array<OmittedFile>;
  };
  semantic?: SemanticStatus;
  /** SHA-256 of everything that a model would see, in hexadecimal. The same digest means the same context. */
  digest: string;
};

/** A resource of a server. */
export type ResourceRequest = {
  /** URI of the resource, from the list of resources. */
  uri: string;
};

/** The client may have missed events. Resolve again. */
export type Resync = {
  /** The type of the event. */
  type: "resync";
  /** `unknown_id`: the daemon was restarted since the last event. `too_old`: the daemon no longer has all events since then. `slow_reader`: the client read too slowly; the stream ends. `roots_changed`: roots were granted or revoked. `polling`: the system has no more watches, so the daemon checks directories every few seconds from now on. `overflow`: too much happened at once to report. `too_many_directories`: not all directories can be watched. `store_cut_off`: for a while, the daemon did not learn what other daemons changed in the shared store. */
  reason: "unknown_id" | "too_old" | "slow_reader" | "roots_changed" | "polling" | "overflow" | "too_many_directories" | "store_cut_off";
};

/** Asks for the context of a prompt. */
export type RetrieveRequest = {
  /** The project root the editor has open: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** The document that is being edited. It is never an item itself. */
  activeDocument?: {
    /** Relative to the mounted directory, or absolute. It need not exist. A document outside the mounted directory is in `omitted`. */
    path: string;
    /** The text in the editor, if it differs from the file on disk. */
    content?: string;
    /** The editor’s name of the language, such as `typescriptreact`. If it is absent or empty, the name of the file decides. */
    language?: string;
  };
  /** Other open files, most important first: relative to the mounted directory or absolute. */
  openTabs?: Array<string>;
  /** The question of the user. It selects files by their words. */
  query?: string;
  /** What is added automatically. */
  automatic?: {
    /** What to take from imported files. `files`: whole files. `definitions` (default): only what is imported. `off`: nothing. */
    imports?: "files" | "definitions" | "off";
    /** Whether to search the workspace for the query. Default true. */
    search?: boolean;
  };
  /** How much the answer may contain. */
  budget?: {
    /** Max tokens of all items together. */
    maxTokens?: number;
    encoding?: TokenEncoding;
  };
};

/** The context of a prompt, and what was left out. */
export type RetrieveResult = {
  /** The items: files the user added, open tabs, imports, files from search. Each path occurs only once. */
  items: Array<RetrievedItem>;
  /** What was left out, in the order in which it was found. */
  omitted: Array<OmittedItem>;
  /** What the items cost. */
  usage: {
    /** Tokens of all items. */
    tokens: number;
    /** The budget that was asked for. */
    maxTokens?: number;
  };
  /** Mistakes in the user’s files and limits that were reached. `unsupported_language`: there is no parser for the language of the active document. */
  warnings: Array<Warning>;
  /** The decision about the active document. Absent if there is none. */
  activeDocument?: {
    /** Whether the document may be used. */
    allowed: boolean;
    /** Why the document may not be used: `sensitive`, `blocked_by_policy`, `blocked_by_ignore_file`, or `outside_roots` (it is outside the mounted directory). The answer then has none of its imports, even if the request had its content. */
    reason?: Reason;
  };
  semantic?: SemanticStatus;
};

/** A file, or a part of a file, for the prompt. */
export type RetrievedItem = {
  /** Where it comes from: the list of the user, an open tab, an import of the active document, or the query. */
  origin: "supplementary" | "open-tab" | "import" | "search";
  /** Absolute path. */
  path: string;
  /** Path relative to the mounted directory. */
  relativePath: string;
  /** Text of the item. */
  content: string;
  /** Language of the content, if the file name shows it. */
  language?: string;
  /** Tokens of the content. */
  tokens: number;
  /** True if the file is too large and the content is only its beginning. */
  truncated: boolean;
  /** The lines, counted from 1, from which the content was taken. Absent if the content is the whole file. Lines between the definitions are left out and marked with `…`. */
  range?: {
    /** First line. */
    startLine: number;
    /** Last line, which is included. */
    endLine: number;
  };
};

/** A directory. */
export type RootPath = {
  /** Directory: absolute, or starting with `~/`. */
  path: string;
};

/** A rule file of another tool, for these files in play. */
export type RuleFile = {
  /** Absolute path. */
  path: string;
  /** Path relative to the mounted directory; `~/…` for files of the home directory. */
  relativePath: string;
  format: FormatName;
  /** Name of the item. A request can mention it by this name. */
  name: string;
  trigger: Trigger;
  /** Glob patterns of the files that the context applies to. `*` means all files. */
  globs: Array<string>;
  /** `active`: the model should see the file. `available`: a request can ask for the file. */
  state: "active" | "available";
  reason: Reason;
  /** Tokens of the body. */
  tokens: number;
};

/** A rule or a reference, by name. */
export type RuleOrReferenceRef = {
  /** Whether a context file is a rule or a reference. */
  type: "rule" | "reference";
  /** Name of the item. */
  name: string;
};

/** Where context comes from. `global`: the user. `static`: the mounted directory. `dynamic`: a directory below it. */
export type Scope = "global" | "static" | "dynamic";

/** How to search, and how much to select. */
export type SearchOptions = {
  /** Defaults for the other options. Default: `normal`. */
  preset?: "aggressive" | "normal" | "conservative";
  /** `semantic`: by meaning. `keyword`: by words. `hybrid` (default): both. */
  mode?: "semantic" | "keyword" | "hybrid";
  /** Max items to consider, those that match best. */
  topK?: number;
  /** Max items to select. More items are selected if their score is at least `includeScore`. */
  topN?: number;
  /** Items with this score or a higher one are selected even beyond `topN`. An explicit value is enough without an explicit `minScore`, whatever the preset demands. */
  includeScore?: number;
  /** Items with a lower score are never selected. Without it, the preset decides. Then no item is selected that is far less probable than the best one, and in `semantic` none whose similarity does not stand out, unless an explicit `includeScore` is reached. */
  minScore?: number;
};

/** Asks which items are relevant. */
export type SearchRequest = {
  /** The agent whose items are searched. Either this or `mountedDirectory`. */
  agentId?: string;
  /** The directory whose context files are searched: absolute, or starting with `~/`. */
  mountedDirectory?: string;
  /** The directory where work happens now: relative to the mounted directory, or absolute inside it. Its context files, and those on the way to it, are searched too. An agent has its own. */
  workingDirectory?: string;
  /** The question, in the words of the user. */
  query: string;
  /** Kinds of items to search. Default: all. */
  types?: Array<"rule" | "reference" | "tool">;
  /** Defaults for the other options. Default: `normal`. */
  preset?: "aggressive" | "normal" | "conservative";
  /** `semantic`: by meaning. `keyword`: by words. `hybrid` (default): both. */
  mode?: "semantic" | "keyword" | "hybrid";
  /** Max items to consider, those that match best. */
  topK?: number;
  /** Max items to select. More items are selected if their score is at least `includeScore`. */
  topN?: number;
  /** Items with this score or a higher one are selected even beyond `topN`. An explicit value is enough without an explicit `minScore`, whatever the preset demands. */
  includeScore?: number;
  /** Items with a lower score are never selected. Without it, the preset decides. Then no item is selected that is far less probable than the best one, and in `semantic` none whose similarity does not stand out, unless an explicit `includeScore` is reached. */
  minScore?: number;
  /** Max items in `rejected`: items that are not selected, with the reason. Default 0. */
  rejected?: number;
};

/** State of search by meaning. */
export type SearchStatus = {
  /** Name of the embedding model. */
  model: string;
  /** The embedding server. It gets the questions, and the names, descriptions and texts of the searched items. Absent if these texts stay in the daemon. */
  endpoint?: string;
  /** Numbers in a vector. Absent until the embedding server has answered once. */
  dimensions?: number;
  /** Whether the model can be used without a download. */
  installed: boolean;
  /** State of the embedding model. `stopped`: it is not needed now. */
  state: "stopped" | "downloading" | "loading" | "ready" | "failed";
  /** Why it failed, or what is missing. */
  reason?: string;
  /** Number of vectors in memory. These chunks can be searched at once. */
  vectors: number;
  /** Memory of these vectors, in bytes. */
  bytes: number;
  /** Running jobs. */
  jobs: Array<IndexJob>;
};

/** Shows whether nothing matched, or nothing was searched. */
export type SemanticStatus = {
  /** Whether search by meaning was possible. */
  status: "ready" | "degraded" | "unavailable";
  /** Name of the engine that selected, or `none`. */
  engine: string;
  /** Why search by meaning was not possible, for people. */
  detail?: string;
};

/** A part of the workspace that was sent. */
export type SentContext = {
  kind: ContextKind;
  /** Name of the item, or the path of a file relative to the mounted directory. */
  name: string;
  /** Absolute path, if the item comes from a file. */
  path?: string;
  /** The lines, counted from 1, from which the content was taken. Absent if the content is the whole file. Lines between the definitions are left out and marked with `…`. */
  range?: {
    /** First line. */
    startLine: number;
    /** Last line, which is included. */
    endLine: number;
  };
  /** Name of the format, for a rule file of another tool. */
  format?: FormatName;
  /** Language of the content, if the file name shows it. */
  language?: string;
  /** Why the item is included. */
  reason: Reason;
  /** Relevance to the query, if the query selected the item. */
  score?: number;
  /** Tokens of the item in its rendered form. */
  tokens: number;
  /** Tokens of the whole item, if only a part of it is here. */
  wholeTokens?: number;
  part?: Part;
  /** SHA-256 of the content, in hexadecimal. */
  sha256: string;
  /** True if the content is cut, because the file is too large or the budget is too small. */
  truncated: boolean;
};

/** An item of a past request, as it was then. */
export type SentItem = SentRuleOrReference | SentTool;

/** A rule or reference of a past request. */
export type SentRuleOrReference = {
  /** Whether a context file is a rule or a reference. */
  type: "rule" | "reference";
  /** Name of the item. */
  name: string;
  /** Include mode: why the item is part of the request. */
  includeMode: "always" | "auto" | "agent" | "manual";
  /** Relevance to the message, for `agent` items. */
  similarityScore?: number;
  /** Why the item is included: `trigger_always`, `added_to_session`, `mentioned` (with the name), `glob_matched` (with the glob and the file), `semantic_match` (with score and engine), `imported` (with the importing file). Absent in old requests, which do not store it. */
  reason?: Reason;
  /** SHA-256 of the item, in hexadecimal. It changes when the name, the description, the text or the input schema changes. */
  sha256: string;
  part?: Part;
  /** Tokens that are sent. For a rule or reference: its text or part, with the word “Rule:” or “Reference:” before it. For a tool: its definition. */
  tokens: number;
  /** Tokens of the whole item, if only a part is sent. */
  wholeTokens?: number;
  /** Description of the item then. Absent if there was none, and in old requests, which do not store it. */
  description?: string;
  /** Priority of the item then. A lower number comes first. */
  priority?: number;
};

/** A tool of a past request. */
export type SentTool = {
  /** A tool of an MCP server. */
  type: "tool";
  /** Name of the item. */
  name: string;
  /** Name of the MCP server that has the tool. */
  serverName: string;
  /** Include mode: why the item is part of the request. */
  includeMode: "always" | "auto" | "agent" | "manual";
  /** Relevance to the message, for `agent` items. */
  similarityScore?: number;
  /** Why the item is included: `trigger_always`, `added_to_session`, `mentioned` (with the name), `glob_matched` (with the glob and the file), `semantic_match` (with score and engine), `imported` (with the importing file). Absent in old requests, which do not store it. */
  reason?: Reason;
  /** SHA-256 of the item, in hexadecimal. It changes when the name, the description, the text or the input schema changes. */
  sha256: string;
  part?: Part;
  /** Tokens that are sent. For a rule or reference: its text or part, with the word “Rule:” or “Reference:” before it. For a tool: its definition. */
  tokens: number;
  /** Tokens of the whole item, if only a part is sent. */
  wholeTokens?: number;
  /** Description of the item then. Absent if there was none, and in old requests, which do not store it. */
  description?: string;
};

/** MCP servers that were started in this run of the daemon, by state. */
export type ServerCounts = {
  /** Starting. */
  starting: number;
  /** Ready. */
  ready: number;
  /** Failed; the list of servers says why. */
  failed: number;
  /** Stopped. */
  stopped: number;
};

/** A session. */
export type Session = {
  /** Id of the session. */
  id: string;
  /** Id of the agent: 1 to 64 letters, digits, `_` and `-`. */
  agentId: string;
  /** The session whose items this session took over. */
  parentSessionId?: string;
  /** When the session was created, ISO 8601 UTC. */
  createdAt: string;
  /** Number of its messages. */
  messageCount: number;
  /** Beginning of the first message of the user, on one line. It helps people to tell sessions apart. */
  firstMessage?: string;
  /** Number of the last change. Each change raises it by one. In quotes, it is the version for preconditions. */
  lastSyncId: number;
  /** MCP servers whose tools were not available when the session began. Their `always` tools join the session with the first request after they are available. */
  pendingServers?: Array<string>;
  /** Provider of the model. */
  currentModelProvider?: string;
  /** The model. */
  currentModelId?: string;
  /** Max calls of the model for one message of the user. */
  maxChatTurns: number;
  /** Max tokens of an answer of the model. */
  maxOutputTokens: number;
  /** Sampling temperature. */
  temperature: number;
  /** Nucleus sampling. */
  topP: number;
  toolPermission: ToolPermission;
  /** Search options for rules and references. */
  search?: SearchOptions;
  /** Search options for tools. */
  toolSearch?: SearchOptions;
  /** Items of the session, in the order in which they were added. */
  contextItems: Array<SessionContextItem>;
  /** The last 2000 messages, of at most 4 MiB, oldest first. */
  messages: Array<SessionMessage>;
  /** Number of earlier messages, if there are any. `changes?since=1` lists them all. */
  earlierMessages?: number;
  /** Problems with files of the agent, and damaged stored messages. `tools_pending`, `tools_unavailable`, `tools_need_approval`: why the tools of a server are missing. */
  warnings: Array<Warning>;
};

/** Decisions of the user about tool calls, with the place in the session. */
export type SessionApprovalMessage = {
  /** A message with decisions of the user about tool calls. */
  role: "approval";
  /** The decisions, in the form that the client uses. */
  toolCallApprovals: Array<unknown>;
  /** Number of the change that added the message. */
  syncId: number;
  /** Time, ISO 8601 UTC. The order of messages is that of `syncId`. */
  at: string;
  /** The request that the message made or answered. */
  requestId?: string;
};

/** A reply of the model, with its place in the session. */
export type SessionAssistantMessage = {
  /** A reply of the model. */
  role: "assistant";
  /** The answer of the model, in any form. Known forms: a message of OpenAI’s chat completions (also with `tool_calls`, or the whole answer with `choices`); the `output` of OpenAI’s Responses (the whole answer, or a list of its items); a message of Anthropic (whole, or its content blocks, with `tool_use`); a list of such messages with tool results between them; `{turns}` of the management document. Known forms with tool calls keep their form and order in later requests. Tool calls without a result are sent as text. Everything else is sent as text: a string as it is, an object by its `content` or `text`, else its JSON. Empty messages and blank parts are not sent, and a `refusal` is sent as text. At most 768 KiB. */
  modelReply: unknown;
  /** The items of the request that this message answers. */
  requestContext?: {
    /** The items, in the order of the request. */
    items: Array<RequestContextItem>;
  };
  /** Number of the change that added the message. */
  syncId: number;
  /** Time, ISO 8601 UTC. The order of messages is that of `syncId`. */
  at: string;
  /** The request that the message made or answered. */
  requestId?: string;
};

/** One change of a session. */
export type SessionChange = CreatedChange | MessageChange | ItemAddedChange | ItemRemovedChange | SettingsChange;

/** A session changed. */
export type SessionChanged = {
  /** The type of the event. */
  type: "session-changed";
  /** Id of the session. */
  sessionId: string;
  /** What happened to it. */
  change: "created" | "updated" | "deleted";
  /** `lastSyncId` of the session after the change. Ask for the changes since the last number that you know. */
  lastSyncId: number;
};

/** What changed in a session. */
export type SessionChanges = {
  /** True: start again with `session`. False: `changes` lists what changed. */
  full: boolean;
  session?: Session;
  /** Changes after `since`, in order. */
  changes: Array<SessionChange>;
  /** Present if there are more. Send it as `since` to get the next page. */
  next?: number;
  /** Number of the last change. Each change raises it by one. In quotes, it is the version for preconditions. */
  lastSyncId: number;
  /** Changes that are damaged and were left out. */
  warnings: Array<Warning>;
};

/** An item that a session holds, by reference. */
export type SessionContextItem = SessionRuleOrReference | SessionTool;

/** The items of a session. */
export type SessionItems = {
  /** The items of the session, in the order in which they were added. */
  items: Array<SessionContextItem>;
  /** Number of the last change. Each change raises it by one. In quotes, it is the version for preconditions. */
  lastSyncId: number;
  /** Problems with files of the agent. */
  warnings: Array<Warning>;
};

/** Sessions, without their messages and items. */
export type SessionList = {
  /** Sessions, the newest first. */
  sessions: Array<SessionSummary>;
  /** Present if there are more. Send it as `after` to get the next page. */
  next?: number;
  /** Stored sessions that are damaged and were left out. */
  warnings: Array<Warning>;
};

/** A message of a session, with its place in the session. */
export type SessionMessage = SessionNoticeMessage | SessionUserMessage | SessionAssistantMessage | SessionToolMessage | SessionApprovalMessage;

/** A message that is not sent to a model, with its place in the session. */
export type SessionNoticeMessage = {
  /** Role of the message. */
  role: "system" | "error";
  /** The text, at most 256 KiB. */
  content: string;
  /** Number of the change that added the message. */
  syncId: number;
  /** Time, ISO 8601 UTC. The order of messages is that of `syncId`. */
  at: string;
  /** The request that the message made or answered. */
  requestId?: string;
};

/** What to change. Absent fields stay as they are. */
export type SessionPatch = {
  /** Messages to add at the end. Existing messages never change. */
  appendMessages?: Array<Message>;
  /** Provider, or `null` if unknown. */
  currentModelProvider?: string | null;
  /** The model, or `null` if unknown. */
  currentModelId?: string | null;
  /** Max calls of the model for one message of the user. */
  maxChatTurns?: number;
  /** Max tokens of an answer of the model. */
  maxOutputTokens?: number;
  /** Sampling temperature. */
  temperature?: number;
  /** Nucleus sampling. */
  topP?: number;
  toolPermission?: ToolPermission;
  /** Search options for rules and references. */
  search?: SearchOptions;
  /** Search options for tools. */
  toolSearch?: SearchOptions;
};

/** A rule or reference that a session holds. */
export type SessionRuleOrReference = {
  /** Whether a context file is a rule or a reference. */
  type: "rule" | "reference";
  /** Name of the item. */
  name: string;
  /** `always`: the agent includes it in every session. `manual`: it was added to the session. */
  includeMode: "always" | "manual";
  /** Present if the agent does not have the item now, because it was removed, excluded, or blocked by a policy. */
  missing?: true;
};

/** A session without its messages and items. */
export type SessionSummary = {
  /** Id of the session. */
  id: string;
  /** Id of the agent: 1 to 64 letters, digits, `_` and `-`. */
  agentId: string;
  /** The session whose items this session took over. */
  parentSessionId?: string;
  /** When the session was created, ISO 8601 UTC. */
  createdAt: string;
  /** Number of its messages. */
  messageCount: number;
  /** Beginning of the first message of the user, on one line. It helps people to tell sessions apart. */
  firstMessage?: string;
  /** Number of the last change. Each change raises it by one. In quotes, it is the version for preconditions. */
  lastSyncId: number;
  /** MCP servers whose tools were not available when the session began. Their `always` tools join the session with the first request after they are available. */
  pendingServers?: Array<string>;
  /** Provider of the model. */
  currentModelProvider?: string;
  /** The model. */
  currentModelId?: string;
  /** Max calls of the model for one message of the user. */
  maxChatTurns: number;
  /** Max tokens of an answer of the model. */
  maxOutputTokens: number;
  /** Sampling temperature. */
  temperature: number;
  /** Nucleus sampling. */
  topP: number;
  toolPermission: ToolPermission;
  /** Search options for rules and references. */
  search?: SearchOptions;
  /** Search options for tools. */
  toolSearch?: SearchOptions;
};

/** A tool that a session holds. */
export type SessionTool = {
  /** A tool of an MCP server. */
  type: "tool";
  /** Name of the item. */
  name: string;
  /** Name of the MCP server that has the tool. */
  serverName: string;
  /** `always`: the agent includes it in every session. `manual`: it was added to the session. */
  includeMode: "always" | "manual";
  /** Present if the agent does not have the item now, because it was removed, excluded, or blocked by a policy. */
  missing?: true;
};

/** The result of a tool call, with its place in the session. */
export type SessionToolMessage = {
  /** The result of a tool call. */
  role: "tool";
  /** Type of an item of OpenAI’s Responses, such as `function_call_output`. The item is sent without `role`. */
  type?: string;
  /** In OpenAI’s chat completions: id of the call that this result answers. */
  tool_call_id?: string;
  /** In OpenAI’s Responses: id of the call that this result answers. */
  call_id?: string;
  /** Number of the change that added the message. */
  syncId: number;
  /** Time, ISO 8601 UTC. The order of messages is that of `syncId`. */
  at: string;
  /** The request that the message made or answered. */
  requestId?: string;
  [name: string]: unknown;
};

/** A message of the user, with its place in the session. */
export type SessionUserMessage = {
  /** A message of the user, or tool results in the form of Anthropic. */
  role: "user";
  /** The text, at most 256 KiB, or parts in the form of the model’s API, at most 768 KiB. */
  content: string | Array<{
    /** Type of the part. */
    type: string;
    [name: string]: unknown;
  }>;
  /** Number of the change that added the message. */
  syncId: number;
  /** Time, ISO 8601 UTC. The order of messages is that of `syncId`. */
  at: string;
  /** The request that the message made or answered. */
  requestId?: string;
};

/** Settings changed. */
export type SettingsChange = {
  /** Number of the change. */
  syncId: number;
  /** Time of the change, ISO 8601 UTC. */
  at: string;
  /** Settings changed. */
  type: "settings";
  /** New values of the changed settings. */
  settings: {
    /** Provider, or `null` if unknown. */
    currentModelProvider?: string | null;
    /** The model, or `null` if unknown. */
    currentModelId?: string | null;
    /** Max calls of the model for one message of the user. */
    maxChatTurns?: number;
    /** Max tokens of an answer of the model. */
    maxOutputTokens?: number;
    /** Sampling temperature. */
    temperature?: number;
    /** Nucleus sampling. */
    topP?: number;
    toolPermission?: ToolPermission;
    /** Search options for rules and references. */
    search?: SearchOptions;
    /** Search options for tools. */
    toolSearch?: SearchOptions;
    /** MCP servers whose tools were not available when the session began. Their `always` tools join the session with the first request after they are available. */
    pendingServers?: Array<string>;
  };
};

/** A merged MCP server definition with masked secrets. It is shown, not started. */
export type ShownMcpServer = {
  /** Transport, if the definition names one. */
  type?: "stdio" | "sse" | "http";
  /** Program to run. Known forms of secrets are masked. */
  command?: string;
  /** Arguments of the program. Known forms of secrets are masked. */
  args?: Array<string>;
  /** Environment variables. Values are masked. */
  env?: Record<string, string>;
  /** Address of a remote server. User information and query values are masked. */
  url?: string;
  /** Headers. Values are masked. */
  headers?: Record<string, string>;
  /** True if the definition disables the server. */
  disabled?: boolean;
  /** Working directory of the server, if the definition names one. */
  cwd?: string;
  /** Absolute path of the configuration that defines it. */
  definedIn: string;
  /** Absolute paths of the configurations that have the same definition in lists of other tools. */
  alsoDefinedIn?: Array<string>;
  scope: Scope;
  /** Weaker definitions of the same name. */
  shadows?: Array<{
    /** Absolute path of a configuration whose definition with the same name is hidden. */
    path: string;
    scope: Scope;
  }>;
};

/** A page on disk for one sign-in to the console. */
export type SignInPage = {
  /** Absolute path of the page. Only its user can read it. The page is removed after its code is used, and after 30 seconds at the latest. */
  file: string;
  /** The address of the console, without a code. */
  url: string;
  /** When the code expires, ISO 8601 UTC. */
  expiresAt: string;
};

/** What the console shows first. */
export type SignInPageRequest = {
  /** The mounted directory that the console shows. */
  directory?: string;
};

/** The running daemon. */
export type Status = {
  /** Version of the daemon. */
  version: string;
  /** Process id. */
  pid: number;
  /** Random id of this run of the daemon. */
  instanceId: string;
  /** Address that the daemon listens on. */
  url: string;
  /** When this run began, ISO 8601 UTC. */
  startedAt: string;
  /** Seconds since this run began. */
  uptimeSeconds: number;
  /** Version of Node.js that runs the daemon. */
  nodeVersion: string;
  /** Number of granted roots. */
  grantedRoots: number;
  /** Memory of the process, in bytes. Other processes (parser, model, MCP servers) are not included. */
  memory: {
    /** Resident set size of the process. */
    rssBytes: number;
    /** Heap that JavaScript uses. */
    heapUsedBytes: number;
    /** Heap that is reserved for JavaScript. */
    heapTotalBytes: number;
    /** Memory of buffers and other objects outside the heap. */
    externalBytes: number;
  };
  /** Open files and sockets, if the system tells the number. */
  openDescriptors?: number;
  eventLoop: EventLoop;
  requests: RequestCounts;
  streams: EventStreams;
  storage: StorageFigures;
  store: StoreState;
  reads: Reads;
  watching: Watching;
  search: SearchStatus;
  servers: ServerCounts;
  tokens: TokenFigures;
  /** File that the log is written to. Absent if the log goes to standard error. */
  log?: string;
  /** Settings and storage that the daemon could not use. */
  warnings: Array<Warning>;
};

/** One step on the way to a verdict. */
export type Step = {
  /** The rule that was checked, such as `excludeFiles`, `trigger_auto` or `granted_roots`. */
  rule: "granted_roots" | "existence" | "sensitive" | "configuration" | "policy" | "ignore_file" | "format" | "working_directory" | "context_directory" | "include" | "import" | "includeFiles" | "excludeFiles" | "ignoreGlobalContext" | "ignoreAncestorContext" | "file_kind" | "file_type" | "content" | "disabled" | "duplicate" | "size" | "semantic" | "budget" | "trigger_always" | "trigger_auto" | "trigger_agent" | "trigger_manual";
  /** Result of the rule, such as `no_match`, `passed`, `active`. */
  outcome: "passed" | "no_match" | "found" | "considered" | "active" | "available" | "truncated" | "contains" | "not_inside" | "absent" | "file" | "directory" | "other" | "added_by_user" | "added_to_session" | "asked_for" | "below_min_score" | "beyond_top_k" | "beyond_top_n" | "binary" | "blocked_by_ignore_file" | "blocked_by_policy" | "cancelled" | "cannot_be_said" | "changed" | "configuration" | "disabled" | "duplicate" | "duplicate_name" | "empty" | "excluded_by_config" | "exited" | "format_not_read" | "glob_matched" | "ignored_ancestor" | "ignored_global" | "imported" | "importer_not_active" | "included" | "invalid_name" | "invalid_schema" | "invalid_utf8" | "io_error" | "keyword_match" | "limit_reached" | "mentioned" | "missing" | "needs_mention" | "needs_query_or_mention" | "no_glob_matched" | "no_policy" | "not_approvable" | "not_directory" | "not_executable" | "not_included" | "not_on_the_way" | "not_regular_file" | "not_relevant" | "not_started" | "open" | "outside_repository" | "outside_roots" | "outside_workspace" | "over_budget" | "parse_failed" | "parse_timeout" | "personal" | "policy_allow" | "policy_block" | "policy_exception" | "policy_invalid" | "protocol" | "pseudo_file" | "ready" | "refused" | "rejected" | "restarting" | "semantic_match" | "semantic_unavailable" | "sensitive" | "skill" | "starting" | "stopped_by_user" | "suspicious_unicode" | "symlink" | "timeout" | "too_large" | "too_many_starts" | "tools_changed" | "trigger_always" | "undecodable_name" | "unreachable" | "unreadable" | "unresolved_variable" | "unsupported" | "unsupported_type" | "invalid_request" | "unauthorized" | "forbidden_host" | "forbidden_origin" | "forbidden_scope" | "path_outside_roots" | "approval_required" | "approval_stale" | "not_found" | "conflict" | "version_mismatch" | "payload_too_large" | "unsupported_media_type" | "limit_exceeded" | "storage_full" | "unavailable" | "upstream_failed" | "upstream_timeout" | "internal";
  /** What decided: a pattern with file and line, a limit, a name. */
  detail?: string;
};

/** The daemon stops. */
export type Stopping = {
  /** The daemon stops after this answer. */
  status: "stopping";
};

/** What is kept on disk. */
export type StorageFigures = {
  /** Size of the database file. */
  databaseBytes: number;
  /** Size of writes that are not yet in the database file. */
  journalBytes: number;
  /** Writes of sessions that wait for the next transaction. */
  waitingWrites: number;
  /** Number of stored rows. Absent while the database cannot be read. */
  rows?: {
    /** Stored agents. */
    agents: number;
    /** Stored sessions. */
    sessions: number;
    /** Approved MCP servers. */
    approvals: number;
  };
};

/** The store of agents, sessions and everything else that outlives the daemon. */
export type StoreState = {
  /** `sqlite`: only for this daemon. `postgres`: shared with other daemons. */
  kind: "sqlite" | "postgres";
  /** Whether the store can be used now. */
  available: boolean;
  /** Since when the store cannot be used, ISO 8601 UTC. */
  since?: string;
  /** What is wrong with the store. */
  detail?: string;
};

/** A past request: what was used, and why. */
export type StoredReceipt = {
  /** Id of the request. */
  requestId: string;
  /** The items that were used, and why. */
  requestContext: {
    /** All items that are sent, in the order in which they were chosen. */
    items: Array<RequestContextItem>;
    /** Parts of the workspace, in the order in which they are sent. Absent if the request did not ask for them. */
    context?: Array<SentContext>;
  };
  /** What was left out, in order of removal. */
  omitted: Array<OmittedPart>;
  usage: RequestUsage;
  semantic: SemanticStatus;
  /** Problems with files of the agent, and mentions that match nothing. */
  warnings: Array<Warning>;
  /** Files in play, as written in the request. */
  files?: Array<string>;
  /** Documents that were open. Their unsaved text is not stored. */
  documents?: Array<{
    /** Relative to the mounted directory, or absolute. It need not exist. */
    path: string;
    /** The editor’s name of the language. If it is absent or empty, the name of the file decides. */
    language?: string;
    /** The cursor in the active document. Imports that are used near it come first. Definitions of the name under it are complete. */
    cursor?: Position;
    /** The selection in the active document. Names in it count like the name under the cursor. */
    selection?: {
      start: Position;
      end: Position;
    };
    /** True for the active document. Default: the first document is active. */
    isActive?: boolean;
  }>;
  /** The `include` of the request. */
  include?: Include;
  /** The `mentions` of the request. */
  mentions?: Array<string>;
  expand?: Expand;
  /** Search options for rules and references, merged from request, session and agent. */
  search?: SearchOptions;
  /** Search options for tools, merged in the same way. */
  toolSearch?: SearchOptions;
  /** The budget of the request. */
  budget?: Budget;
  /** The session of the request. */
  sessionId: string;
  /** Id of the agent: 1 to 64 letters, digits, `_` and `-`. */
  agentId: string;
  /** When the request was made, ISO 8601 UTC. */
  createdAt: string;
  /** The message of the user. */
  message: string;
  /** Number of the change that added the message. */
  syncId: number;
  /** Number of the change that added the reply. Absent until there is a reply. */
  replySyncId?: number;
};

/** What to add to the context of a mounted directory. */
export type SupplementaryAddition = {
  /** The project root the editor has open: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** `file`: a file. `folder`: the files below it. `tab`: a file that is open in the editor. */
  kind: "file" | "folder" | "tab";
  /** Relative to the mounted directory, or absolute (or `~/…`) inside a granted root. It need not exist. */
  path: string;
};

/** A supplementary list changed. */
export type SupplementaryChanged = {
  /** The type of the event. */
  type: "supplementary-changed";
  /** The mounted directory whose list changed. Read the list again. There is one event for the real path, and one for each other path by which clients recently asked for the list or for context. There is no event for directories outside the granted roots. */
  mountedDirectory: string;
};

/** A file, folder or tab that the user added, and whether it can be used now. */
export type SupplementaryItem = {
  /** Random id: 32 hexadecimal digits. */
  id: string;
  /** `file`: a file. `folder`: the files below it. `tab`: a file that is open in the editor. */
  kind: "file" | "folder" | "tab";
  /** Absolute path. */
  path: string;
  /** Path relative to the mounted directory. It begins with `..` if the item is outside. */
  relativePath: string;
  /** When it was added, ISO 8601 UTC. */
  addedAt: string;
  /** Whether the item can be used now. */
  enabled: boolean;
  /** Why the item cannot be used now: `outside_roots`, `sensitive`, `configuration` (its text is never delivered), `blocked_by_policy`, `blocked_by_ignore_file`, `symlink`, `not_found`, `unreadable`, `not_regular_file` (a file is expected), `not_directory` (a folder is expected), `io_error`. Empty if the item can be used. */
  disabledReasons: Array<Reason>;
};

/** What the user added to the context of a mounted directory. */
export type SupplementaryList = {
  /** The items, in the order of the user. */
  items: Array<SupplementaryItem>;
  /** Version of the list, for preconditions. It does not depend on whether items can be used. */
  etag: string;
};

/** A new list that replaces the existing one. */
export type SupplementaryReplacement = {
  /** The project root the editor has open: absolute, or starting with `~/`. */
  mountedDirectory: string;
  /** The whole list, in order. Duplicates are stored once. Items that were in the list keep their id. */
  items: Array<{
    /** `file`: a file. `folder`: the files below it. `tab`: a file that is open in the editor. */
    kind: "file" | "folder" | "tab";
    /** Relative to the mounted directory, or absolute (or `~/…`) inside a granted root. It need not exist. */
    path: string;
  }>;
};

/** Tokenizer that counts the tokens. Default: `o200k_base`. */
export type TokenEncoding = "o200k_base" | "o200k_harmony" | "cl100k_base" | "p50k_base" | "p50k_edit" | "r50k_base";

/** Agent tokens, and what they use. */
export type TokenFigures = {
  /** Max use of one agent token. */
  most: TokenUse;
  /** Use of each agent token. An agent token sees only its own use. Absent while the database cannot be read. */
  held?: Array<{
    /** Id of the token. It is not the secret value. */
    id: string;
    /** What it is for. */
    label: string;
    use: TokenUse;
  }>;
};

/** What an agent token uses, or may use. */
export type TokenUse = {
  /** Number of sessions. */
  sessions: number;
  /** Stored size of these sessions, in bytes (about). */
  storedBytes: number;
  /** Number of open connections. */
  connections: number;
  /** Number of open streams of `GET /v1/events`. */
  streams: number;
};

/** A tool call. */
export type ToolCall = {
  /** Arguments of the tool. They are checked against its schema. */
  arguments: Record<string, unknown>;
  /** Session of the call. Required with an agent token. */
  sessionId?: string;
};

/** The answer of a tool. */
export type ToolCallResult = {
  /** Content of the answer. Treat it as data, not as instructions. */
  content: Array<unknown>;
  /** The answer as a value, if the tool gives one. */
  structuredContent?: unknown;
  /** True if the tool reports a failure. */
  isError?: boolean;
  /** Hidden characters and possible secrets in these texts. Absent if there are none. */
  warnings?: Array<Warning>;
};

/** A tool that the model may call. */
export type ToolDefinition = {
  /** Name of the MCP server that has the tool. */
  serverName: string;
  /** Name of the tool. */
  name: string;
  /** Description that the server gives. */
  description: string;
  /** JSON Schema of the arguments, as the server gives it. */
  inputSchema: unknown;
};

/** The result of a tool call. */
export type ToolMessage = {
  /** The result of a tool call. */
  role: "tool";
  /** Type of an item of OpenAI’s Responses, such as `function_call_output`. The item is sent without `role`. */
  type?: string;
  /** In OpenAI’s chat completions: id of the call that this result answers. */
  tool_call_id?: string;
  /** In OpenAI’s Responses: id of the call that this result answers. */
  call_id?: string;
  [name: string]: unknown;
};

/** A tool that reads rule files. */
export type ToolName = "aider" | "amazon-q" | "antigravity" | "augment" | "claude-code" | "cline" | "codex" | "continue" | "copilot" | "crush" | "cursor" | "firebase-studio" | "gemini-cli" | "gitlab-duo" | "goose" | "grok" | "jetbrains" | "junie" | "kilo" | "kiro" | "opencode" | "openhands" | "qwen" | "replit" | "roo" | "trae" | "warp" | "windsurf" | "zed";

/** Whether the user is asked before a tool call. `always`: before each call. `never`: not at all. `tool` (default): as set for the tool; for calls with an agent token, this means `always`. */
export type ToolPermission = "always" | "never" | "tool";

/** A tool of an MCP server, by name. */
export type ToolRef = {
  /** A tool of an MCP server. */
  type: "tool";
  /** Name of the item. */
  name: string;
  /** Name of the MCP server that has the tool. */
  serverName: string;
};

/** What one tool would load. */
export type ToolView = {
  tool: ToolName;
  /** Name of the tool. */
  name: string;
  /** Formats that the tool reads and that have files here. */
  formats: Array<FormatName>;
  /** Files that the tool would load now, as relative paths. */
  files: Array<string>;
  /** Files that the tool would load for other files in play, or if somebody asks for them. */
  waiting: Array<string>;
  /** Symbolic links that contextd does not follow, so that it does not see their rules: relative paths, at most 100. */
  links: Array<string>;
  /** Number of all such links. */
  linkCount: number;
  /** Tokens of what the tool would load now. */
  tokens: number;
};

/** When a context file is used. */
export type Trigger = "always" | "auto" | "agent" | "manual";

/** An item that could be removed. */
export type UsageSuggestion = {
  /** Kind of the item. */
  type: "rule" | "reference" | "tool";
  /** Name of the item. */
  name: string;
  /** Name of the MCP server that has the tool. Only for tools. */
  serverName?: string;
  /** `never_used`: the agent has the item, but no request ever had it. `no_longer_there`: the agent no longer has the item, but sessions may still refer to it. */
  code: "never_used" | "no_longer_there";
  /** What to do, for people. */
  message: string;
};

/** A message of the user. */
export type UserMessage = {
  /** A message of the user, or tool results in the form of Anthropic. */
  role: "user";
  /** The text, at most 256 KiB, or parts in the form of the model’s API, at most 768 KiB. */
  content: string | Array<{
    /** Type of the part. */
    type: string;
    [name: string]: unknown;
  }>;
};

/** Checks a text. */
export type ValidateContentRequest = {
  /** Kind of the file: a context configuration, a policy, or a context file. */
  kind: "context-config" | "ai-context-policy" | "context-file";
  /** Text of the file. The file need not exist. */
  content: string;
  /** Path of the file, in any form. The extension tells JSON from YAML, and Markdown from plain text. Each finding contains this path. A context file at a place of another tool, such as `.cursor/rules/a.mdc`, is checked as that tool reads it. */
  path?: string;
};

/** What is wrong, where, and how to fix it. */
export type ValidateResult = {
  /** True if there are no errors. There may be warnings. */
  valid: boolean;
  /** The findings, sorted by path, line and column. */
  diagnostics: Array<Diagnostic>;
};

/** Checks all files of a tree. */
export type ValidateTreeRequest = {
  /** The directory to check, with everything below it: absolute, or `~/…`. */
  mountedDirectory: string;
  /** Replaces the daemon’s client context path (default `.context`) for this request. Relative. */
  clientContextPath?: string;
};

/** A running job. */
export type WarmJob = {
  /** Id of the job in `index-progress` events. */
  jobId: string;
};

/** What to index. Without agent and directory, only the model is prepared. */
export type WarmRequest = {
  /** The agent whose items are indexed. */
  agentId?: string;
  /** The directory whose context files are indexed: absolute, or starting with `~/`. */
  mountedDirectory?: string;
  /** The expected model, as in `GET /v1/search/status`. If the daemon uses another model, the answer is `conflict`. */
  model?: string;
};

/** A mistake in a user’s file, or a limit that was reached. It is part of a good answer. */
export type Warning = {
  code: WarningCode;
  /** What happened and how to fix it, for people. */
  message: string;
  /** Absolute path of the file or directory the warning is about. */
  path?: string;
  /** Line in that file, counted from 1. */
  line?: number;
  /** Column in that line, counted from 1. */
  column?: number;
  /** JSON pointer of the field the warning is about. */
  pointer?: string;
};

/** Code of a warning, for programs. Later versions may have more codes. Treat an unknown code like any other. */
export type WarningCode = "agent_without_description" | "auto_without_globs" | "binary" | "blocked_by_ignore_file" | "blocked_by_policy" | "broken_link" | "changes_unavailable" | "config_not_read" | "config_too_large" | "configuration" | "context_directory_outside_granted_roots" | "contradicting_rules" | "database_of_earlier_version" | "database_quarantined" | "database_removed" | "database_rows_damaged" | "drifted_copy" | "duplicate_config_key" | "duplicate_name" | "duplicate_policy_key" | "duplicate_rule" | "duplicate_server" | "empty_body" | "empty_description" | "exception_not_below" | "file_truncated" | "folder_not_checked" | "foreign_property" | "formats_not_read" | "front_matter_fence" | "front_matter_in_text_file" | "front_matter_is_text" | "front_matter_not_closed" | "front_matter_too_large" | "globs_overruled" | "globs_without_auto" | "html_comment" | "ignore_file_not_read" | "ignore_pattern_unused" | "import_cycle" | "import_not_found" | "invalid_client_context_path" | "invalid_config" | "invalid_config_value" | "invalid_default_policy" | "invalid_follow_symlinks" | "invalid_formats" | "invalid_front_matter" | "invalid_global_context_path" | "invalid_ignore_files" | "invalid_pattern" | "invalid_policy" | "invalid_policy_value" | "invalid_property" | "invalid_server_url" | "invalid_settings" | "invalid_utf8" | "io_error" | "key_of_another_tool" | "limit_ancestors" | "limit_changes" | "limit_context_files" | "limit_depth" | "limit_entries" | "limit_files" | "limit_folders" | "limit_imports" | "limit_match_time" | "limit_parse_time" | "limit_policies" | "limit_policy_time" | "limit_search_time" | "limit_supporting_files" | "limit_tools" | "limit_total_bytes" | "limit_walk_time" | "many_tokens" | "mention_not_found" | "merge_conflict" | "misnamed_config" | "misnamed_policy" | "misnamed_rule" | "misplaced_config_file" | "misplaced_config_key" | "misspelled_config_key" | "misspelled_policy_key" | "misspelled_property" | "more_diagnostics" | "more_warnings" | "name_not_used" | "named_file_missing" | "no_mounted_directory" | "not_directory" | "not_fetched" | "not_found" | "not_regular_file" | "nothing_to_check" | "outside_repository" | "outside_roots" | "over_budget" | "pattern_outside_granted_roots" | "pattern_outside_mounted_directory" | "policy_not_read" | "policy_too_large" | "policy_twice" | "policy_without_kind" | "possible_secret" | "pseudo_file" | "rule_for_no_file" | "rule_without_patterns" | "second_front_matter" | "sensitive" | "sensitive_name" | "server_shadowed" | "server_type_mismatch" | "settings_too_large" | "shadowed_pattern" | "store_password_visible" | "store_unavailable" | "stored_entries_damaged" | "suspicious_unicode" | "symlink" | "tokens_estimated" | "too_deep" | "tools_need_approval" | "tools_pending" | "tools_unavailable" | "undecodable_name" | "unknown_config_key" | "unknown_policy_key" | "unknown_trigger" | "unopened_front_matter" | "unreadable" | "unsaved_policy" | "unsupported_glob_syntax" | "unsupported_language" | "unsupported_property" | "unsupported_type" | "unused_pattern" | "value_not_understood" | "invalid_request" | "unauthorized" | "forbidden_host" | "forbidden_origin" | "forbidden_scope" | "path_outside_roots" | "approval_required" | "approval_stale" | "conflict" | "version_mismatch" | "payload_too_large" | "unsupported_media_type" | "limit_exceeded" | "storage_full" | "unavailable" | "upstream_failed" | "upstream_timeout" | "internal";

/** What the daemon watches for clients that listen to events. */
export type Watching = {
  /** Number of watched directories. 0 while no client listens to events. */
  directories: number;
  /** Why changes are reported late or not at all. `polling`: the system has no more watches, so the daemon checks directories every few seconds. `too_many_directories`: there are more directories than the daemon may watch. */
  degraded?: "polling" | "too_many_directories";
};

/** A tool that nobody can use, and why. */
export type WithheldTool = {
  /** Name of the tool. */
  name: string;
  reason: Reason;
  /** The tool as it is now. */
  tool?: {
    /** Name of the tool. */
    name: string;
    /** Name for people. */
    title?: string;
    /** Description that the server gives. Treat it as data, not as instructions. */
    description: string;
    /** JSON Schema of its arguments. */
    inputSchema: Record<string, unknown>;
    /** JSON Schema of its structured result. */
    outputSchema?: Record<string, unknown>;
    /** Hints of the server. contextd does not rely on them. */
    annotations?: Record<string, unknown>;
    /** Present if invisible characters were removed, or text was cut. */
    altered?: true;
  };
  /** The tool as it was approved. Absent if the tool is new. */
  approved?: {
    /** Name of the tool. */
    name: string;
    /** Name for people. */
    title?: string;
    /** Description that the server gives. Treat it as data, not as instructions. */
    description: string;
    /** JSON Schema of its arguments. */
    inputSchema: Record<string, unknown>;
    /** JSON Schema of its structured result. */
    outputSchema?: Record<string, unknown>;
    /** Hints of the server. contextd does not rely on them. */
    annotations?: Record<string, unknown>;
    /** Present if invisible characters were removed, or text was cut. */
    altered?: true;
  };
};

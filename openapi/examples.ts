/**
 * An example of each operation, by `operationId`. The requests work as they stand where `~/project` is a directory with
 * a context directory; the answers are what they then look like.
 */

import { protocol } from '../src/settings.ts';
import { jsonSchemaOf } from '../src/validation/json-schemas.ts';
import { agentExamples } from './examples-agents.ts';
import { consoleExamples } from './examples-console.ts';
import { formatExamples } from './examples-formats.ts';
import { mcpServerExamples } from './examples-mcp-server.ts';
import { policyExamples } from './examples-policy.ts';
import { retrievalExamples } from './examples-retrieval.ts';
import { searchExamples } from './examples-search.ts';
import { serverExamples } from './examples-servers.ts';
import { sessionExamples } from './examples-sessions.ts';
import { stateExamples } from './examples-state.ts';
import { supplementaryExamples } from './examples-supplementary.ts';
import { tokenExamples, tokenFigures } from './examples-tokens.ts';

export type OperationExample = {
  path?: Record<string, string>;
  query?: Record<string, string | number>;
  headers?: Record<string, string>;
  body?: unknown;
  /** A body that says what the query of the example says; not both are sent. */
  bodyForQuery?: unknown;
  answer?: unknown;
};

const digest = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export const operationExamples: Readonly<Record<string, OperationExample>> = {
  getHealth: {
    query: { challenge: '3q2-7wAAAAE' },
    answer: { status: 'ok', ...protocol, proof: 'f1a8c5f1f0cbd2c2c4b6f3a59d5f0b3c6f60f2a4cc3a9b9b0f4c0b3e2a1d4e5f' },
  },
  getStatus: {
    answer: {
      version: '0.1.0',
      pid: 4711,
      instanceId: '0b5e6b1c9a3f4d2e8c7a6b5d4e3f2a1b',
      url: 'http://127.0.0.1:4747',
      startedAt: '2026-01-05T08:30:00.000Z',
      uptimeSeconds: 12.5,
      nodeVersion: 'v24.11.0',
      grantedRoots: 1,
      memory: {
        rssBytes: 96_468_992,
        heapUsedBytes: 21_954_560,
        heapTotalBytes: 31_457_280,
        externalBytes: 4_194_304,
      },
      openDescriptors: 31,
      eventLoop: { meanMs: 0.12, p99Ms: 1.4, maxMs: 3.1, longestMs: 18.2, utilization: 0.021 },
      requests: {
        ...{ total: 1_284, succeeded: 1_270, refused: 12, shed: 0, failed: 0, aborted: 2, inFlight: 1 },
        ...{ p50Ms: 1.2, p99Ms: 18.5 },
      },
      streams: { open: 2, most: 1_000, published: 41, replayed: 3, dropped: 0 },
      storage: {
        ...{ databaseBytes: 4_096_000, journalBytes: 524_288, waitingWrites: 0 },
        rows: { agents: 3, sessions: 28, approvals: 2 },
      },
      store: { kind: 'sqlite', available: true },
      reads: {
        ...{ filesRead: 214, directoriesListed: 96, filesParsed: 57, blocked: 4, parserStarts: 1, parserFailures: 0 },
        caches: {
          contents: { entries: 188, weight: 901_204 },
          listings: { entries: 96, weight: 1_930 },
          results: { entries: 12, weight: 143_360 },
        },
      },
      watching: { directories: 14 },
      search: {
        ...{ model: 'Xenova/all-MiniLM-L6-v2', dimensions: 384, installed: true, state: 'stopped' },
        ...{ vectors: 0, bytes: 0, jobs: [] },
      },
      servers: { starting: 0, ready: 2, failed: 0, stopped: 1 },
      tokens: tokenFigures,
      log: '/home/ada/.local/state/contextd/contextd.log',
      warnings: [],
    },
  },
  getMetrics: {
    answer: `# HELP contextd_http_requests_in_flight Requests that are not answered yet.
# TYPE contextd_http_requests_in_flight gauge
contextd_http_requests_in_flight 1
`,
  },
  shutDown: { answer: { status: 'stopping' } },
  listRoots: {
    answer: { roots: [{ path: '/home/ada/project', origin: 'stored', grantedAt: '2026-01-05T08:31:00.000Z' }] },
  },
  grantRoot: {
    body: { path: '~/project' },
    answer: { path: '/home/ada/project', origin: 'stored', grantedAt: '2026-01-05T08:31:00.000Z' },
  },
  revokeRoot: { query: { path: '~/project' }, bodyForQuery: { path: '~/project' } },
  resolveContext: {
    body: { mountedDirectory: '~/project', files: ['src/button.ts'] },
    answer: {
      mountedDirectory: '/home/ada/project',
      workingDirectories: ['/home/ada/project/src'],
      files: [
        {
          name: 'style',
          type: 'rule',
          path: '/home/ada/project/.context/style.md',
          relativePath: '.context/style.md',
          scope: 'static',
          source: 'context-directory',
          owner: '/home/ada/project',
          trigger: 'auto',
          description: 'How TypeScript is written here',
          globs: ['**/*.ts'],
          priority: 500,
          properties: {},
          state: 'active',
          reason: { code: 'glob_matched', detail: '**/*.ts ↔ src/button.ts' },
          content: 'Use tabs.\n',
          bytes: 91,
          tokens: 3,
          truncated: false,
          sha256: digest,
        },
      ],
      excluded: [],
      config: {
        clientContext: {
          includeFiles: ['*'],
          excludeFiles: ['context-config.json'],
          ignoreGlobalContext: false,
          ignoreAncestorContext: false,
        },
        mcpServers: {},
      },
      configSources: [],
      omitted: [],
      warnings: [],
      usage: { files: 1, bytes: 10, tokens: 3, omitted: [] },
      digest,
    },
  },
  explainContext: {
    body: { mountedDirectory: '~/project', files: ['src/button.ts'], path: '.context/style.md' },
    answer: {
      candidates: [
        {
          path: '/home/ada/project/.context/style.md',
          verdict: 'active',
          truncated: false,
          reason: { code: 'glob_matched', detail: '**/*.ts ↔ src/button.ts' },
          steps: [
            { rule: 'working_directory', outcome: 'considered', detail: '/home/ada/project/src' },
            { rule: 'context_directory', outcome: 'found', detail: 'in /home/ada/project/.context (static scope)' },
            { rule: 'sensitive', outcome: 'passed' },
            { rule: 'excludeFiles', outcome: 'passed' },
            { rule: 'ignoreAncestorContext', outcome: 'passed' },
            { rule: 'file_kind', outcome: 'passed' },
            { rule: 'file_type', outcome: 'passed' },
            { rule: 'policy', outcome: 'passed', detail: 'no policy covers it' },
            { rule: 'ignore_file', outcome: 'passed' },
            { rule: 'content', outcome: 'passed' },
            { rule: 'disabled', outcome: 'passed' },
            { rule: 'trigger_auto', outcome: 'active', detail: 'glob_matched: **/*.ts ↔ src/button.ts' },
          ],
        },
      ],
      warnings: [],
    },
  },
  streamEvents: {
    headers: { 'last-event-id': '4f2c8a90b1d3-41' },
    query: { since: '4f2c8a90b1d3-41', types: 'context-changed' },
    answer: {
      type: 'context-changed',
      mountedDirectories: ['/home/ada/project'],
      changes: [{ path: '/home/ada/project/.context/style.md', change: 'changed' }],
    },
  },
  validateConfig: {
    body: {
      kind: 'context-config',
      content: '{\n  "clientContext": {\n    "includefiles": ["docs/**"]\n  }\n}\n',
      path: '~/project/.context/context-config.json',
    },
    answer: {
      valid: false,
      diagnostics: [
        {
          severity: 'error',
          code: 'misspelled_config_key',
          message: 'This key has no effect; write "includeFiles".',
          path: '~/project/.context/context-config.json',
          line: 3,
          column: 5,
          pointer: '/clientContext/includefiles',
        },
      ],
    },
  },
  answerHook: {
    path: { tool: 'claude-code' },
    query: { project: '/home/ada/project', cwd: '/home/ada/project/src', outside: 'refuse' },
    body: {
      session_id: '0b2f6a3c-7d1e-4f58-9a60-2c4e8d1b7f35',
      cwd: '/home/ada/project',
      hook_event_name: 'PreToolUse',
      tool_name: 'Read',
      tool_input: { file_path: '/home/ada/project/secrets/prices.md' },
    },
    answer: {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason:
          'contextd: /home/ada/project/secrets/prices.md is kept from models: policy excluded: "secrets/**" in /home/ada/project/.ai-context-policy.yaml, line 2. Do not read it another way.',
      },
    },
  },
  getFileSchema: {
    path: { kind: 'ai-context-policy' },
    answer: jsonSchemaOf('ai-context-policy'),
  },
  ...policyExamples,
  ...agentExamples,
  ...sessionExamples,
  ...serverExamples,
  ...stateExamples,
  ...supplementaryExamples,
  ...searchExamples,
  ...retrievalExamples,
  ...tokenExamples,
  ...formatExamples,
  ...consoleExamples,
  ...mcpServerExamples,
  getOpenApiDocument: {},
  getDocumentationPage: {},
};

/** Where an operation names no version of its own. */
export const preconditionExamples = { 'if-match': '*', 'if-none-match': '"0"' } as const;

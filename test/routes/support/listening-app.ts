/** The app over a fake engine, listening on a free port of loopback, and what its document says it can do. */
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { exampleCode } from '../../../openapi/examples-console.ts';
import { type AppOptions, createApp } from '../../../routes/app.ts';
import { isPublicRequest } from '../../../routes/http/guard.ts';
import type { ConsoleSessions } from '../../../src/sign-in/console-sessions.ts';
import { createFakeEngine, type FakeEngine } from './fake-engine.ts';

export const token = 'tKq3Zr0pX5yW8uN1mB4vC7xL2sD6fG9hJ0aE3iO5kQ8';

export type TestApp = { app: FastifyInstance; engine: FakeEngine; shutdowns: () => number };

export async function createTestApp(options: Partial<AppOptions> = {}): Promise<TestApp> {
  const engine = createFakeEngine();
  let shutdowns = 0;
  const app = await createApp({
    engine,
    async answerHook(asked) {
      engine.calls.push({ verb: 'answerHook', argument: asked });
      return {};
    },
    token,
    version: '0.1.0',
    startedAt: new Date('2026-01-05T08:30:00.000Z'),
    logger: false,
    console: testConsole(createFakeConsoleSessions(engine)),
    instanceId: '0b5e6b1c9a3f4d2e8c7a6b5d4e3f2a1b',
    onShutdown: () => {
      shutdowns += 1;
    },
    ...options,
  });
  return { app, engine, shutdowns: () => shutdowns };
}

/** Stands in for a console that was built. */
export const builtConsole = join(import.meta.dirname, 'built-console');

/** The host of the console of these apps. */
export const consoleName = '3f9c1b7ad2e84056b1f07c9d8e2a4f63.localhost';

/** Its pages are nowhere. */
export function testConsole(sessions: ConsoleSessions, directory: string = builtConsole): AppOptions['console'] {
  const pages = { create: () => '/state/sign-in/sign-in-0123456789abcdef.html', remove() {}, removeAll() {} };
  return { sessions, pages, name: consoleName, directory };
}

/** The code of the examples always works; the tokens open nothing. */
function createFakeConsoleSessions({ calls }: FakeEngine): ConsoleSessions {
  return {
    createCode() {
      calls.push({ verb: 'createCode' });
      return { code: exampleCode, expiresAt: '2026-01-05T08:32:00.000Z' };
    },
    redeem(given) {
      calls.push({ verb: 'redeem', argument: given });
      const session = { token: 'y'.repeat(43), createdAt: '2026-01-05T08:31:05.000Z' };
      return given === exampleCode ? { session } : undefined;
    },
    idOf: () => undefined,
    end(given) {
      calls.push({ verb: 'end', argument: given });
      return undefined;
    },
  };
}

export type ListeningApp = TestApp & { port: number; url: string };

export async function createListeningApp(options: Partial<AppOptions> = {}): Promise<ListeningApp> {
  const test = await createTestApp(options);
  const url = await test.app.listen({ host: '127.0.0.1', port: 0 });
  return { ...test, url, port: Number(new URL(url).port) };
}

/** A logger at trace level and the lines it has written. */
export function createLogSink() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, logger: pino({ level: 'trace' }, stream) };
}

export type Operation = {
  operationId: string;
  method: string;
  path: string;
  isPublic: boolean;
  takesBody: boolean;
  /** Example body in JSON, where the operation takes one. */
  body: string | undefined;
  /** Path with the example of the query, where there is one. */
  target: string;
};

/** Files of a project are written only by who says which version was seen. */
export function versionHeaders({ operationId }: Operation): [name: string, value: string][] {
  return ['putPolicy', 'deletePolicy', 'putFormats'].includes(operationId) ? [['If-Match', '*']] : [];
}

type DocumentedOperation = {
  operationId: string;
  parameters?: { name: string; in: string; example?: string | number }[];
  requestBody?: { required?: boolean; content: Record<string, { example?: unknown }> };
};
type Paths = Record<string, Record<string, DocumentedOperation>>;

let operations: readonly Operation[] | undefined;

/** Every operation of the OpenAPI document. It is the same for every app, and making it takes longer than most tests. */
export function operationsOf(app: FastifyInstance): readonly Operation[] {
  operations ??= operationsIn(app.swagger().paths as unknown as Paths);
  return operations;
}

function operationsIn(paths: Paths): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => {
      const query = new URLSearchParams();
      let target = path;
      for (const { name, in: place, example = '' } of parameters) {
        if (place === 'path') target = target.replace(`{${name}}`, String(example));
        else if (place === 'query') query.set(name, String(example));
      }
      // A body that need not be there may say only what the query says already.
      const isSaid = query.size > 0 && requestBody?.required === false;
      const example = isSaid ? undefined : requestBody?.content['application/json']?.example;
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        isPublic: isPublicRequest(method.toUpperCase(), path),
        takesBody: requestBody !== undefined,
        body: example === undefined ? undefined : JSON.stringify(example),
        target: query.size === 0 ? target : `${target}?${query}`,
      };
    }),
  );
}

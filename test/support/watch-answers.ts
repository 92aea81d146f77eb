/**
 * For all tests: no operation gives an answer that its document does not name (AN-06), whoever asks and however. Apps in
 * this process tell it themselves; of daemons in others, every client of HTTP in this process sees what they answer.
 */
import { channel } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, expect } from 'vitest';
import { noteAnswer, shared } from './documented-answers.ts';

/** Whether the daemon gave an answer, and not what stands in for another server. */
function isOwn(header: (name: string) => unknown): boolean {
  return /^[0-9a-f]{32}$/u.test(String(header('x-request-id'))) && header('referrer-policy') === 'no-referrer';
}

function watch(): void {
  channel('fastify.initialization').subscribe((message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onSend', async (request, reply, payload) => {
      const type = String(reply.getHeader('content-type'));
      const isProblem = typeof payload === 'string' && type.startsWith('application/problem+json');
      const code = isProblem ? (JSON.parse(payload) as { code: string }).code : undefined;
      noteAnswer({ method: request.method, target: request.url, status: reply.statusCode, code });
      return payload;
    });
  });
  channel('http.server.response.finish').subscribe((message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (!isOwn((name) => response.getHeader(name))) return;
    noteAnswer({ method: request.method ?? '', target: request.url ?? '', status: response.statusCode });
  });
  channel('http.client.response.finish').subscribe((message) => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
    if (!isOwn((name) => response.headers[name])) return;
    noteAnswer({ method: request.method, target: request.path, status: response.statusCode ?? 0 });
  });
  channel('undici:request:headers').subscribe((message) => {
    type Exchange = { request: { method: string; path: string }; response: { statusCode: number; headers: Buffer[] } };
    const { request, response } = message as Exchange;
    const lines = response.headers.map(String);
    const header = (name: string) => lines[lines.findIndex((line) => line.toLowerCase() === name) + 1];
    if (isOwn(header)) noteAnswer({ method: request.method, target: request.path, status: response.statusCode });
  });
}

if (shared.undocumentedAnswers === undefined) {
  shared.undocumentedAnswers = new Set();
  watch();
}

function judge(): void {
  const seen = [...(shared.undocumentedAnswers ?? [])];
  shared.undocumentedAnswers?.clear();
  expect(seen, 'AN-06 each answer is in the document of its operation').toEqual([]);
}

afterEach(judge);
afterAll(judge);

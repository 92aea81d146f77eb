/** A daemon that does nothing: it answers each operation with its example, and keeps which were asked for. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { operationExamples } from '../../openapi/examples.ts';
import { createProblem } from '../../routes/http/problem.ts';
import { writeDiscoveryFile } from '../../src/bin/state/discovery-file.ts';
import { listenOnLoopback } from './loopback.ts';

type Operation = { operationId: string; method: string; path: string };

export type RecordingDaemon = AsyncDisposable & {
  /** The operations that were asked for since the last call. */
  takeAsked(): string[];
};

/** `operations` have their paths as the OpenAPI document has them. Clients find it by `stateDirectory`. */
export async function startRecordingDaemon(
  operations: readonly Operation[],
  stateDirectory: string,
): Promise<RecordingDaemon> {
  const token = 'a'.repeat(43);
  const patterns = operations.map((operation) => {
    const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u');
    return { ...operation, pattern };
  });
  let asked: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    // Paths with a name come before those with something filled in.
    const found = patterns
      .filter(({ method, pattern }) => method === request.method && pattern.test(pathname))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
    const operationId = found?.operationId ?? `${request.method} ${pathname}`;
    if (operationId === 'getHealth') {
      const proof = createHmac('sha256', token)
        .update(searchParams.get('challenge') ?? '')
        .digest('hex');
      response.end(JSON.stringify({ status: 'ok', proof }));
      return;
    }
    if (operationId === 'streamEvents' && !asked.includes('streamEvents')) {
      const data = JSON.stringify({
        ...(operationExamples.warmSearch?.answer as object),
        phase: 'index',
        done: 1,
        total: 1,
        state: 'finished',
      });
      asked.push(operationId);
      response.setHeader('content-type', 'text/event-stream');
      response.write(': ready\n\n');
      // Clients ask for something else once the stream is open, and that brings what they wait for.
      setTimeout(() => response.end(`event: index-progress\ndata: ${data}\n\n`), 200);
      return;
    }
    // Who follows events comes again for ever, until refused.
    const refused = operationId === 'streamEvents' || found === undefined;
    if (!asked.includes(operationId)) asked.push(operationId);
    const answer = refused ? createProblem('unauthorized', 'id') : operationExamples[operationId]?.answer;
    response.statusCode = refused ? 401 : answer === undefined ? 204 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(answer === undefined ? '' : JSON.stringify(answer));
  });
  const port = await listenOnLoopback(server);
  writeDiscoveryFile(join(stateDirectory, 'daemon.json'), {
    url: `http://127.0.0.1:${port}`,
    token,
    pid: process.pid,
    version: '0',
    instanceId: '0',
    startedAt: new Date(0),
  });
  return {
    takeAsked() {
      const taken = asked;
      asked = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

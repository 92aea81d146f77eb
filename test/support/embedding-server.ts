/** A server that embeds by the interface of OpenAI, as Ollama and others have it: real sockets, invented vectors. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vectorOf } from './fake-embedder.ts';

export type Asked = { url: string; headers: IncomingMessage['headers']; body: { model: string; input: string[] } };
type Answer = (asked: Asked, response: ServerResponse) => void;

export type EmbeddingServer = AsyncDisposable & {
  /** Without a path. */
  readonly url: string;
  readonly asked: Asked[];
  /** How it answers from now on. */
  answer: Answer;
  /** What the model behind the name is; others have other vectors. */
  modelBehind: string;
  /** Ends it; `resume` listens on the same port again. */
  pause(): Promise<void>;
  resume(): Promise<void>;
};

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Vectors of 384 numbers that are alike as far as the texts have words in common, and not of length 1. */
export function listOf(
  { body: { input } }: Asked,
  identity = 'first',
): { data: { index: number; embedding: number[] }[] } {
  return {
    data: input.map((text, index) => ({ index, embedding: [...vectorOf(text, identity)].map((each) => 3 * each) })),
  };
}

export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const asked: Asked[] = [];
  const answerWell: Answer = (each, response) => sendJson(response, listOf(each, server.modelBehind));
  const http = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () => {
      const each = { url: request.url ?? '', headers: request.headers, body: JSON.parse(text) };
      asked.push(each);
      server.answer(each, response);
    });
  });
  const listen = (port: number) => new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = http.address() as AddressInfo;
  const server: EmbeddingServer = {
    url: `http://127.0.0.1:${port}`,
    asked,
    answer: answerWell,
    modelBehind: 'first',
    async pause() {
      const closed = new Promise((resolve) => http.close(resolve));
      http.closeAllConnections();
      await closed;
    },
    resume: () => listen(port),
    async [Symbol.asyncDispose]() {
      if (http.listening) await server.pause();
    },
  };
  return server;
}

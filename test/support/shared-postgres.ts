/** One PostgreSQL for all tests of a run. It starts when the first of them asks. */
import { createServer } from 'node:http';
import { listenOnLoopback } from './loopback.ts';
import { findPostgres, howToGetPostgres, type PostgresServer, startPostgres } from './postgres-server.ts';

/** Of `vitest`, in the process that outlives the tests. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.CONTEXTD_TEST_POSTGRES !== undefined || findPostgres() === undefined) return undefined;
  let server: Promise<PostgresServer> | undefined;
  const broker = createServer((_request, response) => {
    server ??= startPostgres();
    server
      .then((started) => started.createDatabase())
      .then(
        (url) => response.end(url),
        (error: Error) => response.writeHead(500).end(error.message),
      );
  });
  process.env.CONTEXTD_TEST_POSTGRES = `http://127.0.0.1:${await listenOnLoopback(broker)}/`;
  return async () => {
    broker.close();
    await (await server)?.stop();
  };
}

/** Whether tests on it can run. In CI they must. */
export const hasPostgres = ((): boolean => {
  if (findPostgres() !== undefined) return true;
  if (process.env.CONTEXTD_REQUIRE_POSTGRES !== undefined) throw new Error(howToGetPostgres);
  return false;
})();

/** What the title of a skipped suite says. */
export const onPostgres = hasPostgres ? 'on PostgreSQL' : `skipped: ${howToGetPostgres}`;

/** The address of an empty database on the server of this run. */
export async function createTestDatabase(): Promise<string> {
  const broker = process.env.CONTEXTD_TEST_POSTGRES;
  if (broker === undefined) throw new Error('vitest.config.ts names no globalSetup of this project that starts it.');
  const answer = await fetch(broker);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

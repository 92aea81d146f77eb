/** What the client of each language has to do beside a real daemon. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, until } from '../support/daemon.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { type ClientProgram, createPlace, type Place, startProgram, type Told } from './client-program.ts';

const context = (mountedDirectory: string, more: Record<string, unknown> = {}, grant = false) =>
  ({ do: 'context', request: { mountedDirectory, ...more }, grant }) as const;
const agentsFile = ({ answer }: Told) => answer?.items.find(({ name }) => name === 'AGENTS')?.content;

/** `build` compiles the program into a directory, where that is needed, and gives the command that runs it. */
export function describeClient(language: string, build: (directory: string) => readonly string[]): void {
  describe(`the ${language} client`, () => {
    let command: readonly string[];
    let builds: Place;
    let place: Place;
    let program: ClientProgram;
    const start = () => startProgram(command, place.env);
    /** Nobody has to read a stack trace. */
    const end = async () => {
      expect(program.complaints()).toBe('');
      await program[Symbol.asyncDispose]();
    };
    const startAnew = async (env: Record<string, string>) => {
      await end();
      program = startProgram(command, { ...place.env, ...env });
    };
    beforeAll(() => {
      builds = createPlace();
      command = build(builds.home);
    }, 180_000);
    beforeEach(() => {
      place = createPlace();
    });
    afterEach(async () => {
      await end();
      await place.remove();
    });

    it('AN-08 starts the daemon where none runs, and lets it read a directory only when it is told to', async () => {
      program = start();
      const { problem } = await program.does(context(place.project));
      expect(problem).toMatchObject({ status: 403, code: 'path_outside_roots', pointer: '/mountedDirectory' });
      // The detail is said once, and where it belongs.
      expect(problem?.text.split(problem.detail)).toHaveLength(2);
      expect(problem?.text).toContain('/mountedDirectory');
      expect(problem?.text).toContain('contextd roots grant');
      expect(agentsFile(await program.does(context(place.project, {}, true)))).toBe('Prices are in cents.\n');
      expect(agentsFile(await program.does(context(place.project)))).toBe('Prices are in cents.\n');
    });

    it('AN-08 finds the daemon again that was killed, and another one that has its place', async () => {
      program = start();
      await program.does(context(place.project, {}, true));
      const { token } = place.discovery();
      await place.kill();
      expect(agentsFile(await program.does(context(place.project)))).toBe('Prices are in cents.\n');
      expect(place.discovery().token).not.toBe(token);
      await place.kill();
      await place.cli('ensure');
      expect(agentsFile(await program.does(context(place.project)))).toBe('Prices are in cents.\n');
    });

    it('AN-08 S-74 asks over the port where there is no socket, and tells the token to no stranger there', async () => {
      await place.remove();
      // Too long for the path of a socket.
      place = createPlace('s'.repeat(120));
      program = start();
      expect(agentsFile(await program.does(context(place.project, {}, true)))).toBe('Prices are in cents.\n');
      const { url, socket } = place.discovery();
      expect(socket).toBeUndefined();
      await place.kill();
      const told: unknown[] = [];
      const stranger = createServer((request, response) => {
        told.push(request.headers.authorization);
        response.end('{}');
      });
      await once(stranger.listen(Number(new URL(url).port), '127.0.0.1'), 'listening');
      try {
        expect(agentsFile(await program.does(context(place.project)))).toBe('Prices are in cents.\n');
        expect(told.filter((token) => token !== undefined)).toEqual([]);
      } finally {
        stranger.closeAllConnections();
        stranger.close();
      }
    });

    it('AN-08 counts unsaved text, and says where a request has a mistake, at the daemon that the environment names', async () => {
      program = start();
      await using daemon = await startDaemon({ grantRoots: [place.project] });
      const { socket } = JSON.parse(readFileSync(join(daemon.stateDirectory, 'daemon.json'), 'utf8'));
      for (const address of [daemon.url, `${daemon.url}/`, `unix:${socket}`]) {
        await startAnew({ CONTEXTD_URL: address, CONTEXTD_TOKEN: daemon.token });
        const documents = [{ path: 'AGENTS.md', content: 'Prices are in öre.' }];
        expect(agentsFile(await program.does(context(place.project, { documents })))).toBe('Prices are in öre.');
        const { problem } = await program.does(context(place.project, { dokuments: documents }));
        expect(problem).toMatchObject({ status: 400, code: 'invalid_request', pointer: '/dokuments' });
        expect(problem?.text).toContain('/dokuments');
        const asked = await program.does({ do: 'request', method: 'GET', path: '/v1/status' });
        expect(asked.answer).toMatchObject({ pid: daemon.process.child.pid });
        const written = { do: 'request', method: 'PUT', path: '/v1/agents/own', body: { name: 'Own' } } as const;
        expect((await program.does(written)).answer).toMatchObject({ id: 'own' });
        // An answer without a body.
        expect(await program.does({ do: 'request', method: 'DELETE', path: '/v1/agents/own' })).toEqual({
          answer: null,
        });
      }
      // It is the daemon that was named, and no other.
      expect(existsSync(place.stateDirectory)).toBe(false);
      await daemon.stop();
      expect((await program.does(context(place.project))).failure).toBeTruthy();
    });

    it('AN-08 sends headers, and gives the headers and the text of an answer', async () => {
      program = start();
      const agent = { do: 'open', method: 'PUT', path: '/v1/agents/own' } as const;
      const made = await program.does({ ...agent, body: { name: 'Own' }, headers: { 'If-None-Match': '*' } });
      const etag = made.opened?.etag ?? '';
      expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
      await program.does({ ...agent, body: { name: 'Other' }, headers: { 'If-Match': etag } });
      const late = await program.does({ ...agent, body: { name: 'Late' }, headers: { 'If-Match': etag } });
      expect(late.problem).toMatchObject({ status: 412, code: 'version_mismatch' });
      const written = await program.does({ do: 'open', method: 'GET', path: '/v1/agents/own/export?format=yaml' });
      expect(written.opened?.text).toContain('name: Other\n');
    });

    it('AN-08 is told of changes, also of those behind a restart of the daemon', async () => {
      program = start();
      await program.does(context(place.project, {}, true));
      const write = (text: string) => writeFileSync(join(place.project, 'AGENTS.md'), text);
      program.follows();
      // Nothing says when the stream is open; once it is, each change is told.
      const changed = async (word: string) => {
        let isTold = false;
        const next = program
          .event(({ changes = [] }) => changes.some(({ path }) => path === join(place.project, 'AGENTS.md')))
          .finally(() => {
            isTold = true;
          });
        for (let turn = 0; !isTold; turn += 1, await Promise.race([next, delay(500)])) {
          await program.does(context(place.project));
          write(`${word} ${turn}`);
        }
        return next;
      };
      expect((await changed('one')).type).toBe('context-changed');
      // For a while, no daemon can be started either.
      const startAgain = place.breakCommand();
      await place.kill();
      await until(startAgain.wasTried);
      // A process that shares its input can end it.
      expect(startAgain.input()).not.toBe(program.input());
      startAgain.mend();
      // The id of the stream is that of the daemon before.
      await program.event(({ type }) => type === 'resync');
      expect((await changed('two')).type).toBe('context-changed');
    });

    it('AN-08 says why no daemon can be asked, and what it cannot read', async () => {
      program = startProgram(command, { ...place.env, CONTEXTD_PORT: 'many' });
      expect((await program.does(context(place.project))).failure).toContain('many');
      const others = (process.env.PATH ?? '').split(delimiter).filter((path) => !existsSync(join(path, 'contextd')));
      await startAnew({ PATH: others.join(delimiter) });
      expect((await program.does(context(place.project))).failure).toContain('contextd');
      await startAnew({ CONTEXTD_URL: 'https://localhost:1' });
      expect((await program.does(context(place.project))).failure).toBeTruthy();
      const answers = [200, 404, 500].map((status) => ({ status, text: status === 404 ? '{"message":"no"}' : 'none' }));
      const stranger = createServer((_, response) => {
        const { status = 500, text } = answers.shift() ?? {};
        response.writeHead(status).end(text);
      });
      const port = await listenOnLoopback(stranger);
      await startAnew({ CONTEXTD_URL: `http://127.0.0.1:${port}` });
      while (answers.length > 0) expect(await program.does(context(place.project))).not.toHaveProperty('answer');
      stranger.close();
    });
  });
}

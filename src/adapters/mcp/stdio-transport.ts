/** MCP over the pipes of a process (S-28, S-30): one message a line, bounded in size, depth, rate and backlog. */
import { statSync } from 'node:fs';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { McpError, type McpFailure, type McpLaunch } from '../../ports/mcp-launcher.ts';
import { createKnownSecrets } from '../../texts/mask.ts';
import { createAllowance, createMessageScanner, tooMuch } from './flood-guard.ts';
import { createFailureReport, type McpLink, shortText } from './link.ts';
import type { ServerProcess } from './processes.ts';
import { createStderrRing } from './stderr.ts';

/** What may wait to be read by the server. */
const backlogBytes = 16 * 1024 * 1024;
/** A process that closes its output is given so long to end. */
const exitMs = 500;
/** So much of stderr counts as one message. */
const stderrBytes = 5_000;
/** So many pieces of a line are kept apart: one that comes byte by byte must not cost an object for each. */
const maxPieces = 256;
/** So much is kept of the beginning and of the end of a line that is passed over: its id stands at one of them. */
const edgeBytes = 1_024;
/** Requests of callers, whose failing costs nobody else anything. */
const calls = new Set(['tools/call', 'resources/read', 'prompts/get']);
/** So many lines are taken in one turn. */
const linesInTurn = 500;

/** Every user's own, and no secret; the others were written for this server. */
const plainVariables = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
/** Others are about requests we do not make, and there may be any number of them. */
const usedNotifications = /^notifications\/(?:(?:tools|resources|prompts)\/list_changed$|subscriptions\/)/u;

type StdioLaunch = McpLaunch & { transport: 'stdio' };

export function createStdioLink(server: ServerProcess, launch: StdioLaunch): McpLink {
  const { child } = server;
  const report = createFailureReport();
  const given = Object.entries(launch.env).filter(([name]) => !plainVariables.includes(name));
  const secrets = createKnownSecrets(given.map(([, value]) => value));
  const stderr = createStderrRing(secrets);
  /** By id, the method. */
  const waiting = new Map<unknown, string>();
  let strayLine = '';

  const fail = (error: unknown) => {
    report.fail(error);
    child.stdout.pause();
    child.stderr.pause();
    transport.onclose?.();
  };

  const transport: Transport = {
    async start() {
      child.once('error', (error: NodeJS.ErrnoException) => fail(new McpError(whyNotStarted(error, launch))));
      listenToEnd(child, { lastWords: stderr.text, fail });
      listen(child.stdout, { receive, fail, mayPassOver, rejectCall });
      listenToErrors(child.stderr, { isOver: () => report.failure() !== undefined, add: stderr.add, fail });
    },
    async send(message: JSONRPCMessage) {
      const failure = report.failure();
      if (failure !== undefined) throw new McpError(failure);
      const line = `${JSON.stringify(message)}\n`;
      if (child.stdin.writableLength + line.length > backlogBytes) throw tooMuch('It does not read its input.');
      if ('method' in message && 'id' in message) waiting.set(message.id, message.method);
      child.stdin.write(line);
    },
    async close() {
      transport.onclose?.();
    },
  };

  /** One line; returns what of it counts as said unasked. */
  const receive = (line: string): number => {
    const cost = 1 + line.length / 16_384;
    let message: JSONRPCMessage;
    try {
      if (!line.startsWith('{')) throw new SyntaxError('no object');
      message = JSON.parse(line);
    } catch {
      // Many a program greets on its output.
      strayLine ||= shortText(line);
      return cost;
    }
    if ('method' in message) {
      if ('id' in message || usedNotifications.test(message.method)) transport.onmessage?.(message);
      return cost;
    }
    if (!waiting.delete(message.id)) return cost;
    transport.onmessage?.(message);
    return 0;
  };

  const mayPassOver = () => callsAmong(waiting).length > 0;
  /** Of an answer that is not taken. */
  const rejectCall = (edges: string, error: McpError): void => {
    for (const id of meantBy(edges, callsAmong(waiting))) {
      waiting.delete(id);
      const failed = { code: -32_603, message: error.message, data: error };
      transport.onmessage?.({ jsonrpc: '2.0', id: id as number, error: failed });
    }
  };

  return {
    transport,
    pid: child.pid,
    failure: () => report.failure(),
    onFailure: report.onFailure,
    stderr: stderr.text,
    scrub: secrets.scrub,
    strayLine: () => secrets.scrub(strayLine),
    end: () => server.end(),
  };
}

const idField = /"id"\s{0,8}:\s{0,8}(\d{1,15}|"[\w-]{1,128}")/gu;

/** The calls of callers among requests that wait, by id. */
function callsAmong(waiting: ReadonlyMap<unknown, string>): unknown[] {
  return [...waiting].flatMap(([id, method]) => (calls.has(method) ? [id] : []));
}

/** The call that an answer belongs to, by its edges; where that cannot be told, all that wait. */
function meantBy(edges: string, open: readonly unknown[]): readonly unknown[] {
  const ids = new Set([...edges.matchAll(idField)].map(([, id = '']) => JSON.parse(id) as unknown));
  const meant = open.filter((id) => ids.has(id));
  return meant.length === 1 ? meant : open;
}

type Output = ServerProcess['child']['stdout'];
type Listener = {
  receive(line: string): number;
  fail(error: unknown): void;
  /** Whether a line that is too long, or nested too deep, can be an answer whose failing concerns its caller only. */
  mayPassOver(): boolean;
  /** Told the beginning and the end of such a line. */
  rejectCall(edges: string, error: McpError): void;
};

/** Gives every complete line to `receive`; what that returns is counted, and too much of it stops the reading. */
function listen(output: Output, { receive, fail, mayPassOver, rejectCall }: Listener): void {
  let passedOver: McpError | undefined;
  const scanner = createMessageScanner('lines', (error) => {
    if (!mayPassOver()) return false;
    passedOver = error;
    return true;
  });
  const allowance = createAllowance();
  let held: Buffer[] = [];
  let failed = false;
  const takeLines = (chunk: Buffer): void => {
    let cost = 0;
    let from = 0;
    for (let lines = 0; from < chunk.length && lines < linesInTurn; lines += 1) {
      const newline = chunk.indexOf(0x0a, from);
      const to = newline === -1 ? chunk.length : newline + 1;
      const part = chunk.subarray(from, to);
      from = to;
      const isComplete = scanner.feed(part) > 0;
      // A view would keep the whole chunk.
      held.push(isComplete ? part : Buffer.from(part));
      if (passedOver !== undefined) held = edgesOf(held);
      else if (held.length > maxPieces) held = [Buffer.concat(held)];
      if (!isComplete) break;
      if (passedOver !== undefined) {
        rejectCall(Buffer.concat(held).toString('latin1'), passedOver);
        [held, passedOver] = [[], undefined];
        continue;
      }
      const line = Buffer.concat(held).toString('utf8').trim();
      held = [];
      if (line !== '') cost += receive(line);
      else cost += 1;
    }
    const pauseMs = allowance.take(cost);
    const isRest = from < chunk.length;
    if (isRest || pauseMs > 0) pauseFor(output, pauseMs);
    if (isRest) output.unshift(chunk.subarray(from));
  };
  output.on('data', (chunk: Buffer) => {
    if (failed) return;
    try {
      takeLines(chunk);
    } catch (error) {
      failed = true;
      held = [];
      fail(error);
    }
  });
}

/** Tells that the process has ended, or says nothing any more. */
function listenToEnd(
  child: ServerProcess['child'],
  { lastWords, fail }: { lastWords(): string; fail(error: unknown): void },
): void {
  child.once('exit', (code, signal) => {
    // What it wrote last may still be in the pipes.
    setTimeout(() => {
      const how = signal === null ? `with code ${code}` : `by ${signal}`;
      fail(new McpError({ code: 'exited', detail: withLastWords(`The process ended ${how}.`, lastWords()) }));
    }, 50);
  });
  child.stdout.once('close', () => {
    const closed = { code: 'protocol', detail: 'The process closed its output, but continues to run.' } as const;
    setTimeout(() => fail(new McpError(closed)), exitMs).unref();
  });
}

/** Keeps what the process says besides, which counts as messages do. */
function listenToErrors(
  output: Output,
  { isOver, add, fail }: { isOver(): boolean; add(chunk: Buffer): void; fail(error: unknown): void },
): void {
  const allowance = createAllowance();
  output.on('data', (chunk: Buffer) => {
    if (isOver()) return;
    add(chunk);
    try {
      const pauseMs = allowance.take(chunk.length / stderrBytes);
      if (pauseMs > 0) pauseFor(output, pauseMs);
    } catch (error) {
      fail(error);
    }
  });
}

function edgesOf(pieces: readonly Buffer[]): Buffer[] {
  const whole = Buffer.concat(pieces);
  if (whole.length <= 2 * edgeBytes) return [whole];
  return [Buffer.from(whole.subarray(0, edgeBytes)), Buffer.from(whole.subarray(-edgeBytes))];
}

function pauseFor(stream: Output, ms: number): void {
  stream.pause();
  setTimeout(() => stream.resume(), ms);
}

function withLastWords(detail: string, said: string): string {
  const words = shortText(said.trimEnd().split('\n').at(-1) ?? '');
  return words === '' ? detail : `${detail} Its last output: ${words}`;
}

function whyNotStarted({ code, message }: NodeJS.ErrnoException, { command, cwd }: StdioLaunch): McpFailure {
  const noDirectory = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true;
  if (noDirectory) return { code: 'not_found', detail: `Its working directory does not exist: ${cwd}` };
  if (code === 'ENOENT') return { code: 'not_found', detail: `There is no program ${command}.` };
  if (code === 'EACCES' || code === 'ENOEXEC')
    return { code: 'not_executable', detail: `${command} cannot be run (${code}).` };
  return { code: 'exited', detail: `The process could not be started: ${message}` };
}

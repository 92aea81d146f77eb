/** MCP over the pipes of a process (S-28, S-30). One message a line, with limits of size, depth, rate and backlog. */
import { statSync } from 'node:fs';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { McpError, type McpFailure, type McpLaunch } from '../../ports/mcp-launcher.ts';
import { createKnownSecrets } from '../../texts/mask.ts';
import { createAllowance, createMessageScanner, tooMuch } from './flood-guard.ts';
import { createFailureReport, type McpLink, shortText } from './link.ts';
import type { ServerProcess } from './processes.ts';
import { createStderrRing, withLastWords } from './stderr.ts';

/** Max bytes that wait until the server reads them. */
const backlogBytes = 16 * 1024 * 1024;
/** A process that closes its output must end within this time. */
const exitMs = 500;
/** This many bytes of stderr count as one message. */
const stderrBytes = 5_000;
/** Max stored pieces of a line. A line that comes byte by byte must not need an object for each. */
const maxPieces = 256;
/** This many bytes are stored of the beginning and the end of a skipped line. One of them contains its id. */
const edgeBytes = 1_024;
/** Requests of callers. Their failure concerns only one caller. */
const calls = new Set(['tools/call', 'resources/read', 'prompts/get']);
/** Max lines read in one turn of the event loop. */
const linesInTurn = 500;

/** Variables that are not secret. All others were written for this server. */
const plainVariables = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
/** Other notifications are about requests that contextd does not make, and there may be any number of them. */
const usedNotifications = /^notifications\/(?:(?:tools|resources|prompts)\/list_changed$|subscriptions\/)/u;

type StdioLaunch = McpLaunch & { transport: 'stdio' };

export function createStdioLink(server: ServerProcess, launch: StdioLaunch): McpLink {
  const { child } = server;
  const report = createFailureReport();
  const given = Object.entries(launch.env).filter(([name]) => !plainVariables.includes(name));
  const secrets = createKnownSecrets(given.map(([, value]) => value));
  const stderr = createStderrRing(secrets);
  /** The method of each open request, by id. */
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

  /** Handles one line. Returns how much of it counts as sent without a request. */
  const receive = (line: string): number => {
    const cost = 1 + line.length / 16_384;
    let message: JSONRPCMessage;
    try {
      if (!line.startsWith('{')) throw new SyntaxError('no object');
      message = JSON.parse(line);
    } catch {
      // Many programs print a greeting on their output.
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
  /** Fails the call whose answer is not taken. */
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
    scrub: secrets.scrub,
    strayLine: () => secrets.scrub(strayLine),
    end: () => server.end(),
  };
}

const idField = /"id"\s{0,8}:\s{0,8}(\d{1,15}|"[\w-]{1,128}")/gu;

/** The ids of open requests that are calls of callers. */
function callsAmong(waiting: ReadonlyMap<unknown, string>): unknown[] {
  return [...waiting].flatMap(([id, method]) => (calls.has(method) ? [id] : []));
}

/** The call that a skipped answer belongs to, by its edges. If that is unclear, all open calls. */
function meantBy(edges: string, open: readonly unknown[]): readonly unknown[] {
  const ids = new Set([...edges.matchAll(idField)].map(([, id = '']) => JSON.parse(id) as unknown));
  const meant = open.filter((id) => ids.has(id));
  return meant.length === 1 ? meant : open;
}

type Output = ServerProcess['child']['stdout'];
type Listener = {
  receive(line: string): number;
  fail(error: unknown): void;
  /** Whether a line that is too long, or nested too deep, can be an answer that concerns only its caller. */
  mayPassOver(): boolean;
  /** Called with the beginning and the end of such a line. */
  rejectCall(edges: string, error: McpError): void;
};

/** Passes every complete line to `receive`, and counts its result. If that is too much, the reading pauses. */
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
      // A view would keep the whole chunk in memory.
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

/** Reports that the process has ended or has closed its output. */
function listenToEnd(
  child: ServerProcess['child'],
  { lastWords, fail }: { lastWords(): string; fail(error: unknown): void },
): void {
  child.once('exit', (code, signal) => {
    // The last output may still be in the pipes.
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

/** Stores the process's stderr, which counts like messages. */
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

function whyNotStarted({ code, message }: NodeJS.ErrnoException, { command, cwd }: StdioLaunch): McpFailure {
  const noDirectory = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true;
  if (noDirectory) return { code: 'not_found', detail: `Its working directory does not exist: ${cwd}` };
  if (code === 'ENOENT') return { code: 'not_found', detail: `There is no program ${command}.` };
  if (code === 'EACCES' || code === 'ENOEXEC')
    return { code: 'not_executable', detail: `${command} cannot be run (${code}).` };
  return { code: 'exited', detail: `The process could not be started: ${message}` };
}

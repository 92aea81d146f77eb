/** A TCP proxy that does to a connection what networks do: it cuts, delays, stalls, and answers nothing. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback.ts';

/** `before`: what a client asks to be committed never arrives. `after`: it arrives, and the answer is lost. */
type CommitCut = 'before' | 'after';

export type FaultyProxy = AsyncDisposable & {
  port: number;
  /** The same address by way of the proxy. */
  through(address: string): string;
  /** Ends all connections; new ones are let through. */
  cut(): void;
  /** Ends all connections, and each new one at once, until `heal`. */
  refuse(): void;
  /** Nothing goes through any more, in neither direction, and nothing ends, until `heal`. */
  stall(): void;
  /** Each piece of data waits so long, in each direction. */
  delay(ms: number): void;
  /** Cuts the connection at the next commits, as many as asked for; resolves when that is done. */
  cutAtCommit(when: CommitCut, times?: number): Promise<void>;
  heal(): void;
  /** Connections that are open now. */
  readonly connections: number;
};

type Fault = {
  kind: 'none' | 'refuse' | 'stall';
  delayMs: number;
  commitCut?: { when: CommitCut; left: number; done(): void };
};

/** The words of a statement; in the protocol of PostgreSQL they stand for themselves, and end with a zero. */
const commit = /COMMIT\0/iu;

export async function startFaultyProxy(target: { host: string; port: number }): Promise<FaultyProxy> {
  const fault: Fault = { kind: 'none', delayMs: 0 };
  const pairs = new Set<() => void>();
  const held: (() => void)[] = [];

  const pass = (from: Socket, to: Socket, look: (data: Buffer) => boolean): void => {
    let last = Promise.resolve();
    from.on('data', (data: Buffer) => {
      if (!look(data)) return;
      const ms = fault.delayMs;
      // In their order, also when the delay changes.
      const due =
        ms === 0 ? last : Promise.all([last, new Promise((resolve) => setTimeout(resolve, ms))]).then(() => {});
      last = due.then(async () => {
        if (fault.kind === 'stall') await new Promise<void>((resolve) => held.push(resolve));
        if (!to.destroyed) to.write(data);
      });
    });
  };

  const server = createServer((client) => {
    client.on('error', () => {});
    if (fault.kind === 'refuse') {
      client.destroy();
      return;
    }
    const upstream = connect(target);
    const end = () => {
      client.destroy();
      upstream.destroy();
      pairs.delete(end);
    };
    pairs.add(end);
    upstream.on('error', end).on('close', end);
    client.on('close', end);
    let isAnswerLost = false;
    const countCut = () => {
      const { commitCut } = fault;
      if (commitCut === undefined) return;
      commitCut.left -= 1;
      if (commitCut.left > 0) return;
      delete fault.commitCut;
      commitCut.done();
    };
    pass(client, upstream, (data) => {
      if (fault.commitCut === undefined || !commit.test(data.toString('latin1'))) return true;
      if (fault.commitCut.when === 'after') {
        isAnswerLost = true;
        return true;
      }
      end();
      countCut();
      return false;
    });
    pass(upstream, client, () => {
      if (!isAnswerLost) return true;
      end();
      countCut();
      return false;
    });
  });
  const port = await listenOnLoopback(server);
  const cut = () => {
    for (const end of [...pairs]) end();
  };
  const heal = () => {
    fault.kind = 'none';
    fault.delayMs = 0;
    delete fault.commitCut;
    for (const release of held.splice(0)) release();
  };
  return {
    port,
    through(address) {
      const url = new URL(address);
      url.hostname = '127.0.0.1';
      url.port = String(port);
      return url.href;
    },
    cut,
    refuse() {
      fault.kind = 'refuse';
      cut();
    },
    stall() {
      fault.kind = 'stall';
    },
    delay(ms) {
      fault.delayMs = ms;
    },
    cutAtCommit: (when, left = 1) =>
      new Promise((done) => {
        fault.commitCut = { when, left, done };
      }),
    heal,
    get connections() {
      return pairs.size;
    },
    async [Symbol.asyncDispose]() {
      heal();
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

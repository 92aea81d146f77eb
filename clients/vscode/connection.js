const { spawn } = require('node:child_process');

/** JSON-RPC over standard streams. `handle` answers what the server asks or tells; `onEnd` is told that it has ended. */
exports.connect = ([program, ...args], handle, onEnd) => {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let lastId = 0;
  let rest = Buffer.alloc(0);
  const send = (message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  let ended;
  const end = (why) => {
    ended = new Error(why);
    onEnd();
    for (const { reject } of waiting.values()) reject(ended);
  };
  const take = async ({ id, method, params, result, error }) => {
    const answer = method && (await handle(method, params));
    if (method && id !== undefined) send({ id, result: answer ?? null });
    if (method) return;
    if (error) waiting.get(id).reject(new Error(error.message));
    else waiting.get(id).resolve(result);
    waiting.delete(id);
  };
  child.stdin.on('error', () => {});
  child.on('error', ({ message }) => end(`${program} cannot be started: ${message}`));
  child.on('exit', () => end(`${program} has ended`));
  child.stdout.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const start = rest.indexOf('\r\n\r\n') + 4;
      const length = Number(/Content-Length: (\d+)/iu.exec(rest.toString('latin1', 0, start))?.[1]);
      if (start < 4 || rest.length < start + length) return;
      const message = JSON.parse(rest.toString('utf8', start, start + length));
      rest = rest.subarray(start + length);
      void take(message);
    }
  });
  return {
    notify: (method, params) => send({ method, params }),
    request: (method, params) =>
      new Promise((resolve, reject) => {
        if (ended) reject(ended);
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        send({ id: lastId, method, params });
      }),
    end: () => child.stdin.end(),
  };
};

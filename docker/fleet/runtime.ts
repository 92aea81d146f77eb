/**
 * A runtime that talks by way of one sidecar, and goes on at the next one when that is gone: the conversation is where it was,
 * and no message is there twice. Its model is made up: it answers with the number of the message.
 *
 *   CONTEXTD_TOKEN=… node runtime.ts <agent> <messages> http://127.0.0.1:4747 http://127.0.0.1:4748
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

type Session = { id: string; lastSyncId: number };
type Receipt = { requestId: string; messages: { role: string; content: string }[] };

const [agentId = 'helper', count = '20', ...sidecars] = process.argv.slice(2);
const patienceMs = 30_000;
let current = 0;

/** A request that is sent again, by way of another sidecar, until one of them has answered it. */
async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  // By it a sidecar knows what another one has done already.
  const key = randomUUID();
  let isAgain = false;
  for (const end = Date.now() + patienceMs; ; await delay(200)) {
    const sidecar = sidecars[current % sidecars.length];
    try {
      const response = await fetch(`${sidecar}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${process.env.CONTEXTD_TOKEN}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      });
      const answer = await response.json();
      if (response.ok) return answer as Answer;
      // The sidecar before has stored this reply, and was gone before it could say so.
      if (response.status === 409 && isAgain) return answer as Answer;
      // It is there, and refuses: another one would do the same.
      if (response.status < 500) throw new Refused(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
      throw new Error(`${response.status} ${JSON.stringify(answer)}`);
    } catch (error) {
      if (error instanceof Refused || Date.now() > end) throw error;
      isAgain = true;
      current += 1;
      console.log(`${sidecar} does not answer; on to ${sidecars[current % sidecars.length]}`);
    }
  }
}

class Refused extends Error {}

const { id } = await ask<Session>('POST', '/sessions', { agentId });
console.log(`session ${id}`);
for (let number = 1; number <= Number(count); number += 1) {
  const { requestId, messages } = await ask<Receipt>('POST', `/sessions/${id}/requests`, {
    message: `message ${number}`,
  });
  // A model is sent all that was said before.
  const said = messages.filter(({ role }) => role === 'assistant').length;
  if (said !== number - 1) throw new Error(`message ${number} was sent with ${said} replies before it`);
  await ask('POST', `/sessions/${id}/requests/${requestId}/reply`, { modelReply: { content: `reply ${number}` } });
  console.log(`message ${number} by way of ${sidecars[current % sidecars.length]}`);
  await delay(100);
}
const { messages, lastSyncId } = await ask<Session & { messages: { role: string }[] }>('GET', `/sessions/${id}`);
const [asked, answered] = ['user', 'assistant'].map((role) => messages.filter((each) => each.role === role).length);
const isWhole = asked === Number(count) && answered === Number(count);
console.log(
  `${asked} messages and ${answered} replies, at ${lastSyncId}: ${isWhole ? 'none lost, none twice' : 'WRONG'}`,
);
process.exitCode = isWhole ? 0 : 1;

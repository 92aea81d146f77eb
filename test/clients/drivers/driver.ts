/** Does what the lines on standard input say, and tells on standard output what came of it. */
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Contextd, RefusedRequest } from '../../../clients/typescript/contextd.ts';

const tell = (told: unknown) => console.log(JSON.stringify(told));
const client = new Contextd();

async function follow(): Promise<void> {
  for await (const event of new Contextd().events()) tell({ event });
}

for await (const line of createInterface(process.stdin)) {
  const step = JSON.parse(line);
  try {
    if (step.do === 'follow') void follow();
    else if (step.do === 'context') tell({ answer: await client.context(step.request, { grant: step.grant }) });
    else if (step.do === 'open') {
      const answer = await client.open(step.method, step.path, { body: step.body, headers: step.headers });
      tell({ opened: { etag: answer.headers.etag ?? null, text: await text(answer) } });
    } else tell({ answer: await client.request(step.method, step.path, step.body) });
  } catch (error) {
    if (!(error instanceof RefusedRequest)) {
      tell({ failure: (error as Error).message });
      continue;
    }
    const { status, code, detail, errors } = error.problem;
    tell({ problem: { status, code, detail, pointer: errors?.[0]?.pointer, text: error.message } });
  }
}

/** Much to do waits for its turn; more than the daemon can do is refused at once, and it goes on (SY-05). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type Answer, startDaemon } from '../support/daemon.ts';
import { keepAliveClient } from '../support/keep-alive-client.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let project: string;
beforeEach(() => {
  project = temporaryDirectory();
  mkdirSync(join(project, '.context'));
  writeRules(100);
});

function writeRules(number: number): void {
  for (let count = 0; count < number; count += 1)
    writeFileSync(
      join(project, `.context/rule-${count}.md`),
      `---\ntrigger: always\n---\n# Rule ${count}\n\nUse tabs.\n`,
    );
}

it('SY-05 answers 300 requests at once, because all of it is soon done', async () => {
  await using daemon = await startDaemon({ grantRoots: [project] });
  using client = keepAliveClient({ url: daemon.url, authorization: `Bearer ${daemon.token}` }, 300);
  const ask = () =>
    client.send('POST', '/v1/context/resolve', { mountedDirectory: project }).then(
      () => 200,
      (error: Error) => error.message,
    );
  // Once they are warm.
  await ask();
  const answers = await Promise.all(Array.from({ length: 300 }, ask));
  expect(answers.filter((answer) => answer !== 200)).toEqual([]);
});

type Counts = { requests: { shed: number; failed: number; inFlight: number } };

it('SY-05 answers 503 with Retry-After to what is too much, nothing else with 5xx, and recovers', async () => {
  writeRules(200);
  await using daemon = await startDaemon({ grantRoots: [project] });
  // All different, so that none of them shares a run with another.
  const ask = (count: number) =>
    daemon.request('/v1/context/resolve', {
      body: { mountedDirectory: project, budget: { maxTokens: 1_000_000 + count } },
    });
  const floodWith = async (number: number) => {
    const flood = Promise.all(Array.from({ length: number }, (_, count) => ask(count)));
    const meanwhile: Answer[] = [];
    for (const path of ['/health', '/v1/status', '/metrics']) meanwhile.push(await daemon.request(path));
    expect(meanwhile.map(({ status }) => status)).toEqual([200, 200, 200]);
    const answers = await flood;
    return { answers, refused: answers.filter(({ status }) => status !== 200) };
  };
  let { answers, refused } = await floodWith(500);
  // A quick machine can do that; nobody can hold more connections.
  if (refused.length === 0) ({ answers, refused } = await floodWith(1_000));
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(128);
  for (const { status, headers, body } of refused) {
    expect(status).toBe(503);
    expect(headers).toMatchObject({ 'retry-after': '1', 'content-type': 'application/problem+json; charset=utf-8' });
    expect(body).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('Try again') });
  }
  // As soon as it says.
  await expect.poll(() => ask(0), { timeout: 5_000 }).toMatchObject({ status: 200 });
  const { requests } = (await daemon.request('/v1/status')).body as Counts;
  expect(requests).toMatchObject({ failed: 0, inFlight: 1 });
  expect(requests.shed).toBeGreaterThanOrEqual(refused.length);
  // Few lines are written about them, none of them as an error.
  const lines = daemon.process.output.stderr.trim().split('\n');
  const about = lines.map((line) => JSON.parse(line) as { level: number; status?: number });
  expect(about.filter(({ level }) => level >= 50)).toEqual([]);
  expect(about.filter(({ status }) => status === 503).length).toBeLessThanOrEqual(200);
});

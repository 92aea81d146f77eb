/** The headers of each answer, however its head is written (S-11, S-16). */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { requestIdOf, SecuredResponse, securityHeaders } from '../../../routes/http/secured-response.ts';

async function headersOf(write: (response: ServerResponse) => void): Promise<{ raw: [string, string][]; id: string }> {
  let id = '';
  const server = createServer({ ServerResponse: SecuredResponse }, (request, response) => {
    id = requestIdOf(request);
    write(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    return { raw: [...(await fetch(`http://127.0.0.1:${port}/`)).headers], id };
  } finally {
    server.close();
  }
}

const ways: Record<string, (response: ServerResponse) => void> = {
  'at the end': (response) => response.end(),
  'with all headers': (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(),
  'with a reason': (response) => response.writeHead(200, 'Fine', { 'content-type': 'text/plain' }).end(),
  'with a list': (response) => response.writeHead(200, ['content-type', 'text/plain']).end(),
  'after a header': (response) => response.setHeader('content-type', 'text/plain').writeHead(200).end(),
  'before the body': (response) => {
    response.flushHeaders();
    response.write('a');
    response.end('b');
  },
};

it.each(Object.entries(ways))('S-11 S-16 are there once where the head is written %s', async (_, write) => {
  const { raw, id } = await headersOf(write);
  for (const [name, value] of Object.entries({ ...securityHeaders, 'x-request-id': id }))
    expect(raw.filter(([each]) => each === name)).toEqual([[name, value]]);
});

it.each<[string, (response: ServerResponse) => void]>([
  ['given', (response) => response.writeHead(200, { 'cache-control': 'no-cache' }).end()],
  ['given with a reason', (response) => response.writeHead(200, 'Fine', { 'Cache-Control': 'no-cache' }).end()],
  ['set before', (response) => response.setHeader('Cache-Control', 'no-cache').writeHead(200).end()],
  [
    'set before others',
    (response) => response.setHeader('Cache-Control', 'no-cache').writeHead(200, { etag: '"a"' }).end(),
  ],
])('a header that is %s stays', async (_, write) => {
  const { raw } = await headersOf(write);
  expect(raw.filter(([name]) => name === 'cache-control')).toEqual([['cache-control', 'no-cache']]);
});

it('an id of the request that is given stays', async () => {
  const { raw } = await headersOf((response) => response.writeHead(200, { 'x-request-id': 'given' }).end());
  expect(raw.filter(([name]) => name === 'x-request-id')).toEqual([['x-request-id', 'given']]);
});

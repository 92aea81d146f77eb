/** Baseline of throughput: one Fastify route that parses JSON and sends bytes. Arguments: port, file that holds them. */
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

const [port, file] = process.argv.slice(2);
const bytes = readFileSync(file as string);
const app = fastify();
app.get('/health', async () => ({ status: 'ok' }));
app.post('/v1/context/resolve', async (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes));
await app.listen({ port: Number(port), host: '127.0.0.1' });

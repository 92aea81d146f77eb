/** Baseline of starting and idling: the same framework with two routes and an OpenAPI document. Argument: port. */
import swagger from '@fastify/swagger';
import { fastify } from 'fastify';
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { z } from 'zod';

const app = fastify().withTypeProvider<ZodTypeProvider>();
app.setValidatorCompiler(validatorCompiler);
app.setSerializerCompiler(serializerCompiler);
await app.register(swagger, {
  openapi: { openapi: '3.1.0', info: { title: 'bare', version: '1.0.0' } },
  transform: jsonSchemaTransform,
});
app.get('/health', { schema: { response: { 200: z.object({ status: z.literal('ok') }) } } }, async () => ({
  status: 'ok' as const,
}));
app.post(
  '/v1/greetings',
  {
    schema: {
      body: z.object({ name: z.string().min(1).max(100), language: z.enum(['en', 'de']).optional() }),
      response: { 200: z.object({ greeting: z.string() }) },
    },
  },
  async ({ body }) => ({ greeting: `Hello ${body.name}` }),
);
app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' });

/** Baseline of one command: the two libraries that every answer needs, and nothing done with them. */
await import('zod');
await import('yaml');

export {};

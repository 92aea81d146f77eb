/** Which embedder to use: a model on this machine, or a server that the user named. Flags win over the environment. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defaultModel, type EmbeddingModel, embeddingModels, findModel } from '../../ports/embedding-model.ts';
import { isLoopback } from '../../ports/loopback.ts';
import { expandHome } from '../../settings.ts';
import { CommandFailure, exitCodes, wrongSetup, wrongUsage } from '../exit-codes.ts';
import type { Surroundings } from '../state/state-directory.ts';
import { useFile } from '../state/use-file.ts';

/** The flags as the command line gives them. */
export type EmbedderFlags = {
  model?: string;
  modelDir?: string;
  embedder?: string;
  embedderKeyFile?: string;
  offline?: boolean;
};

/** `directory`: the directory of a model that the daemon does not manage. */
type LocalModel = { model: EmbeddingModel; directory?: string };
/** `keyFile`: the file of the key, unless it comes from the environment. */
export type Endpoint = { url: URL; model: string; key?: string; keyFile?: string };
export type EmbedderSettings = LocalModel | Endpoint;

/** Throws `CommandFailure` 64 for a flag, 78 for an environment variable or a key that cannot be used. */
export function parseEmbedderSettings(flags: EmbedderFlags, surroundings: Surroundings): EmbedderSettings {
  const { environment, cwd, home } = surroundings;
  const absolute = (path: string): string => resolve(cwd, expandHome(path, home));
  const model = given('--model', flags.model, environment.CONTEXTD_MODEL);
  const server = given('--embedder', flags.embedder, environment.CONTEXTD_EMBEDDER);
  if (server === undefined) {
    if (flags.embedderKeyFile !== undefined) throw wrongUsage('--embedder-key-file needs --embedder.');
    const directory = flags.modelDir === undefined ? undefined : absolute(flags.modelDir);
    if (model === undefined) return { model: defaultModel, directory };
    const found = findModel(model.value);
    if (found === undefined) throw model.refuse(`must name one of these models: ${modelNames}`);
    return { model: found, directory };
  }
  if (flags.modelDir !== undefined) throw server.refuse('and --model-dir cannot be used together');
  if (model === undefined) throw server.refuse('needs --model, as the server calls it');
  const url = endpointOf(server);
  if (flags.offline === true && !isLoopback(url)) throw server.refuse('names another machine, which --offline forbids');
  const keyFile = flags.embedderKeyFile === undefined ? undefined : absolute(flags.embedderKeyFile);
  const key = keyFile === undefined ? environment.CONTEXTD_EMBEDDER_KEY?.trim() || undefined : readKey(keyFile);
  if (key === undefined) return { url, model: model.value };
  if (!/^[\x21-\x7e]{1,4096}$/u.test(key))
    throw wrongSetup(`The key in ${keyFile ?? 'CONTEXTD_EMBEDDER_KEY'} is not one.`);
  if (url.protocol === 'http:' && !isLoopback(url)) throw server.refuse('would send the key unencrypted; use https');
  return { url, model: model.value, key, keyFile };
}

/** Says what is sent to which host, if it is not this machine. Undefined otherwise. */
export function riskOf({ url }: Endpoint): string | undefined {
  if (isLoopback(url)) return undefined;
  const open = url.protocol === 'http:' ? ', unencrypted' : '';
  return `questions, and the names, descriptions and texts of what is searched, are sent to ${url.host}${open}`;
}

/** The names of the models, for people. */
export const modelNames = embeddingModels.map(({ id }) => id).join(', ');

type Given = { value: string; refuse(problem: string): CommandFailure };

/** A flag, or else the variable. An empty variable does not count. */
function given(flag: string, ofFlag: string | undefined, ofEnvironment: string | undefined): Given | undefined {
  const [name, value, code] =
    ofFlag === undefined
      ? [`CONTEXTD_${flag.slice(2).toUpperCase()}`, ofEnvironment ?? '', exitCodes.refused]
      : [flag, ofFlag, exitCodes.usage];
  if (value.trim() === '' && ofFlag === undefined) return undefined;
  return { value: value.trim(), refuse: (problem) => new CommandFailure(code, `${name} ${problem}.`) };
}

/** The address of the OpenAI interface: below `/v1`, unless the given address has another path. */
function endpointOf({ value, refuse }: Given): URL {
  const url = URL.parse(value);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw refuse('is not an address that begins with http:// or https://');
  // Messages show the address.
  if (url.username !== '' || url.password !== '') throw refuse('has a password; use --embedder-key-file');
  if (url.search !== '' || url.hash !== '') throw refuse('has more than a host and a path');
  const path = url.pathname.replace(/\/$/u, '') || '/v1';
  url.pathname = path.endsWith('/embeddings') ? path : `${path}/embeddings`;
  return url;
}

function readKey(path: string): string {
  const refuse = (problem: string) => wrongSetup(`--embedder-key-file: ${path} ${problem}.`);
  try {
    return useFile(path, (descriptor, stat) => {
      if (!stat.isFile()) throw refuse('is not a file');
      if ((stat.mode & 0o077) !== 0) throw refuse('may be read by others; chmod 600 it');
      if (stat.size > 8_192) throw refuse('is too long for a key');
      return readFileSync(descriptor, 'utf8').trim();
    });
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw refuse(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

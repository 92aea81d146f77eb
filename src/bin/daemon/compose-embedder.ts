import { join } from 'node:path';
import { createFetchingEmbedder } from '../../adapters/embedding/fetching-embedder.ts';
import { createTransformersEmbedder } from '../../adapters/embedding/transformers-embedder.ts';
import { type EmbeddingModel, sizeOf } from '../../ports/embedding-model.ts';
import type { Embedder } from '../../ports/ports.ts';
import { stateNames } from '../state/state-directory.ts';
import type { EmbedderSettings } from './embedder-settings.ts';

/** The directory of a model, unless the user names another one. */
export function modelDirectoryIn(stateDirectory: string, { id }: EmbeddingModel): string {
  return join(stateDirectory, stateNames.models, id);
}

/** The size for people. */
export function megabytesOf(model: EmbeddingModel): string {
  return `${Math.round(sizeOf(model) / 1e6)} MB`;
}

/**
 * The embedder of the daemon. Only a model that is kept in the state directory is ever downloaded, and only when a
 * person asks for it (`contextd warm`): a search never uses the network (SS-03, S-78), unless the user named a server
 * (SS-09).
 */
export async function composeEmbedder(settings: {
  stateDirectory: string;
  embedder: EmbedderSettings;
  offline: boolean;
}): Promise<Embedder> {
  const { stateDirectory, embedder: chosen, offline } = settings;
  if ('url' in chosen)
    return (await import('../../adapters/embedding/endpoint-embedder.ts')).createEndpointEmbedder(chosen);
  const { model } = chosen;
  const mayDownload = chosen.directory === undefined && !offline;
  const directory = chosen.directory ?? modelDirectoryIn(stateDirectory, model);
  const embedder = createTransformersEmbedder({
    model,
    directory,
    missing: mayDownload
      ? `"contextd warm" downloads it (${megabytesOf(model)}).`
      : 'Put its files there; it is not downloaded.',
  });
  if (!mayDownload) return embedder;
  return createFetchingEmbedder(embedder, async (options) =>
    (await import('../../adapters/embedding/model-download.ts')).downloadModel(directory, { ...options, model }),
  );
}

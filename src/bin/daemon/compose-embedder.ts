import { join } from 'node:path';
import { createFetchingEmbedder } from '../../adapters/embedding/fetching-embedder.ts';
import { createTransformersEmbedder } from '../../adapters/embedding/transformers-embedder.ts';
import { embeddingModel } from '../../ports/embedding-model.ts';
import type { Embedder } from '../../ports/ports.ts';
import { stateNames } from '../state/state-directory.ts';

/** Where the model lies unless the user has one elsewhere. */
export function modelDirectoryIn(stateDirectory: string): string {
  return join(stateDirectory, stateNames.models, embeddingModel.id);
}

/**
 * The embedder of the daemon. Only a model that is kept in the state directory is ever downloaded, and only when a
 * person asks for it (`contextd warm`): a search never uses the network (SS-03, S-78).
 */
export function composeEmbedder(settings: {
  stateDirectory: string;
  modelDirectory?: string;
  offline: boolean;
}): Embedder {
  const { stateDirectory, modelDirectory, offline } = settings;
  const mayDownload = modelDirectory === undefined && !offline;
  const directory = modelDirectory ?? modelDirectoryIn(stateDirectory);
  // Windows finds its own libraries by this; nothing else of the environment is of use there.
  const { SystemRoot } = process.env;
  const embedder = createTransformersEmbedder({
    directory,
    missing: mayDownload ? '"contextd warm" downloads it (24 MB).' : 'Put its files there; it is not downloaded.',
    environment: { SystemRoot },
  });
  if (!mayDownload) return embedder;
  return createFetchingEmbedder(embedder, async (options) =>
    (await import('../../adapters/embedding/model-download.ts')).downloadModel(directory, options),
  );
}

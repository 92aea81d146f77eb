/** The embedding models (SS-03): their names, settings and files. */

/** A file of a model. `path` is relative to the directory of the model, `sha256` hexadecimal, `size` in bytes. */
export type ModelFile = { path: string; sha256: string; size: number };

/** Text that is put before a question, or before a text to be found, as in the training of the model. */
type Prefixes = { question: string; document: string };

/**
 * `pooling`: how one vector is made from those of the word pieces: their mean, or the first one, `[CLS]`. `longestText`
 * in word pieces. `dtype`: which file of weights is loaded. All vectors are normalized to the length 1.
 */
export type EmbeddingModel = {
  id: string;
  dimensions: number;
  pooling: 'mean' | 'cls';
  prefixes: Prefixes;
  longestText: number;
  dtype: 'q8';
  downloadUrl: string;
  files: readonly ModelFile[];
};

/** Why there is no search by meaning, if the program was composed without a model. */
export const noModel = 'There is no embedding model.';

const none: Prefixes = { question: '', document: '' };
const passages: Prefixes = { question: 'Represent this sentence for searching relevant passages: ', document: '' };

/**
 * The first is the default. Files are pinned (S-78): a file with another checksum is not used, whether downloaded or
 * put there by the user. The address names the revision that the checksums are from.
 */
export const embeddingModels = [
  {
    id: 'Xenova/all-MiniLM-L6-v2',
    dimensions: 384,
    pooling: 'mean',
    prefixes: none,
    longestText: 512,
    dtype: 'q8',
    downloadUrl: 'https://huggingface.co/Xenova/all-MiniLM-L6-v2/resolve/751bff37182d3f1213fa05d7196b954e230abad9/',
    files: [
      {
        path: 'config.json',
        sha256: '7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7',
        size: 650,
      },
      {
        path: 'tokenizer_config.json',
        sha256: '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
        size: 366,
      },
      {
        path: 'tokenizer.json',
        sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
        size: 711_661,
      },
      {
        path: 'onnx/model_quantized.onnx',
        sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
        size: 22_972_370,
      },
    ],
  },
  {
    id: 'Xenova/bge-small-en-v1.5',
    dimensions: 384,
    pooling: 'cls',
    prefixes: passages,
    longestText: 512,
    dtype: 'q8',
    downloadUrl: 'https://huggingface.co/Xenova/bge-small-en-v1.5/resolve/ea104dacec62c0de699686887e3f920caeb4f3e3/',
    files: [
      {
        path: 'config.json',
        sha256: 'fa73f90bf92c8cace1fbcb709626306f2bdbc9ea3e5b5f94b440df9b6aa56350',
        size: 683,
      },
      {
        path: 'tokenizer_config.json',
        sha256: '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
        size: 366,
      },
      {
        path: 'tokenizer.json',
        sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
        size: 711_396,
      },
      {
        path: 'onnx/model_quantized.onnx',
        sha256: '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
        size: 34_014_426,
      },
    ],
  },
  {
    id: 'Snowflake/snowflake-arctic-embed-s',
    dimensions: 384,
    pooling: 'cls',
    prefixes: passages,
    longestText: 512,
    dtype: 'q8',
    downloadUrl:
      'https://huggingface.co/Snowflake/snowflake-arctic-embed-s/resolve/e596f507467533e48a2e17c007f0e1dacc837b33/',
    files: [
      {
        path: 'config.json',
        sha256: '4e519aa92ec40943356032afe458c8829d70c5766b109e4a57490b82f72dcfb7',
        size: 703,
      },
      {
        path: 'tokenizer_config.json',
        sha256: '9ca59277519f6e3692c8685e26b94d4afca2d5438deff66483db495e48735810',
        size: 1_433,
      },
      {
        path: 'tokenizer.json',
        sha256: '91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854',
        size: 711_649,
      },
      {
        path: 'onnx/model_quantized.onnx',
        sha256: 'f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14',
        size: 34_015_111,
      },
    ],
  },
] as const satisfies readonly EmbeddingModel[];

export const defaultModel: EmbeddingModel = embeddingModels[0];

/** `name`: the whole name, or the part after the slash. */
export function findModel(name: string): EmbeddingModel | undefined {
  return embeddingModels.find(({ id }) => id === name || id.split('/')[1] === name);
}

/** Bytes of all files. */
export function sizeOf({ files }: Pick<EmbeddingModel, 'files'>): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** In the directory of the user's own model: the checksums of its files, in the format of `sha256sum`. */
export const checksumFile = 'SHA256SUMS';

/** Beginnings of the names of models of servers, without their maker. The longest match counts. */
const prefixesOfNames: Readonly<Record<string, Prefixes>> = {
  'bge-base-en': passages,
  'bge-large-en': passages,
  'bge-small-en': passages,
  'e5-': { question: 'query: ', document: 'passage: ' },
  embeddinggemma: { question: 'task: search result | query: ', document: 'title: none | text: ' },
  'multilingual-e5': { question: 'query: ', document: 'passage: ' },
  'mxbai-embed-large': passages,
  'nomic-embed-text': { question: 'search_query: ', document: 'search_document: ' },
  'qwen3-embedding': {
    question: 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:',
    document: '',
  },
  'snowflake-arctic-embed': passages,
  'snowflake-arctic-embed2': { question: 'query: ', document: '' },
  'snowflake-arctic-embed-m-v2': { question: 'query: ', document: '' },
  'snowflake-arctic-embed-l-v2': { question: 'query: ', document: '' },
};

/** For a model of a server. An unknown model has no prefixes. */
export function prefixesOf(name: string): Prefixes {
  const own = name.toLowerCase().split('/').at(-1) ?? '';
  const known = Object.keys(prefixesOfNames).filter((beginning) => own.startsWith(beginning));
  const longest = known.reduce((best, each) => (each.length > best.length ? each : best), '');
  return prefixesOfNames[longest] ?? none;
}

/** The embedding model (SS-03): what it is called, and what its files are. */

/** A file of a model: its path below the model's directory. `sha256` in hexadecimal, `size` in bytes. */
export type ModelFile = { path: string; sha256: string; size: number };

export type EmbeddingModel = { id: string; dimensions: number; downloadUrl: string; files: readonly ModelFile[] };

/**
 * The one model there is. Its files are pinned (S-78): a download, or a file somebody put there, that is another one is
 * not used. The revision in the address is the one the sums were taken from.
 */
export const embeddingModel: EmbeddingModel = {
  id: 'Xenova/all-MiniLM-L6-v2',
  dimensions: 384,
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
};

/** In the directory of a model of the user's own: what its files must be, in the format of `sha256sum`. */
export const checksumFile = 'SHA256SUMS';

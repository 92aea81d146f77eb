/** Writes model directories as Hugging Face lays them out, with invented weights. */
import { createHash } from 'node:crypto';
import { writeTree } from '../temporary-files.ts';
import { seededRandom } from './seeded-random.ts';
import { buildEncoder, type EncoderShape } from './text-encoder.ts';

/** The shape of all-MiniLM-L6-v2. */
const miniLmShape: EncoderShape = { layers: 6, hidden: 384, heads: 12, feedForward: 1536, dimensions: 384 };

/** Of the fixture: small, and as wide at its end as the real one. */
export const smallShape: EncoderShape = { layers: 1, hidden: 32, heads: 2, feedForward: 64, dimensions: 384 };

const specialWords = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
const signs = [...'.,:;!?-_/\\#*()[]{}<>=+\'"`~@$%&|^'];

/** Words on one line mean the same to the fixture's model, so that it can find what shares no word with the question. */
const meanings = `
error mistake failure fault exception bug
test tests testing check verify
style format formatting layout indent tabs spaces
database sql table query postgres migration
password secret token credential login authentication auth
car automobile vehicle
button click press
color colour paint theme
network http request api endpoint
file document folder directory
deploy release publish ship
cat kitten pet
weather rain snow sun
cook recipe kitchen bread
log logging logger trace
name names naming identifier
import module package dependency
fast quick performance speed
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

const fillers =
  'the a an of to in and or is are be for with on how what when use write every all no not must should one two it this that from by as we you do'.split(
    ' ',
  );

type ModelOptions = { shape?: EncoderShape; bias?: number; seed?: number };

/** Writes the small model, in which meaning lies in single words; another `seed` makes another model of the same shape. */
export function writeSmallModel(directory: string, { shape = smallShape, bias, seed = 1 }: ModelOptions = {}): void {
  const random = seededRandom(100 + seed);
  const pieces = [...letters, ...letters.map((letter) => `##${letter}`), ...signs];
  const vocabulary = [...specialWords, ...pieces, ...fillers, ...meanings.flat()];
  const { hidden } = shape;
  const words = new Float32Array(vocabulary.length * hidden);
  const meaningOf = new Map(meanings.flatMap((group) => group.map((word) => [word, group[0] as string])));
  const vectors = new Map<string, Float32Array>();
  for (const [row, word] of vocabulary.entries()) {
    const meaning = meaningOf.get(word) ?? word;
    const isSilent = specialWords.includes(word) || fillers.includes(word);
    const silence = (column: number) => [1, -1][column] ?? 0;
    const sense = (column: number) => (column < 2 ? 0 : random.normal() / Math.sqrt(hidden));
    const vector =
      vectors.get(meaning) ??
      Float32Array.from({ length: hidden }, (_, column) => (isSilent ? silence(column) : sense(column)));
    vectors.set(meaning, vector);
    words.set(vector, row * hidden);
  }
  const model = buildEncoder({
    ...shape,
    words,
    vocabularySize: vocabulary.length,
    spread: 0.004,
    silent: 2,
    ...(bias === undefined ? {} : { bias }),
  });
  writeModelFiles(directory, { vocabulary, shape, model });
}

/** Writes a model of the size of all-MiniLM-L6-v2 (about 60 MB) that means nothing; for measuring. */
export function writeMiniLmSizedModel(directory: string): void {
  const vocabularySize = 30_522;
  const random = seededRandom(7);
  const syllables = [...'bcdfghjklmnprstvwz'].flatMap((first) => [...'aeiou'].map((second) => first + second));
  const invented = Array.from({ length: vocabularySize }, (_, at) =>
    [at % 90, Math.floor(at / 90) % 90, Math.floor(at / 8100)].map((each) => syllables[each]).join(''),
  );
  const pieces = [...letters, ...letters.map((letter) => `##${letter}`), ...signs];
  const vocabulary = [...specialWords, ...pieces, ...fillers, ...meanings.flat(), ...invented].slice(0, vocabularySize);
  const words = Float32Array.from({ length: vocabularySize * miniLmShape.hidden }, () => 0.05 * random.normal());
  const model = buildEncoder({ ...miniLmShape, words, vocabularySize });
  writeModelFiles(directory, { vocabulary, shape: miniLmShape, model });
}

function writeModelFiles(
  directory: string,
  { vocabulary, shape, model }: { vocabulary: readonly string[]; shape: EncoderShape; model: Buffer },
): void {
  const files: Record<string, string | Buffer> = {
    'config.json': JSON.stringify({
      model_type: 'bert',
      architectures: ['BertModel'],
      hidden_size: shape.hidden,
      num_hidden_layers: shape.layers,
      num_attention_heads: shape.heads,
      intermediate_size: shape.feedForward,
      vocab_size: vocabulary.length,
      max_position_embeddings: 512,
      type_vocab_size: 2,
      pad_token_id: 0,
    }),
    'tokenizer.json': JSON.stringify(tokenizerOf(vocabulary)),
    'tokenizer_config.json': JSON.stringify({
      tokenizer_class: 'BertTokenizer',
      do_lower_case: true,
      model_max_length: 512,
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      cls_token: '[CLS]',
      sep_token: '[SEP]',
      mask_token: '[MASK]',
    }),
    'onnx/model_quantized.onnx': model,
  };
  const sums = Object.entries(files).map(
    ([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`,
  );
  writeTree(directory, { ...files, SHA256SUMS: sums.join('') });
}

function tokenizerOf(vocabulary: readonly string[]): object {
  const special = (id: number) => ({ id: specialWords[id], type_id: 0 });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specialWords.map((content, id) => ({
      id,
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: special(2) }, { Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: special(3) }],
      pair: [],
      special_tokens: Object.fromEntries(
        [2, 3].map((id) => [specialWords[id], { id: specialWords[id], ids: [id], tokens: [specialWords[id]] }]),
      ),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  };
}

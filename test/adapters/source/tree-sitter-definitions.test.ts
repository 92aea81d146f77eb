import { describe, expect, it } from 'vitest';
import { createTreeSitterExtractor } from '../../../src/adapters/source/tree-sitter-extractor.ts';
import type { Definition, SourceLanguage } from '../../../src/ports/parsed-source.ts';

async function definitionsIn(language: SourceLanguage, text: string): Promise<Record<string, Definition>> {
  const { definitions } = (await createTreeSitterExtractor(language))(text);
  return Object.fromEntries(definitions.map((each) => [each.name, each]));
}

describe('definitions in syntax trees', () => {
  it('RT-02 Python: functions, classes, methods, constants, with decorators and docstrings', async () => {
    const long = Array.from({ length: 80 }, (_, index) => `        x${index} = ${index}\n`).join('');
    const text = `# Price\nPRICE: int = 3\nA, B = 1, 2\ntype Pair = tuple\ntype Row[T] = list[T]\n\n# Makes\n# a cart.\n@cache\ndef make(a,\n         b):\n    def local(): ...\n    return a\n\nclass Cart(Base):\n    """Holds things."""\n    size = 1\n    def add(self, x):\n        """Adds x."""\n${long}\nif True:\n    def conditional(): ...\n`;
    const found = await definitionsIn('python', text);
    expect(Object.keys(found)).toEqual([
      'PRICE',
      'A',
      'B',
      'Pair',
      'Row',
      'make',
      'Cart',
      'Cart.size',
      'Cart.add',
      'conditional',
    ]);
    expect(found.PRICE).toEqual({ name: 'PRICE', startLine: 1, endLine: 2, text: '# Price\nPRICE: int = 3' });
    expect(found.make).toMatchObject({ startLine: 7, endLine: 13 });
    expect(found.make?.text).toBe(
      '# Makes\n# a cart.\n@cache\ndef make(a,\n         b):\n    def local(): ...\n    return a',
    );
    expect(found.Cart?.text).toBe('class Cart(Base):\n    """Holds things."""\n    size = 1\n    def add(self, x):');
    expect(found['Cart.add']?.text).toBe('    def add(self, x):\n        """Adds x."""');
  });

  it('RT-02 Go: functions, methods by their receiver, types, groups of constants', async () => {
    const found = await definitionsIn(
      'go',
      'package a\n\n// T is.\ntype T[P any] struct {\n\tx int\n}\n\ntype (\n\t// U too.\n\tU = int\n)\n\nfunc (t *T[P]) M() {}\nfunc F() { var x = 1 }\nconst (\n\tA = iota\n\tB\n)\nvar V, W = 1, 2\n',
    );
    expect(Object.keys(found)).toEqual(['T', 'U', 'T.M', 'F', 'A', 'B', 'V', 'W']);
    expect(found.T?.text).toBe('// T is.\ntype T[P any] struct {\n\tx int\n}');
    expect(found.U?.text).toBe('type (\n\t// U too.\n\tU = int\n)');
    expect(found.V?.text).toBe('var V, W = 1, 2');
  });

  it('RT-02 Go: constants come with their type and what they are counted by', async () => {
    const group = (count: number): string =>
      `package a\n\n// Colors.\nconst (\n\tRed Color = iota + 1\n${Array.from({ length: count }, (_, at) => `\tC${at}\n`).join('')}\tBlue // last\n)\n`;
    const small = await definitionsIn('go', group(2));
    expect(small.Blue).toEqual({
      name: 'Blue',
      startLine: 3,
      endLine: 9,
      text: '// Colors.\nconst (\n\tRed Color = iota + 1\n\tC0\n\tC1\n\tBlue // last\n)',
    });
    expect(small.C0?.text).toBe(small.Blue?.text);
    const large = await definitionsIn('go', group(1_000));
    expect(large.Blue).toEqual({
      name: 'Blue',
      startLine: 1_006,
      endLine: 1_006,
      text: 'const (\n\tRed Color = iota + 1\n…\n\tBlue\n)',
    });
    expect(large.Red?.text).toBe('const (\n…\n\tRed Color = iota + 1\n)');
  });

  it('RT-02 C: enumerators come with their enumeration', async () => {
    const found = await definitionsIn('c', 'enum color {\n  RED = 3,\n  GREEN,\n};\ntypedef enum { A, B } ab;\n');
    expect(found.GREEN?.text).toBe('enum color {\n  RED = 3,\n  GREEN,\n}');
    expect(found.B?.text).toBe('typedef enum { A, B } ab;');
    const many = Array.from({ length: 100 }, (_, at) => `  N${at},\n`).join('');
    const large = await definitionsIn('c', `enum number {\n${many}};\n`);
    expect(large.N50?.text).toBe('enum number {\n…\n  N50\n}');
  });

  it('RT-02 long comments are cut before what they are about', async () => {
    const lines = (count: number, mark: string): string =>
      Array.from({ length: count }, (_, at) => `${mark} Line ${at} of the documentation tells much.\n`).join('');
    const { Tool } = await definitionsIn(
      'java',
      `package a;\n/**\n${lines(300, ' *')} */\npublic class Tool<T> {\n  public void run() {}\n}\n`,
    );
    expect(Tool?.text).toMatch(
      /^\/\*\*\n \* Line 0 [\s\S]*\n … \*\/\npublic class Tool<T> \{\n {2}public void run\(\) \{\}\n\}$/u,
    );
    expect(Tool?.text.length).toBeLessThan(4_100);
    const rust = await definitionsIn('rust', `${lines(300, '///')}#[derive(Debug)]\npub struct S(u8);\n`);
    expect(rust.S?.text).toMatch(/^\/\/\/ Line 0 [\s\S]*\n…\n#\[derive\(Debug\)\]\npub struct S\(u8\);$/u);
    const body = '        work()\n'.repeat(40);
    const python = await definitionsIn(
      'python',
      `class Cart:\n    """${lines(300, '   ')}    """\n    def add(self, x):\n${body}    def last(self):\n${body}`,
    );
    expect(python.Cart?.text).toMatch(
      /^class Cart:\n {4}"""[\s\S]*\n…"""\n {4}def add\(self, x\):\n {4}def last\(self\):$/u,
    );
  });

  it('RT-02 long structures and tables by their beginning, long functions without their body', async () => {
    const fields = Array.from({ length: 100 }, (_, index) => `    a${index}: u8,\n`).join('');
    const rust = await definitionsIn('rust', `pub struct S {\n${fields}}\nfn f(a: u8) -> u8 {\n${fields}}\n`);
    expect(rust.S?.text.split('\n').slice(59)).toEqual(['    a58: u8,', '…']);
    expect(rust.f?.text).toBe('fn f(a: u8) -> u8');
    const go = await definitionsIn(
      'go',
      `package a\n\ntype T struct {\n${fields.replaceAll(':', '').replaceAll(',', '')}}\n`,
    );
    expect(go.T?.text.split('\n').slice(59)).toEqual(['    a58 u8', '…']);
    expect(go.T).toMatchObject({ startLine: 3, endLine: 104 });
  });

  it('RT-02 Rust: items, those of impl blocks and inline modules, with attributes', async () => {
    const found = await definitionsIn(
      'rust',
      '/// Doc.\n#[derive(Debug)]\npub struct S<T>(T);\nimpl<T> S<T> {\n    /// New.\n    pub fn new() -> Self { todo!() }\n}\nimpl fmt::Display for a::R { fn fmt(&self) {} }\nmod inner { pub enum E { X } }\ntrait Tr { fn n(); }\nmacro_rules! mac { () => {} }\npub const C: u8 = 1;\nstatic ST: u8 = 2;\ntype Al = u8;\nunion Un { a: u8 }\n',
    );
    expect(Object.keys(found)).toEqual([
      'S',
      'S.new',
      'R',
      'R.fmt',
      'inner',
      'inner.E',
      'Tr',
      'Tr.n',
      'mac',
      'C',
      'ST',
      'Al',
      'Un',
    ]);
    expect(found['S.new']?.text).toBe('    /// New.\n    pub fn new() -> Self { todo!() }');
  });

  it('RT-02 Kotlin: types of all kinds, their members, functions, properties and extensions', async () => {
    const text = `package a
/** Doc. */
@Serializable
data class A<T>(val x: Int, private val y: T) : Base<T>(1), I {
  companion object { const val K = 1 }
  init { val inInit = 1 }
  constructor() : this(1, 2)
  inner class In
  val p: Int get() = 1
  private val hidden = 1
  fun m() { val local = 1; class Local; fun inner() = 1 }
}
object O {
  object Named
  fun \`of it\`() = 1
}
class C {
  companion object Factory {
    fun of() = 1
  }
}
sealed interface S { data object B : S }
enum class E(val v: Int) {
  P(1), Q(2) { override fun z() = 1 };
  fun e() = 1
}
@JvmInline
value class V(val s: String) {
  fun v() = 1
}
@Preview
annotation class An
fun interface Fi {
  fun run()
}
// Of a list.
suspend fun <T : Comparable<T>> List<T>.top(o: (T) -> Int): Map<String, T> = o { run() }
val String.ext: Int get() = length
private const val PC = 1
val (d, e) = pair
typealias Ta<X> = Map<X, U>
@Composable fun Screen() { val state = 1 }
`;
    const found = await definitionsIn('kotlin', text);
    expect(Object.keys(found).join(' ')).toBe(
      'A A.Companion A.Companion.K A.constructor A.In A.p A.m O O.Named O.of it C C.Factory C.Factory.of S S.B E E.P E.Q E.e V V.v An Fi Fi.run top ext PC d e Ta Screen',
    );
    expect(found.A?.startLine).toBe(2);
    expect(found.top?.text).toMatch(/^\/\/ Of a list\.\nsuspend fun/u);
    expect(found['A.Companion.K']?.text).toBe('const val K = 1');
  });

  it('RT-02 Kotlin: long functions without their body, long classes by the signatures of their members', async () => {
    const lines = '    work()\n'.repeat(40);
    const text = `@Stable\nclass A(\n  val x: Int,\n) : B() {\n  /** Doc. */\n  fun f(): Int {\n${lines}  }\n  val g: Int\n    get() {\n${lines}    }\n}\nfun h(x: Int): Int =\n  run {\n${lines}  }\n`;
    const found = await definitionsIn('kotlin', text);
    expect(found.A?.text).toBe('@Stable\nclass A(\n  val x: Int,\n) : B()\n  fun f(): Int\n  val g: Int');
    expect(found['A.f']?.text).toBe('  /** Doc. */\n  fun f(): Int');
    expect(found.h?.text).toBe('fun h(x: Int): Int');
  });

  it('RT-02 Kotlin: syntax that the grammar does not know costs nothing around it', async () => {
    const text = `package a
data class Link(val element: Element) : Element by element {
  companion object {
    context(log: Log)
    fun of(x: Any) = when (x) {
      is String if x.isEmpty() -> Link($$"a $b")
      is Text -> if (x.none()) Link(x) else x.map { it -> it }
      else if x.isLast() -> Link(x)
      else -> Link(x)
    }
  }
}
fun Route.users() {
  val service = Service()
  get("/users") {
    call.respond(service.all())
  }
}
class Last {
  val value: Int by lazy {
    1
  }
}
`;
    const found = await definitionsIn('kotlin', text);
    expect(Object.keys(found)).toEqual(['Link', 'Link.Companion', 'Link.Companion.of', 'users', 'Last', 'Last.value']);
    expect(found.Link?.text).toBe(text.split('\n').slice(1, 12).join('\n'));
    expect(found.users?.text).toContain('get("/users")');
  });

  it('RT-02 Java: types of all kinds and their members', async () => {
    const found = await definitionsIn(
      'java',
      'package a;\n/** Doc. */\n@Deprecated\npublic class A<T> {\n  int x = 1, y;\n  A() {}\n  void m() { int local; class Local {} }\n  interface In { int K = 1; }\n}\nenum E { P, Q { void z() {} }; void e() {} }\nrecord R(int c) {}\n@interface An {}\n',
    );
    expect(Object.keys(found)).toEqual([
      'A',
      'A.x',
      'A.y',
      'A.A',
      'A.m',
      'A.In',
      'A.In.K',
      'E',
      'E.P',
      'E.Q',
      'E.e',
      'R',
      'An',
    ]);
    expect(found.A?.text.startsWith('/** Doc. */\n@Deprecated\npublic class A<T> {')).toBe(true);
  });

  it('RT-02 C and C++: declarations, types behind export macros, typedefs, enumerators, macros, operators', async () => {
    const found = await definitionsIn(
      'cpp',
      '#define MAX(a, b) ((a) > (b) ? (a) : (b))\nnamespace n {\n// Doc.\nclass API_EXPORT Db {\n public:\n  static int Open(const char *name);\n};\ntemplate <typename T> struct V { T get() const; };\nenum Color { RED, GREEN };\nusing Q = int;\n}\ntypedef struct { int x; } point;\ntypedef struct node { int y; } node_t;\nextern int var;\nint *f(int a);\nint n::Db::Open(const char *name) { return 0; }\nAPI_EXPORT Status Close();\nbool operator==(A a, A b);\n',
    );
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining([
        'MAX',
        'Db',
        'Db.Open',
        'V',
        'V.get',
        'Color',
        'RED',
        'GREEN',
        'Q',
        'point',
        'point.x',
        'node',
        'node_t',
        'var',
        'f',
        'Close',
        'operator==',
      ]),
    );
    expect(found.Db?.text).toMatch(/^\/\/ Doc\.\nclass API_EXPORT Db \{/u);
  });

  it('RT-02 C#: types of all kinds and their members, with attributes and XML comments', async () => {
    const long = '        work();\n'.repeat(30);
    const found = await definitionsIn(
      'csharp',
      `namespace A\n{\n    /// <summary>Doc.</summary>\n    [Serializable]\n    public partial class C<T> : B\n    {\n        const int K = 1, L = 2;\n        public event Done Changed;\n        /// <summary>New.</summary>\n        public C() { }\n        public string Name { get; set; } = "";\n        public async Task<int> Run(int n)\n        {\n${long}            void Local() { }\n        }\n        enum E { P, Q = 2 }\n        delegate void Done(int n);\n    }\n}\nrecord R(int N);\nrecord struct V;\nstruct S { public int x; }\ninterface I { void M(); }\n`,
    );
    expect(Object.keys(found)).toEqual([
      ...['C', 'C.K', 'C.L', 'C.Changed', 'C.C', 'C.Name', 'C.Run', 'C.E', 'C.E.P', 'C.E.Q', 'C.Done', 'R', 'V', 'S'],
      ...['S.x', 'I', 'I.M'],
    ]);
    expect(found.C?.text.split('\n').slice(0, 4)).toEqual([
      '    /// <summary>Doc.</summary>',
      '    [Serializable]',
      '    public partial class C<T> : B',
      '        const int K = 1, L = 2;',
    ]);
    expect(found['C.Run']?.text).toBe('        public async Task<int> Run(int n)');
    expect(found['C.C']?.text).toBe('        /// <summary>New.</summary>\n        public C() { }');
  });

  it('RT-02 attributes and decorators that are longer than what they describe are cut, and their definition is not', async () => {
    const fields = (indentation: string) =>
      Array.from({ length: 200 }, (_, at) => `${indentation}'field${at}' => ['type' => 'integer'],\n`).join('');
    const method = `    #[Get(\n${fields('        ')}    )]\n    public function show(int $id)\n    {\n${'        work();\n'.repeat(30)}    }\n`;
    const { Cart, 'Cart.show': show } = await definitionsIn(
      'php',
      `<?php\n#[Schema(\n${fields('    ')})]\nclass Cart extends Model\n{\n    public $lines;\n${method}}\n`,
    );
    expect(Cart?.text).toMatch(/^#\[Schema\(\n {4}'field0'/u);
    expect(Cart?.text).toMatch(/\n…\nclass Cart extends Model\n {4}public \$lines;\n {4}#\[Get\(\n/u);
    expect(Cart?.text).toMatch(/\n…\n {4}public function show\(int \$id\)$/u);
    expect(Cart?.text.length).toBeLessThan(1_200);
    expect(show?.text).toMatch(/\n…\n {4}public function show\(int \$id\)$/u);
    const options = Array.from({ length: 60 }, (_, at) => `@option('--option-${at}', help='Does it.')\n`).join('');
    const { run } = await definitionsIn('python', `${options}def run(a, b):\n${'    work()\n'.repeat(30)}`);
    expect(run?.text).toMatch(/^@option\('--option-0'.*\n[\s\S]*\n…\ndef run\(a, b\):$/u);
    const entity = `@Entity(\n${'    tableName = "carts",\n'.repeat(60)})\n`;
    const columns = Array.from({ length: 30 }, (_, at) => `    val a${at}: Int,\n`).join('');
    const { Row } = await definitionsIn('kotlin', `${entity}data class Row(\n${columns})\n`);
    expect(Row?.text).toMatch(/\n…\ndata class Row\(\n {4}val a0: Int,\n[\s\S]*a29: Int,\n\)$/u);
  });

  it('RT-02 C#: no members that only their own class can use', async () => {
    const members =
      'int a; private B b; [Show] private int c; private protected int d; internal int E; private void F() { } void G() { } static T() { } class N { public int O; } public int P => 1;';
    const found = async (type: string) => Object.keys(await definitionsIn('csharp', `${type} T\n{\n${members}\n}\n`));
    const shown = ['T', 'T.c', 'T.d', 'T.E', 'T.N', 'T.N.O', 'T.P'];
    expect(await found('class')).toEqual(shown);
    expect(await found('struct')).toEqual(shown);
    expect(await found('record class')).toEqual(shown);
    // Other files of the class use them.
    expect(await found('partial class')).toEqual(expect.arrayContaining(['T.a', 'T.b', 'T.F', 'T.G']));
    expect(Object.keys(await definitionsIn('csharp', 'interface I\n{\n    void M();\n}\n'))).toEqual(['I', 'I.M']);
  });

  it('RT-02 C#: the types that a file uses, not its members and variables', async () => {
    const extract = await createTreeSitterExtractor('csharp');
    const { imports } = extract(
      'using A.B;\nusing static A.C;\nusing D = A.E<int>;\nnamespace N;\n[Attr] class Own<T>(P1 p) : Base<P2>, IFace where T : P3 {\n  Field? f; Prop P { get; } F1.F2 q;\n  (T1 a, T2[] b) M(ref P4 x) { var v = new New(Static.Member, typeof(Type), x is Is, x as As, (Cast)x); Call<Arg>(Enum.A); v.Method(); v?.Other(); nameof(Named.X); foreach (Each e in v) { } try { } catch (Ex) { } return x switch { Sw s => 1, _ => 2 }; }\n}\n',
    );
    expect(imports.map(({ form = 'using', specifier }) => `${form} ${specifier}`)).toEqual([
      ...['file ', 'extension ', 'call ', 'using A.B', 'static A.C', 'alias D A.E', 'namespace N', 'qualified F1'],
    ]);
    expect(imports[0]?.names.join(' ')).toBe(
      'Attr P1 Base P2 IFace P3 Field Prop T1 T2 P4 New Static Type Is As Cast Arg Enum Named Each Ex Sw',
    );
    expect(imports.slice(1, 3).map(({ names }) => names)).toEqual([
      ['Method', 'Other'],
      ['Call', 'nameof'],
    ]);
  });

  it('RT-02 C#: the namespace and the types of a text that the parser does not understand', async () => {
    const extract = await createTreeSitterExtractor('csharp');
    const { imports } = extract(
      'using A.B;\nnamespace N.O\n{\n    class Own : Base\n    {\n        void M()\n        {\n            foreach (var type in all)\n            {\n                if (a)\n                {\n                    try\n                    {\n                        if (!b)\n                        {\n                            types[e] = [type];\n                        }\n                        else\n                        {\n                            c.Add(type);\n                        }\n                    }\n                    catch (Exception ex)\n                    {\n                    }\n                }\n            }\n        }\n    }\n}\n',
    );
    expect(imports.map(({ form = 'using', specifier }) => `${form} ${specifier}`)).toEqual(
      expect.arrayContaining(['file ', 'using A.B', 'namespace N.O']),
    );
    expect(imports.find(({ form }) => form === 'file')?.names).toContain('Base');
  });

  it('RT-02 Ruby: factories by their symbols, with those inside, and with their first lines', async () => {
    const more = Array.from({ length: 30 }, (_, index) => `    x${index} { ${index} }\n`).join('');
    const text = `FactoryBot.define do\n  # Reads.\n  factory :user, aliases: [:author] do\n${more}    factory :admin do\n    end\n  end\n\n  factory :guest do\n  end\nend\n`;
    const found = await definitionsIn('ruby', text);
    expect(Object.keys(found)).toEqual([':user', ':guest']);
    expect(found[':user']?.text).toContain('    x29 { 29 }\n    factory :admin do\n    end\n  end');
    expect(found[':user']?.text).toMatch(/^ {2}# Reads\.\n {2}factory :user/u);
  });

  it('RT-02 Ruby: classes by their own name wherever they are, methods by their class', async () => {
    const found = await definitionsIn(
      'ruby',
      '# Doc.\nmodule M\n  LIMIT = 1\n  class A < B::C\n    def m(x); end\n    def self.s; end\n    class << self\n      def t; end\n    end\n  end\nend\nclass X::Y; end\ndef top; end\n',
    );
    expect(Object.keys(found)).toEqual(['M', 'M.LIMIT', 'A', 'A.m', 'A.s', 'A.t', 'Y', 'top']);
    expect(found.M).toMatchObject({ startLine: 1, endLine: 11 });
  });

  it('RT-02 Elixir: modules, public functions and macros with their documentation, types and structs', async () => {
    const long = '    work()\n'.repeat(30);
    const found = await definitionsIn(
      'elixir',
      `defmodule Shop.Cart do
  @moduledoc """
  Doc.
  """
  @typedoc "A cart."
  @type t :: %__MODULE__{}
  defstruct [:lines]

  @doc "Adds."
  @spec add(t, atom) :: t

  attr :line, :atom

  # Not apart.
  def add(cart, line) when is_atom(line) do
${long}  end
  def add(cart, nil), do: cart
  defp hidden(cart), do: cart
  @callback price(t) :: integer
  defmacro __using__(_) do
    quote do
      def inside, do: 1
${long}    end
  end
  defmodule Line do
    def new, do: 1
  end
end
`,
    );
    expect(Object.keys(found)).toEqual([
      ...['Shop.Cart', 'Shop.Cart.t', 'Shop.Cart.__struct__', 'Shop.Cart.add', 'Shop.Cart.price'],
      ...['Shop.Cart.__using__', 'Shop.Cart.Line', 'Shop.Cart.Line.new'],
    ]);
    expect(found['Shop.Cart']?.text).toContain('Doc.\n  """\n  @type t');
    expect(found['Shop.Cart']?.text).not.toContain('hidden');
    expect(found['Shop.Cart.__using__']?.text).toContain('work()');
  });

  it('RT-02 Lua: functions, fields of modules and of returned tables, by their own names', async () => {
    const found = await definitionsIn(
      'lua',
      `local util = require("util")
--- Doc.
---@param a number
function M.foo(a)
  local function inside() end
  self.field = 1
end
M.bar = function()
${'  work()\n'.repeat(30)}end
function M:baz() end
local function helper() end
local defaults = { width = 1, nested = { deep = 2 } }
return { open = function() end, other = util.x }
`,
    );
    expect(Object.keys(found)).toEqual(['foo', 'bar', 'baz', 'helper', 'defaults', 'width', 'nested', 'open']);
    expect(found.foo?.text).toMatch(/^--- Doc\.\n---@param a number\nfunction M\.foo\(a\)/u);
    expect(found.bar?.text).toBe('M.bar = function()');
  });

  it('RT-02 PHP: types, members that others can use, traits, functions and constants', async () => {
    const long = '    work();\n'.repeat(30);
    const found = await definitionsIn(
      'php',
      `<html><?php
namespace A;

/** Doc. */
#[Entity]
final class K extends Base
{
    use T, \\B\\U;
    /** Max. */
    public const string MAX = 'a', MIN = 'b';
    private const HIDDEN = 1;
    protected ?Foo $foo = null;
    private Bar $bar;
    #[Column] private int $id;
    /** Makes one. */
    public function __construct(private readonly Bar $own)
    {
${long}    }
    abstract function open(int $n): static;
    private function inner() { return new class { function lost() {} }; }
}
enum Suit: string { case Hearts = 'H'; }
interface I { public function f(); }
trait T { private function g() {} }
if (!function_exists('help')) {
    function help() { function never() {} }
}
const TOP = 1;
define('DEFINED', 2);
?></html>`,
    );
    expect(Object.keys(found)).toEqual([
      ...['K', 'K.T', 'K.MAX', 'K.MIN', 'K.foo', 'K.id', 'K.__construct', 'K.open', 'Suit', 'Suit.Hearts'],
      ...['I', 'I.f', 'T', 'T.g', 'help', 'TOP', 'DEFINED'],
    ]);
    expect(found.K?.text).toBe(`/** Doc. */
#[Entity]
final class K extends Base
    use T, \\B\\U;
    public const string MAX = 'a', MIN = 'b';
    protected ?Foo $foo = null;
    #[Column] private int $id;
    public function __construct(private readonly Bar $own)
    abstract function open(int $n): static;`);
    expect(found['K.MAX']?.text).toBe("    /** Max. */\n    public const string MAX = 'a', MIN = 'b';");
    expect(found['K.__construct']?.text).toBe(
      '    /** Makes one. */\n    public function __construct(private readonly Bar $own)',
    );
    expect(found.DEFINED?.text).toBe("define('DEFINED', 2);");
  });

  it('RT-02 Dart: types, extensions, functions and variables, and members that others can use', async () => {
    const long = '    work();\n'.repeat(30);
    const found = await definitionsIn(
      'dart',
      `/// A cart.
///
/// With lines.
@immutable
base class Cart extends Base<Line> with Mixed {
  /// Makes one.
  const Cart(this.lines, {super.key});
  Cart._internal() : lines = const [];
  factory Cart.empty() => Cart([]);
  final List<Line> lines;
  static late final int? most, least;
  final int _hidden = 1;
  @override
  int get total {
${long}  }
  void _inner() {}
}
mixin Mixed on Base {
  void open() {
${long}  }
}
enum Suit { hearts, spades }
extension Words on String {
  /// The first.
  String get first => '';
  String last() {
${long}  }
}
extension on int {}
extension type Id(int value) {}
typedef Call<T> = void Function(T);
class Both = Base with Mixed;
/// Sums up.
@Deprecated('x')
Future<int> sum(int a,
    {required int b}) async {
${long}}
int get top => 1;
const rate = 1;
final Map<String, int> all = {}, others = {};
late Cart cart;
`,
    );
    expect(Object.keys(found)).toEqual([
      ...['Cart', 'Cart.Cart', 'Cart.empty', 'Cart.lines', 'Cart.most', 'Cart.least', 'Cart.total', 'Mixed'],
      ...['Mixed.open', 'Suit', 'Suit.hearts', 'Suit.spades', 'Words', 'Words.first', 'Words.last'],
      ...['extension on int', 'Id', 'Call', 'Both', 'sum', 'top', 'rate', 'all', 'others', 'cart'],
    ]);
    expect(found.Cart?.text).toBe(`/// A cart.
///
/// With lines.
@immutable
base class Cart extends Base<Line> with Mixed
  const Cart(this.lines, {super.key})
  factory Cart.empty()
  final List<Line> lines
  static late final int? most, least
  int get total`);
    expect(found.Mixed?.text).toBe('mixin Mixed on Base\n  void open()');
    expect(found.sum?.text).toBe("/// Sums up.\n@Deprecated('x')\nFuture<int> sum(int a,\n    {required int b})");
    expect(found['Words.first']?.text).toBe(
      "extension Words on String {\n…\n  /// The first.\n  String get first => '';\n}",
    );
    expect(found.all?.text).toBe('final Map<String, int> all = {}, others = {}');
    expect(found.cart?.text).toBe('late Cart cart');
  });

  it('RT-02 Dart: names that are used, and not those of parameters, members and labels', async () => {
    const extract = await createTreeSitterExtractor('dart');
    const { imports } = extract(`import 'a.dart';
import 'b.dart' as b;
import 'c.dart' hide Type;

void f(Type own, {int? named}) {
  final made = call(own, label: value)..cascade();
  b.function(); const b.Maker(); b.Generic<Arg>? x; is_ as b.Cast;
  print('$text \${inside.member}');
  box(padding: const .all(12), align: wide ? .start : .end);
}
`);
    expect(imports[0]?.names.filter((name) => !/^_|^\./u.test(name)).join(' ')).toBe(
      'Type int call own value b Maker Generic Arg is_ Cast print text inside box wide',
    );
    expect(imports[0]?.names.filter((name) => name.startsWith('.'))).toEqual(['.cascade', '.function', '.member']);
    expect(imports[1]?.names.filter((name) => !name.startsWith('.'))).toEqual(['function', 'Maker', 'Generic', 'Cast']);
    expect(imports[2]?.names).not.toContain('Type');
  });

  it('RT-02 Dart: dots without a type before them do not hide what comes after', async () => {
    const found = await definitionsIn(
      'dart',
      'class A {\n  final a = box(pad: const .all(12), on: .start);\n  int f(x) => switch (x) { .one => 1, _ => x\n    .length };\n}\nint b = 1;\n',
    );
    expect(Object.keys(found)).toEqual(['A', 'A.a', 'A.f', 'b']);
    expect(found['A.a']?.text).toBe('  final a = box(pad: const .all(12), on: .start)');
  });

  it('RT-02 Swift: types, extensions, functions and variables, and members that others can use', async () => {
    const long = '    work()\n'.repeat(30);
    const found = await definitionsIn(
      'swift',
      `/// A cart.
@MainActor
public final class Cart: Base {
  /// All of it.
  public private(set) var total: Int {
${long}  }
  private var hidden = 1
  static let none = Cart()
  init(lines: [Line]) async throws {
${long}  }
  private func inner() { func lost() {} ; let local = 1 }
  subscript(at: Int) -> Line { let local = 1; return lines[at] }
  deinit { let local = 2 }
  static func == (a: Cart, b: Cart) -> Bool { let local = 3; return true }
}
struct Line { let a = 1 }
actor Worker {}
protocol Priced { associatedtype Money; func price() -> Int; var tax: Int { get } }
indirect enum Suit { case hearts, spades(Int) }
extension String: Priced {
  func trimmed() -> String {
${long}  }
  struct Inner {}
}
private struct Own { let kept = 1 }
typealias Call = (Int) -> Void
func top<T>(_ a: T) {}
let rate = 1
`,
    );
    expect(Object.keys(found)).toEqual([
      ...['Cart', 'Cart.total', 'Cart.none', 'Cart.init', 'Cart.subscript', 'Cart.==', 'Line', 'Line.a', 'Worker'],
      ...['Priced', 'Priced.Money', 'Priced.price', 'Priced.tax', 'Suit', 'Suit.hearts', 'Suit.spades'],
      ...['extension String', 'extension String.trimmed', 'extension String.Inner', 'Own', 'Own.kept', 'Call', 'top'],
      'rate',
    ]);
    expect(found.Cart?.text).toBe(`/// A cart.
@MainActor
public final class Cart: Base
  public private(set) var total: Int
  static let none = Cart()
  init(lines: [Line]) async throws
  subscript(at: Int) -> Line { let local = 1; return lines[at] }
  static func == (a: Cart, b: Cart) -> Bool`);
    expect(found['Cart.total']?.text).toBe('  /// All of it.\n  public private(set) var total: Int');
    expect(found['extension String.Inner']?.text).toBe('extension String: Priced {\n…\n  struct Inner {}\n}');
  });

  it('RT-02 Swift: words that are newer than the grammar', async () => {
    const found = await definitionsIn(
      'swift',
      'final class A {\n  private nonisolated(unsafe) var hidden = 1\n  func f() throws(Failure) -> Int { 1 }\n}\nstruct B {}\n',
    );
    expect(Object.keys(found)).toEqual(['A', 'A.f', 'B']);
    expect(found['A.f']?.text).toBe('  func f() throws(Failure) -> Int { 1 }');
  });

  it('RT-02 Swift: what follows a # does not hide the rest, and is shown as it is', async () => {
    const found = await definitionsIn(
      'swift',
      `#if canImport(UIKit)
import UIKit
#endif
class A {
  func f(file: String = #filePath) {
    if #available(iOS 26.0, *), #unavailable(macOS 12) { add(#selector(g(_:))) }
    print(#"raw "# + "#")
  }
}
#Preview { A() }
let b = #colorLiteral(red: 1)
`,
    );
    expect(Object.keys(found)).toEqual(['A', 'A.f', 'b']);
    expect(found['A.f']?.text).toContain(
      'if #available(iOS 26.0, *), #unavailable(macOS 12) { add(#selector(g(_:))) }',
    );
    expect(found.b?.text).toBe('let b = #colorLiteral(red: 1)');
    const lines = 'func a() {\n  if #available(iOS 26,\n    macOS 26) { b() }\n}\n\n/// C.\nfunc c() {}\n';
    expect((await definitionsIn('swift', lines)).c).toMatchObject({ startLine: 6, text: '/// C.\nfunc c() {}' });
  });

  it('RT-02 what other files know a name by: re-exports of Python, Rust, Ruby and C', async () => {
    const exportsIn = async (language: SourceLanguage, text: string): Promise<string[]> =>
      ((await createTreeSitterExtractor(language))(text).exports ?? []).map(
        ({ name, local, specifier }) => `${name} = ${local} of ${specifier}`,
      );
    expect(await exportsIn('python', 'from .a import b as c, d\nfrom .e import *\nimport f\n')).toEqual([
      'c = b of .a',
      'd = d of .a',
      '* = * of .e',
    ]);
    expect(await exportsIn('rust', 'pub use a::{b as c, d::*};\npub extern crate e as f;\nuse g;\n')).toEqual([
      'c = b of a',
      '* = * of a::d',
      'f = * of e',
      'g = * of g',
    ]);
    expect(
      await exportsIn('lua', 'local M = { a = require("m.a") }\nM.b = require("m.b")\nreturn require("m")\n'),
    ).toEqual([...['a = * of m.a', 'b = * of m.b', '* = * of m']]);
    expect(
      await exportsIn(
        'lua',
        'local db = reload_module("m.db")\nreturn { a = own, b = db.c, d = M.d, e = function() end }\n',
      ),
    ).toEqual(['a = own of undefined', 'b = c of m.db', 'd = d of undefined']);
    expect(await exportsIn('ruby', "autoload :A, 'a/b'\nrequire 'c'\n")).toEqual(['A = A of a/b']);
    expect(await exportsIn('c', '#include "a.h"\n')).toEqual(['* = * of a.h']);
  });
});

import { describe, expect, it } from 'vitest';
import { active, leftOut, open } from '../support/retrieving.ts';
import { importsOf, parse } from './support/tree.ts';

const manifest = '[package]\nname = "my-shop"\n';

describe('Rust imports', () => {
  it('RT-02 modules in files: x.rs, x/mod.rs, #[path], in inline modules', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs':
        'mod cart;\npub(crate) mod price;\n#[cfg(unix)]\n#[path = "sys/unix.rs"]\nmod sys;\nmod inline {\n    mod deep;\n}\nmod missing;\n',
      'src/cart.rs': 'mod line;\nfn f() { line::add() }\n',
      'src/cart/line.rs': 'pub fn add() {}\npub fn other() {}\n',
      'src/price/mod.rs': 'pub(crate) struct Price;\n',
      'src/sys/unix.rs': 'pub const UNIX: bool = true;\n',
      'src/inline/deep.rs': 'pub enum Deep {}\n',
    };
    expect(await importsOf('src/lib.rs', tree)).toEqual({
      cart: ['src/cart.rs'],
      price: ['src/price/mod.rs#Price'],
      sys: ['src/sys/unix.rs#UNIX'],
      'inline::deep': ['src/inline/deep.rs#Deep'],
      missing: 'not_found',
    });
    expect(await importsOf('src/cart.rs', tree)).toEqual({ line: ['src/cart/line.rs#add'] });
  });

  it('RT-02 of a module of which nothing is used, what it offers or all of it, unless another import says what is wanted', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs':
        '#[macro_use]\nmod macros;\nmod cart;\nmod price;\nmod tests;\nmod passed;\npub use price::Price;\nfn f() { check!() }\n',
      'src/macros.rs': 'macro_rules! check { () => {} }\n',
      'src/cart.rs':
        'use a::b;\npub struct Cart { pub lines: u8 }\nimpl Cart { pub fn add() {} }\n  pub fn inner() {}\nfn own() {}\npub(in crate::a) const MAX: u8 = 1;\npub async fn fetch() {}\npub trait Sum {}\npub  unsafe  extern "C"  fn  raw() {}\npub const unsafe fn quick() {}\npub static mut COUNT: u8 = 0;\npub fn r#type() {}\n',
      'src/passed.rs': 'mod sub;\npub use sub::Sub;\n',
      'src/price.rs': 'pub struct Price;\npub struct Other;\n',
      'src/tests.rs': '#[test]\nfn adds() {}\n',
    };
    expect(await importsOf('src/lib.rs', tree)).toEqual({
      macros: ['src/macros.rs#check'],
      cart: ['src/cart.rs#Cart,inner,MAX,fetch,Sum,raw,quick,COUNT,type'],
      price: ['src/price.rs#Price'],
      'price{}': [],
      tests: ['src/tests.rs'],
      passed: ['src/passed.rs'],
    });
  });

  it('RT-02 crate, self and super, nested trees, globs and renames', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs': 'pub mod a;\npub struct Top;\n',
      'src/a/mod.rs': 'pub mod b;\npub mod c;\n',
      'src/a/b.rs':
        'use crate::a::{c::{One, Two as Second}, self};\nuse super::c::*;\nuse super::super::Top;\nuse self::inner::Deep;\nuse crate::a::c::Kind::{X, Y};\nuse std::io;\nuse serde::Serialize;\nuse super::nothing::At;\n',
      'src/a/b/inner.rs': 'pub struct Deep;\n',
      'src/a/c.rs': 'pub struct One;\npub struct Two;\npub enum Kind { X, Y }\n',
    };
    expect(await importsOf('src/a/b.rs', tree)).toEqual({
      'crate::a::c': ['src/a/c.rs#One,Two'],
      crate: ['src/a/mod.rs'],
      'super::c': ['src/a/c.rs#Two,Kind'],
      'super::super': ['src/lib.rs#Top'],
      'self::inner': ['src/a/b/inner.rs#Deep'],
      'crate::a::c::Kind': ['src/a/c.rs#Kind'],
      std: 'outside_workspace',
      serde: 'outside_workspace',
      'super::nothing': 'not_found',
    });
  });

  it('RT-02 of a whole module, what the file uses of it and does not import otherwise', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs':
        'mod error;\nmod text;\nmod other;\nmod user;\nmod unused;\nuse text::trim;\nfn f() { other::run(); other::sub::go() }\n',
      'src/error.rs': 'pub type Result = u8;\npub enum Error { A }\npub fn fail() {}\npub fn never() {}\n',
      'src/text.rs': 'pub fn trim() {}\n',
      'src/other/mod.rs': 'pub mod sub;\npub fn run() {}\n',
      'src/other/sub.rs': 'pub fn go() {}\n',
      'src/unused.rs': 'pub fn hidden() {}\n',
      'src/wide.rs': `use crate::unused::*;\npub use crate::prelude::*;\n${'pub use crate::wide::*;\n'.repeat(20)}pub(crate) use crate::late::*;\npub struct Named;\n`,
      'src/late.rs': 'use crate::wide::*;\npub struct Late;\n',
      'src/wide_user.rs': 'use crate::wide::{Named, *};\nfn f(x: Late, y: Named) { trim(x); hidden() }\n',
      'src/prelude.rs': 'pub use crate::error::*;\npub use crate::text::*;\nmod tests { use super::*; }\n',
      'src/other/user.rs': 'use crate::prelude::*;\nuse std::fmt;\nfn f() -> Result { trim(fmt::Result) }\n',
      'src/user.rs':
        'use crate::error::*;\nuse std::fmt::Result;\nfn f(x: u8) -> Result { let e: Error = fail(x.never); }\n',
    };
    expect(await importsOf('src/lib.rs', tree)).toEqual({
      text: ['src/text.rs#trim'],
      other: ['src/other/mod.rs#run', 'src/other/sub.rs'],
      error: ['src/error.rs#Result,Error,fail,never'],
      'text{}': [],
      user: ['src/user.rs'],
      unused: ['src/unused.rs#hidden'],
    });
    expect(await importsOf('src/user.rs', tree)).toEqual({
      'crate::error': ['src/error.rs#Error,fail'],
      'std::fmt': 'outside_workspace',
    });
    expect(await importsOf('src/wide_user.rs', tree)).toEqual({
      'crate::wide': ['src/wide.rs#Named', 'src/text.rs#trim', 'src/late.rs#Late'],
    });
    expect(await importsOf('src/other/user.rs', tree)).toEqual({
      'crate::prelude': ['src/error.rs#Result', 'src/text.rs#trim'],
      'std::fmt': 'outside_workspace',
    });
  });

  it('RT-02 what a module passes on as a whole, in each way to write it, and what one above imports for itself', async () => {
    const tree = {
      'Cargo.toml': `${manifest}[lib]\nname = "shop"\n`,
      'src/lib.rs': 'mod inner;\npub mod prelude;\nmod user;\nmod a;\npub use inner::net;\nstruct Top;\n',
      'src/inner/mod.rs': 'pub mod net;\npub mod file;\npub mod log;\npub mod deep;\n',
      'src/inner/net.rs': 'pub struct Conn;\n',
      'src/inner/file.rs': 'pub struct File;\n',
      'src/inner/log.rs': 'pub struct Log;\n',
      'src/inner/deep.rs': 'pub struct Deep;\npub struct Own;\n',
      'src/prelude.rs':
        'pub use crate::inner::net::*;\npub use crate::net::*;\npub(in crate::inner)\n  use crate::inner::file::*;\npub use ::shop::inner::log::*;\nuse crate::inner::deep::*;\npub use crate::user::*;\n',
      'src/user.rs':
        'use crate::prelude::*;\nuse crate::inner::deep::*;\nfn f(c: Conn, d: File, e: Log) -> Own {}\nmod tests { use super::*; }\n',
      'src/a/mod.rs': 'use crate::inner::net::*;\nmod user;\nmod tests { use super::*; }\n',
      'src/a/user.rs': 'use super::*;\nfn f(c: Conn, t: Top) {}\n',
    };
    expect(await importsOf('src/user.rs', tree)).toMatchObject({
      'crate::prelude': ['src/inner/net.rs#Conn', 'src/inner/file.rs#File', 'src/inner/log.rs#Log'],
    });
    expect(await importsOf('src/a/user.rs', tree)).toEqual({ super: ['src/inner/net.rs#Conn'] });
  });

  it('RT-02 of a module that another passes on as a whole, only what it can give', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs': 'pub mod prelude;\nmod user;\n',
      'src/prelude.rs':
        'mod ids;\nmod text;\nmod unused;\npub use ids::*;\npub use text::*;\npub use unused::{\n    Later,\n};\nuse std::rc::Rc;\n',
      'src/prelude/ids.rs': 'make_id!(UserId);\nmake_ids! {\n    CartId,\n    pub RowId = Option<u8>,\n}\n',
      'src/prelude/text.rs':
        'enum State { A }\n// Made of a Line.\npub fn trim(x: Option<State>) -> Option<u8> { None }\npub struct Line;\n',
      'src/prelude/unused.rs':
        'enum State { Some }\npub fn other(x: Option<State>) -> Result<Rc<u8>, Line> { Ok(None) }\npub struct Later;\n',
      'src/user.rs':
        'use crate::prelude::*;\ntype State = u8;\nfn f(a: UserId, b: CartId, c: RowId, d: Later) -> Option<State> { let r: Rc<u8>; trim(None) }\n',
      'src/prelude/below.rs': 'use super::*;\nfn f(a: Rc<u8>, b: Unknown) {}\n',
    };
    expect(await importsOf('src/user.rs', tree)).toEqual({
      'crate::prelude': ['src/prelude.rs#Later', 'src/prelude/ids.rs#UserId,CartId,RowId', 'src/prelude/text.rs#trim'],
    });
    expect(await importsOf('src/prelude/below.rs', tree)).toEqual({ super: ['src/prelude.rs#Rc'] });
  });

  it('RT-02 of a whole module, constant functions, statics of macros, and items below a comment that begins with use', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs': 'pub mod config;\npub mod sys;\npub mod notes;\nmod user;\n',
      'src/config.rs':
        'pub const fn zero() -> u8 { 0 }\npub static mut COUNT: u8 = 0;\nlazy_static! {\n    pub static ref RATES: Rates = rates();\n}\n',
      'src/sys.rs':
        'cfg_if::cfg_if! {\n    if #[cfg(unix)] {\n        pub use self::unix::Handle;\n    } else {\n        pub use self::windows::{Raw, Token};\n    }\n}\n',
      'src/notes.rs': '/*\nuse this with care\n*/\npub struct Note {\n    text: String,\n}\n',
      'src/user.rs':
        'use crate::config::*;\nuse crate::sys::*;\nuse crate::notes::*;\nfn f(a: Handle, n: Note, t: Token) { zero(); RATES.get(COUNT) }\n',
    };
    expect(await importsOf('src/user.rs', tree)).toEqual({
      'crate::config': ['src/config.rs#zero,RATES,COUNT'],
      'crate::sys': ['src/sys.rs#Handle,Token'],
      'crate::notes': ['src/notes.rs#Note'],
    });
  });

  it('RT-02 of a whole module, names of any letters, and all of a list that a macro passes on', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs': 'pub mod sizes;\npub mod sys;\nmod user;\n',
      'src/sizes.rs':
        'pub struct Größe;\npub struct क्षेत्र;\npub mod größen {\n    pub struct Länge;\n}\nmacro_rules! größe { () => {} }\n',
      'src/sys.rs':
        'cfg_unix! {\n    pub use self::unix::{\n        Handle, Token,\n        Raw as Öffner, Last,\n    };\n    fn own(a: Own) {}\n}\nstruct Own;\n',
      'src/user.rs':
        'use crate::sizes::*;\nuse crate::sizes::größen::Länge;\nuse crate::sys::*;\nfn f(a: Größe, z: क्षेत्र, b: Länge, c: Token, d: Öffner, e: Last, g: Own) {}\n',
    };
    expect(await importsOf('src/user.rs', tree)).toEqual({
      'crate::sizes': ['src/sizes.rs#Größe,क्षेत्र'],
      'crate::sizes::größen': ['src/sizes.rs#größen.Länge'],
      'crate::sys': ['src/sys.rs#Token,Öffner,Last'],
    });
  });

  it('RT-02 a name that a module passes on with all of another', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs': 'mod cart;\nmod line;\npub use cart::*;\npub use line::*;\npub struct Top;\nmod user;\n',
      'src/cart.rs': 'pub struct Cart { line: Line }\n',
      'src/line.rs': 'mod deep;\npub struct Line;\npub use deep::*;\n',
      'src/line/deep.rs': 'pub struct Deep;\n',
      'src/user.rs': 'use crate::{Deep, Line, Top, Unknown};\n',
    };
    expect(await importsOf('src/user.rs', tree)).toEqual({
      crate: ['src/lib.rs#Top,Unknown', 'src/line.rs#Line', 'src/line/deep.rs#Deep'],
    });
  });

  it('S-45 follows a thousand modules that others pass on, for all imports together', async () => {
    const modules = Array.from({ length: 40 }, (_, index) => `m${index}`);
    const pass = modules.map((name) => `pub use crate::${name}::*;\n`).join('');
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs': 'mod user;\n',
      ...Object.fromEntries(modules.map((name) => [`src/${name}.rs`, `${pass}pub struct S_${name};\n`])),
      'src/user.rs': `${modules.map((name) => `use crate::${name}::*;\n`).join('')}fn f(a: S_m0, b: S_m39) {}\n`,
    };
    const found = await importsOf('src/user.rs', tree);
    // The first one finds all of them, and there are 1,600 ways.
    expect(found['crate::m0']).toEqual(['src/m0.rs#S_m0', 'src/m39.rs#S_m39']);
    expect(found['crate::m39']).toEqual(['src/m39.rs#S_m39']);
  });

  it('RT-02 a module that is imported by its own name, with what is used of it', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/main.rs': 'mod util;\nuse crate::util;\nfn main() { util::run(util::Flag::On) }\n',
      'src/util.rs': 'pub fn run() {}\npub enum Flag { On }\n',
    };
    expect(await importsOf('src/main.rs', tree)).toEqual({
      util: ['src/util.rs#run,Flag'],
      'crate::util': ['src/util.rs#run,Flag'],
    });
  });

  it('RT-02 items of inline modules, and what tests take from the file around them', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs': 'pub mod a { pub mod b { pub struct Deep; } pub fn f() {} }\nmod user;\n',
      'src/user.rs': 'use crate::a::b::Deep;\nuse crate::a::f;\nmod tests { use super::*; use super::super::a; }\n',
    };
    expect(await importsOf('src/user.rs', tree)).toEqual({
      'crate::a::b': ['src/lib.rs#a.b.Deep'],
      'crate::a': ['src/lib.rs#a.f'],
      'self::tests::super': [],
      'self::tests::super::super': ['src/lib.rs#a'],
    });
  });

  it('RT-02 crates of the workspace, by name, by path, by another name; re-exported crates and modules', async () => {
    const tree = {
      'Cargo.toml': '[workspace]\nmembers = [\n  "crates/*",\n]\n',
      'crates/app/Cargo.toml': '[package]\nname = "app"\n[dependencies]\nstore = { path = "../../extra/store-impl" }\n',
      'crates/app/src/main.rs':
        'use my_lib::thing::{Make, Other};\nuse store::open;\nuse my_lib::again::Part;\nuse my_lib::facade::Made;\nextern crate custom as c;\n',
      'crates/my-lib/Cargo.toml': '[package]\nname = "my-lib"\n',
      'crates/my-lib/src/lib.rs':
        'pub mod thing;\nextern crate custom as again;\nmod hidden;\npub use crate::hidden::inner as facade;\n',
      'crates/my-lib/src/thing.rs': '',
      'crates/my-lib/src/hidden.rs': 'pub mod inner;\n',
      'crates/my-lib/src/hidden/inner.rs': '',
      'crates/custom-dir/Cargo.toml': '[package]\nname = "whatever"\n[lib]\nname = "custom"\npath = "here/it_is.rs"\n',
      'crates/custom-dir/here/it_is.rs': '',
      'extra/store-impl/Cargo.toml': '[package]\nname = "store-impl"\n',
      'extra/store-impl/src/lib.rs': '',
    };
    expect(await importsOf('crates/app/src/main.rs', tree)).toEqual({
      'my_lib::thing': ['crates/my-lib/src/thing.rs#Make,Other'],
      store: ['extra/store-impl/src/lib.rs#open'],
      'my_lib::again': ['crates/custom-dir/here/it_is.rs#Part'],
      'my_lib::facade': ['crates/my-lib/src/hidden/inner.rs#Made'],
      custom: ['crates/custom-dir/here/it_is.rs'],
    });
  });

  it('RT-02 binaries, tests and examples are crates of their own', async () => {
    const tree = {
      'Cargo.toml': `${manifest}[[bin]]\nname = "tool"\npath = "cli/main.rs"\n`,
      'cli/main.rs': 'mod args;\n',
      'cli/args.rs': 'use crate::run;\nuse my_shop::Cart;\n',
      'src/lib.rs': 'pub struct Cart;\n',
      'src/bin/other.rs': 'use my_shop::Cart;\nmod near;\n',
      'src/bin/near.rs': 'pub fn near() {}\n',
      'tests/all.rs': 'mod common;\n',
      'tests/common/mod.rs': 'pub fn setup() {}\n',
      'tests/case/one.rs': 'use crate::common::setup;\n',
    };
    const runnable = { ...tree, 'cli/main.rs': 'mod args;\nfn run() {}\n' };
    expect(await importsOf('cli/args.rs', runnable)).toEqual({
      crate: ['cli/main.rs#run'],
      my_shop: ['src/lib.rs#Cart'],
    });
    expect(await importsOf('src/bin/other.rs', tree)).toEqual({
      my_shop: ['src/lib.rs#Cart'],
      near: ['src/bin/near.rs#near'],
    });
    expect(await importsOf('tests/all.rs', tree)).toEqual({ common: ['tests/common/mod.rs#setup'] });
    expect(await importsOf('tests/case/one.rs', tree)).toEqual({ 'crate::common': ['tests/common/mod.rs#setup'] });
  });

  it('RT-02 what stands inside macros, what globs bring, macros of a crate', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs':
        'cfg_unix! {\n    pub mod sys;\n    cfg_deep! { pub use self::sys::{Deep, Open as Opened}; pub fn inside() {} }\n}\nmod all;\nmod macros;\n',
      'src/sys.rs':
        '#[path = "odd/windows.rs"]\n#[cfg(windows)]\nmod imp;\n#[path = "odd/unix.rs"]\n#[cfg(unix)]\nmod imp;\n',
      'src/odd/unix.rs': '',
      'src/odd/part.rs': '',
      'src/all.rs': 'mod real;\npub use self::real::*;\n',
      'src/all/real.rs': 'pub mod cell { pub struct Cell; }\n',
      'src/macros.rs':
        '#[macro_export]\nmacro_rules! check { () => {} }\n#[macro_export]\nmacro_rules ! T { () => {} }\n',
      'src/user.rs': 'use crate::all::cell::Cell;\nuse crate::sys::imp::part::Thing;\nuse crate::{check, inside, T};\n',
    };
    expect(await importsOf('src/user.rs', tree)).toEqual({
      'crate::all::cell': ['src/all/real.rs#cell.Cell'],
      'crate::sys::imp::part': ['src/odd/part.rs#Thing'],
      crate: ['src/macros.rs#check,T', 'src/lib.rs#inside'],
    });
    const { imports, exports = [], definitions } = await parse('rust', tree['src/lib.rs']);
    expect(imports.map(({ specifier, line }) => [specifier, line])).toEqual([
      ['sys', 2],
      ['self::sys', 3],
      ['all', 5],
      ['macros', 6],
    ]);
    expect(exports.map(({ name }) => name)).toEqual(['Deep', 'Opened']);
    expect(definitions).toMatchObject([{ name: 'inside', startLine: 3 }]);
  });

  it('RT-02 macros that derive, by their own names', async () => {
    const { retrieve } = await open({
      'Cargo.toml': '[workspace]\nmembers = ["app", "macros"]\n',
      'app/Cargo.toml': '[package]\nname = "app"\n[dependencies]\nmacros = { path = "../macros" }\n',
      'macros/Cargo.toml': '[package]\nname = "macros"\n[lib]\nproc-macro = true\n',
      'macros/src/lib.rs':
        '/// Adds.\n#[proc_macro_derive(Cart, attributes(item))]\n#[inline]\npub fn derive_cart(input: TokenStream) -> TokenStream { x }\n\npub fn other() {}\n',
    });
    const { items } = await retrieve(active('use macros::Cart;\n\n#[derive(Cart)]\nstruct A;\n', 'app/src/lib.rs'));
    expect(items).toMatchObject([{ relativePath: 'macros/src/lib.rs', range: { startLine: 1, endLine: 4 } }]);
  });

  it('AP-06 a declared module that cannot be read is told', async () => {
    const { retrieve } = await open({
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: [src/secret.rs]\n',
      'Cargo.toml': manifest,
      'src/secret.rs': 'pub fn hidden() {}\n',
    });
    expect(leftOut(await retrieve(active('mod secret;\n', 'src/lib.rs')))).toEqual([
      'import src/secret.rs blocked_by_policy',
    ]);
  });

  it('RT-02 names that lead in a circle end', async () => {
    const tree = {
      'Cargo.toml': manifest,
      'src/lib.rs': 'pub use crate::b as a;\npub use crate::a as b;\nmod user;\n',
      'src/user.rs': 'use crate::a::Thing;\n',
    };
    expect(await importsOf('src/user.rs', tree)).toEqual({ 'crate::a': ['src/lib.rs#a'] });
  });
});

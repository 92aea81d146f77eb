import { describe, expect, it } from 'vitest';
import { importsOf } from './support/tree.ts';

const module = 'module example.com/shop // ours\n\ngo 1.24\n';

describe('Go imports', () => {
  it('RT-02 files of a package that define what is used of it; tests are no part of it', async () => {
    const tree = {
      'go.mod': module,
      'main.go':
        'package main\n\nimport (\n\t"fmt"\n\t"example.com/shop/cart"\n\tp "example.com/shop/internal/price"\n\t"example.com/other"\n)\n\nfunc main() { fmt.Println(cart.New(p.Tax), cart.Max) }\n',
      'cart/cart.go': 'package cart\n\n// New makes one.\nfunc New() *Cart { return nil }\n\nfunc (c *Cart) Tax() {}\n',
      'cart/limits.go': 'package cart\n\nconst (\n\tMin = 1\n\tMax, More = 2, 3\n)\n',
      'cart/other.go': 'package cart\n\nfunc other() {\n\tNew()\n}\n',
      'cart/cart_test.go': 'package cart\n\nfunc New() {}\n',
      'internal/price/price.go': 'package price\n\nvar Tax = 1\n',
    };
    expect(await importsOf('main.go', tree)).toEqual({
      main: [],
      fmt: 'outside_workspace',
      'example.com/shop/cart': ['cart/cart.go#New', 'cart/limits.go#Max'],
      'example.com/shop/internal/price': ['internal/price/price.go#Tax'],
      'example.com/other': 'outside_workspace',
    });
  });

  it('RT-02 all files where names are not told: dot imports, blank imports of what initializes nothing, packages called otherwise', async () => {
    const tree = {
      'go.mod': module,
      'a/one.go': 'package a\n\nfunc One() {}\n',
      'a/two.go': 'package a\n',
      'odd/odd.go': 'package strange\n\nfunc Go() {}\n',
      'main.go':
        'package main\nimport . "example.com/shop/a"\nimport _ "example.com/shop/a"\nimport "example.com/shop/odd"\nimport "example.com/shop/none"\nfunc f() { strange.Go() }\n',
    };
    expect(await importsOf('main.go', tree)).toEqual({
      main: [],
      'example.com/shop/a': ['a/one.go', 'a/two.go'],
      'example.com/shop/a{}': ['a/one.go', 'a/two.go'],
      'example.com/shop/odd': ['odd/odd.go'],
      'example.com/shop/none': 'not_found',
    });
  });

  it('RT-02 of a blank import, the functions that initialize the package', async () => {
    const tree = {
      'go.mod': module,
      'store/store.go': 'package store\n\nfunc Open() {}\n\nfunc init() { register("store") }\n',
      'store/memory.go': 'package store\n\nfunc init() {\n\tregister("memory")\n}\n',
      'store/rows.go': 'package store\n\ntype Row struct{}\n\nfunc initRows() {}\n',
      'main.go': 'package main\nimport _ "example.com/shop/store"\nfunc main() {}\n',
    };
    expect(await importsOf('main.go', tree)).toEqual({
      main: [],
      'example.com/shop/store': ['store/memory.go#init', 'store/store.go#init'],
    });
  });

  it('RT-02 files for another system or with tags of their own give way to those that are built', async () => {
    const tree = {
      'go.mod': module,
      'sys/a_windows.go': 'package sys\n\nfunc Open() {}\n',
      'sys/a_linux.go': 'package sys\n\nfunc Open() {}\n',
      'sys/tagged.go': '//go:build special && !other\n\npackage sys\n\nfunc Open() {}\n',
      'sys/only_windows.go': 'package sys\n\nfunc Registry() {}\n',
      // Only a system before a processor counts with it.
      // A name ends at its first dot.
      'sys/close_windows.gen.go': 'package sys\n\nfunc Close() {}\n',
      'sys/from_windows_linux.go': 'package sys\n\nfunc Close() {}\n',
      'sys/from_windows_amd64.go': 'package sys\n\nfunc Close() {}\n',
      'main.go': 'package main\nimport "example.com/shop/sys"\nfunc f() { sys.Open(); sys.Registry(); sys.Close() }\n',
    };
    expect(await importsOf('main.go', tree)).toEqual({
      main: [],
      'example.com/shop/sys': [
        'sys/a_linux.go#Open',
        'sys/only_windows.go#Registry',
        'sys/from_windows_linux.go#Close',
      ],
    });
  });

  it('RT-02 modules that are replaced by local ones, or used by a go.work', async () => {
    const tree = {
      'go.work': 'go 1.24\n\nuse (\n\t./app\n\t./lib // both\n)\n',
      'app/go.mod':
        'module example.com/app\n\nreplace (\n\texample.com/near v1.0.0 => ../near\n\texample.com/far => example.com/else v2.0.0\n)\n',
      'app/main.go':
        'package main\nimport "example.com/lib/sub"\nimport "example.com/near"\nimport "example.com/far"\nfunc f() { sub.A(); near.B() }\n',
      'lib/go.mod': 'module example.com/lib\n',
      'lib/sub/sub.go': 'package sub\n\nfunc A() {}\n',
      'near/near.go': 'package near\n\nfunc B() {}\n',
    };
    expect(await importsOf('app/main.go', tree)).toEqual({
      main: [],
      'example.com/lib/sub': ['lib/sub/sub.go#A'],
      'example.com/near': ['near/near.go#B'],
      'example.com/far': 'outside_workspace',
    });
  });

  it('RT-02 a module inside another is its own; what vendor holds is not the workspace’s', async () => {
    const tree = {
      'go.mod': module,
      'tools/go.mod': 'module example.com/tools\n',
      'tools/main.go': 'package main\nimport "example.com/tools/x"\nimport "example.com/shop/a"\nfunc f() { x.A() }\n',
      'tools/x/x.go': 'package x\n\nfunc A() {}\n',
      'a/a.go': 'package a\nimport "github.com/v/v"\n',
      'vendor/github.com/v/v/v.go': 'package v\n',
    };
    expect(await importsOf('tools/main.go', tree)).toEqual({
      main: [],
      'example.com/tools/x': ['tools/x/x.go#A'],
      'example.com/shop/a': 'outside_workspace',
    });
    expect(await importsOf('a/a.go', tree)).toEqual({ a: [], 'github.com/v/v': 'outside_workspace' });
  });

  it('RT-02 what a file uses of its own package, in the files that declare it', async () => {
    const tree = {
      'go.mod': module,
      'app/run.go':
        'package app\n\nimport "fmt"\n\nfunc (a *App) Run(limit int) {\n\tfor i := range Max {\n\t\ta.open(i)\n\t}\n\t_ = limit\n\tfmt.Println(fresh(Options{Min: limit}), a.Close(), local)\n}\n\nvar local = 1\n',
      'app/app.go':
        'package app\n\ntype App struct{}\n\nfunc (a *App) open(n int) {}\n\nfunc (App) Close() {}\n\nfunc (App) Println() {}\n',
      'app/list.go':
        'package app\n\ntype List[T any] struct{}\n\nfunc (l *List[T]) Close() {}\n\nvar Min, limit, i, _ = 1, 2, 3, 4\n',
      'app/options.go': 'package app\n\ntype Options struct{ Min int }\n\nconst (\n\tMax = 3\n)\n',
      'app/local_windows.go': 'package app\n\nvar local = 2\n',
      'app/app_test.go': 'package app\n\nfunc fresh() {}\n\nfunc TestRun() { helper(Options{}) }\n',
      'app/outside_test.go': 'package app_test\n\nfunc TestApp() { helper(); fresh() }\n',
      'app/helper_test.go': 'package app_test\n\nfunc helper() {}\n',
      'app/gen.go': '//go:build ignore\n\npackage main\n\nfunc fresh() {}\n',
    };
    expect(await importsOf('app/run.go', tree)).toEqual({
      app: ['app/app.go#App,App.open,App.Close', 'app/options.go#Max,Options'],
      fmt: 'outside_workspace',
    });
    expect(await importsOf('app/app_test.go', tree)).toEqual({ app: ['app/options.go#Options'] });
    expect(await importsOf('app/outside_test.go', tree)).toEqual({ app_test: ['app/helper_test.go#helper'] });
  });
});

// A plain extension, without build and dependencies, between VS Code and `contextd lsp`.
const { spawn } = require('node:child_process');
const vscode = require('vscode');

let server;
/** JSON-RPC over standard streams. `handle` answers what the server asks or tells. */
function connect([program, ...args], handle) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let lastId = 0;
  let rest = Buffer.alloc(0);
  const send = (message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const end = (why) => {
    for (const { reject } of waiting.values()) reject(new Error(why));
  };
  const take = async ({ id, method, params, result, error }) => {
    const answer = method && (await handle(method, params));
    if (method && id !== undefined) send({ id, result: answer ?? null });
    if (method) return;
    if (error) waiting.get(id).reject(new Error(error.message));
    else waiting.get(id).resolve(result);
    waiting.delete(id);
  };
  child.stdin.on('error', () => {});
  child.on('error', ({ message }) => end(`${program} cannot be started: ${message}`));
  child.on('exit', () => end(`${program} has ended`));
  child.stdout.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const start = rest.indexOf('\r\n\r\n') + 4;
      const length = Number(/Content-Length: (\d+)/iu.exec(rest.toString('latin1', 0, start))?.[1]);
      if (start < 4 || rest.length < start + length) return;
      const message = JSON.parse(rest.toString('utf8', start, start + length));
      rest = rest.subarray(start + length);
      void take(message);
    }
  });
  return {
    notify: (method, params) => send({ method, params }),
    request: (method, params) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        send({ id: lastId, method, params });
      }),
    end: () => child.stdin.end(),
  };
}

const rangeOf = ({ start, end }) => new vscode.Range(start.line, start.character, end.line, end.character);
const problemOf = ({ range, message, severity }) => new vscode.Diagnostic(rangeOf(range), message, severity - 1);
const hoverOf = (hover) => hover && new vscode.Hover(new vscode.MarkdownString(hover.contents.value));
const lensOf = ({ range, command }) => new vscode.CodeLens(rangeOf(range), command);
const completionOf = ({ label, kind, filterText, textEdit, documentation }) =>
  Object.assign(new vscode.CompletionItem(label, kind - 1), {
    filterText,
    insertText: textEdit.newText,
    range: rangeOf(textEdit.range),
    documentation: documentation && new vscode.MarkdownString(documentation.value),
  });
const described = ({ uri, languageId, version }) => ({ uri: uri.toString(), languageId, version });
const ask = (method, { uri }, position) =>
  server.request(`textDocument/${method}`, { textDocument: { uri: uri.toString() }, position });
const tell = (event, document, more) =>
  document.uri.scheme === 'file' &&
  server.notify(`textDocument/${event}`, { textDocument: described(document), ...more });

/** A command that opens what a request answers as a document. A `prompt` asks for its query. */
function command(method, { prompt, more, language, render }) {
  return vscode.commands.registerCommand(`contextd.${method}`, async () => {
    const { document, selection } = vscode.window.activeTextEditor ?? {};
    const query = prompt && (await vscode.window.showInputBox({ prompt }));
    if (prompt && query === undefined) return;
    const textDocument = document?.uri.scheme === 'file' ? { uri: document.uri.toString() } : undefined;
    const place = textDocument && { textDocument, position: selection.active };
    try {
      const answer = await server.request(`contextd/${method}`, { ...place, ...more, ...(query && { query }) });
      const shown = await vscode.workspace.openTextDocument({ content: render(answer), language });
      await vscode.window.showTextDocument(shown);
    } catch ({ message }) {
      void vscode.window.showErrorMessage(`contextd: ${message}`);
    }
  });
}

exports.activate = async (context) => {
  const { workspace, languages, window } = vscode;
  const found = languages.createDiagnosticCollection('contextd');
  const lenses = new vscode.EventEmitter();
  const handlers = {
    'window/showMessageRequest': ({ message, actions = [] }) => window.showInformationMessage(message, ...actions),
    'workspace/codeLens/refresh': () => lenses.fire(),
    'textDocument/publishDiagnostics': ({ uri, diagnostics }) =>
      found.set(vscode.Uri.parse(uri), diagnostics.map(problemOf)),
  };
  server = connect(workspace.getConfiguration('contextd').get('command'), (method, params) =>
    handlers[method]?.(params),
  );
  const named = (folders = []) => folders.map(({ uri, name }) => ({ uri: uri.toString(), name }));
  const workspaceFolders = named(workspace.workspaceFolders);
  const capabilities = { workspace: { codeLens: { refreshSupport: true }, workspaceFolders: true } };
  await server.request('initialize', { processId: process.pid, rootUri: null, capabilities, workspaceFolders });
  server.notify('initialized', {});
  const open = (document) =>
    tell('didOpen', document, { textDocument: { ...described(document), text: document.getText() } });
  workspace.textDocuments.forEach(open);
  const files = { scheme: 'file' };
  context.subscriptions.push(
    found,
    workspace.onDidOpenTextDocument(open),
    workspace.onDidCloseTextDocument((document) => tell('didClose', document)),
    workspace.onDidSaveTextDocument((document) => tell('didSave', document)),
    workspace.onDidChangeTextDocument(({ document }) =>
      tell('didChange', document, { contentChanges: [{ text: document.getText() }] }),
    ),
    workspace.onDidChangeWorkspaceFolders(({ added, removed }) =>
      server.notify('workspace/didChangeWorkspaceFolders', { event: { added: named(added), removed: named(removed) } }),
    ),
    languages.registerHoverProvider(files, {
      provideHover: async (document, position) => hoverOf(await ask('hover', document, position)),
    }),
    languages.registerCodeLensProvider(files, {
      onDidChangeCodeLenses: lenses.event,
      provideCodeLenses: async (document) => (await ask('codeLens', document)).map(lensOf),
    }),
    languages.registerCompletionItemProvider(files, {
      provideCompletionItems: async (document, position) =>
        (await ask('completion', document, position)).map(completionOf),
    }),
    command('context', {
      prompt: 'What will the model be asked? May be empty.',
      more: { render: 'markdown' },
      language: 'markdown',
      render: ({ text }) => text,
    }),
    command('explain', {
      render: ({ candidates }) =>
        candidates.map(({ verdict, path, reason }) => `${verdict.padEnd(9)} ${path}  ${reason.code}`).join('\n'),
    }),
    command('search', {
      prompt: 'What is sought?',
      render: ({ results }) => results.map(({ score, name }) => `${score.toFixed(2)}  ${name}`).join('\n'),
    }),
  );
};

exports.deactivate = () => server?.end();

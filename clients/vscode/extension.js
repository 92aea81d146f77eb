// A plain extension, without build and dependencies, between VS Code and `contextd lsp`.
const vscode = require('vscode');
const { connect } = require('./connection.js');

/** A promise of the connection to the server, as long as that runs. */
let running;
/** Gives that connection, and starts the server where it does not run. */
let ready;

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
const ask = async (method, { uri }, position) =>
  (await ready()).request(`textDocument/${method}`, { textDocument: { uri: uri.toString() }, position });

/** A name as one line, with all of its characters visible. */
const visible = (name) => name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (each) => `\\u{${each.codePointAt(0).toString(16)}}`);

/** Without links: VS Code makes them of Markdown in a notification, and runs commands that they name. */
const plain = (text) => text.replaceAll('](', '] (');

function warn([first, ...others] = []) {
  if (!first) return;
  const more = others.length > 0 ? ` (first of ${others.length + 1} warnings)` : '';
  const place = first.path ? `${visible(first.path)}: ` : '';
  void vscode.window.showWarningMessage(plain(`contextd: ${place}${first.message}${more}`));
}

/** A command that opens what a request answers as a document. A `prompt` asks for its query. */
function command(method, { prompt, more, language, render }) {
  return vscode.commands.registerCommand(`contextd.${method}`, async () => {
    const { document, selection } = vscode.window.activeTextEditor ?? {};
    const query = prompt && (await vscode.window.showInputBox({ prompt }));
    if (prompt && query === undefined) return;
    const textDocument = document?.uri.scheme === 'file' ? { uri: document.uri.toString() } : undefined;
    const place = textDocument && { textDocument, position: selection.active };
    try {
      const server = await ready();
      const answer = await server.request(`contextd/${method}`, { ...place, ...more, ...(query && { query }) });
      const shown = await vscode.workspace.openTextDocument({ content: render(answer), language });
      await vscode.window.showTextDocument(shown);
      warn(answer.warnings);
    } catch ({ message }) {
      void vscode.window.showErrorMessage(plain(`contextd: ${message}`));
    }
  });
}

exports.activate = (context) => {
  const { workspace, languages, window } = vscode;
  const found = languages.createDiagnosticCollection('contextd');
  const lenses = new vscode.EventEmitter();
  const handlers = {
    'window/showMessageRequest': ({ message, actions = [] }) =>
      window.showInformationMessage(plain(message), ...actions),
    'workspace/codeLens/refresh': () => lenses.fire(),
    'textDocument/publishDiagnostics': ({ uri, diagnostics }) =>
      found.set(vscode.Uri.parse(uri), diagnostics.map(problemOf)),
  };
  const named = (folders = []) => folders.map(({ uri, name }) => ({ uri: uri.toString(), name }));
  const capabilities = { workspace: { codeLens: { refreshSupport: true }, workspaceFolders: true } };
  const forget = () => {
    running = undefined;
  };
  const start = async () => {
    const program = workspace.getConfiguration('contextd').get('command');
    const server = connect(program, (method, params) => handlers[method]?.(params), forget);
    const workspaceFolders = named(workspace.workspaceFolders);
    await server.request('initialize', { processId: process.pid, rootUri: null, capabilities, workspaceFolders });
    server.notify('initialized', {});
    return server;
  };
  const notify = (method, params) =>
    running?.then(
      (server) => server.notify(method, params),
      () => {},
    );
  const tell = (event, document, more) =>
    document.uri.scheme === 'file' && notify(`textDocument/${event}`, { textDocument: described(document), ...more });
  const open = (document) =>
    tell('didOpen', document, { textDocument: { ...described(document), text: document.getText() } });
  ready = () => {
    if (running) return running;
    running = start();
    workspace.textDocuments.forEach(open);
    return running;
  };
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
      notify('workspace/didChangeWorkspaceFolders', { event: { added: named(added), removed: named(removed) } }),
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
        candidates
          .map(({ verdict, path, reason }) => `${verdict.padEnd(9)} ${visible(path)}  ${reason.code}`)
          .join('\n'),
    }),
    command('search', {
      prompt: 'What is sought?',
      render: ({ results }) => results.map(({ score, name }) => `${score.toFixed(2)}  ${visible(name)}`).join('\n'),
    }),
  );
  return ready();
};

exports.deactivate = () =>
  running?.then(
    (server) => server.end(),
    () => {},
  );

// SPDX-License-Identifier: MIT
//
// Starts `exhc lsp` for the languages of Exhaust. All that is known of them is known there.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = async () => {
  const [command, ...args] = vscode.workspace.getConfiguration('exhaust').get('exhc');
  client = new LanguageClient(
    'exhaust',
    'Exhaust',
    { command, args },
    {
      documentSelector: ['exh', 'exhaust-kernel', 'exhaust-fun'].map((language) => ({ language })),
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.exh') },
    },
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `Exhaust: '${[command, ...args].join(' ')}' does not start (${error.message}). The setting 'exhaust.exhc' names it.`,
    );
  }
};

exports.deactivate = () => client?.stop();

/** Started by a double click, the program has a window that shows only text: it opens the browser. Windows and macOS only. */

import { readSync } from 'node:fs'

import { note, say } from './terminal.ts'

/** The command that opens a page in the browser of the user. */
export function browserCommand(platform: NodeJS.Platform, url: string): string[] | undefined {
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return platform === 'darwin' ? ['open', url] : undefined
}

/**
 * Neither system says how a program was started, and both give it a terminal. A double click gives it no arguments, as typing its name alone
 * does.
 */
const isDoubleClick = (): boolean => process.argv.length === 2 && process.stdout.isTTY

export function openBrowser(url: string): void {
  const command = isDoubleClick() ? browserCommand(process.platform, url) : undefined
  if (!command) return
  say('To stop the server, close this window or press Ctrl-C.')
  try {
    Bun.spawn(command, { stdio: ['ignore', 'ignore', 'ignore'] })
  } catch {
    // The address is in the window.
  }
}

/** Windows closes the window at the end of the program, before anyone has read why it ended. */
export function keepWindow(): void {
  if (process.platform !== 'win32' || !isDoubleClick()) return
  note('Press Enter to close this window.')
  try {
    readSync(0, Buffer.alloc(1))
  } catch {
    // Nobody can press it.
  }
}

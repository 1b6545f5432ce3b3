/** Runs the program of the administrator that sets and removes records of type TXT. */

import { environmentWithoutSettings } from '#config/read.ts'

import { MINUTE } from '../clock.ts'
import { AcmeError } from './request.ts'

const COMMAND_MS = 2 * MINUTE
/** Bytes of its messages that are read. */
const MAX_MESSAGE = 64 * 1024

/** @throws AcmeError if it cannot be started, takes more than two minutes, or does not end with 0 */
export async function runDnsCommand(program: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  const failed = (why: string): AcmeError => new AcmeError('dnsCommand', `${program} ${args.join(' ')}: ${why}`)
  let child: Bun.Subprocess<'ignore', 'ignore', 'pipe'>
  try {
    child = Bun.spawn([program, ...args], {
      env: environmentWithoutSettings(),
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
      signal: AbortSignal.any([signal, AbortSignal.timeout(COMMAND_MS)]),
      killSignal: 'SIGKILL',
    })
  } catch (error) {
    throw failed((error as Error).message)
  }
  const reading = firstText(child.stderr)
  const code = await child.exited
  signal.throwIfAborted()
  if (code === 0) return
  // A program that it has started may keep the pipe open.
  const message = await Promise.race([reading, Bun.sleep(100).then(() => '')])
  throw failed(child.signalCode === null ? `exit code ${code}. ${message}` : `ended by ${child.signalCode}`)
}

async function firstText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  // Read to its end, so that the program can write it.
  for await (const chunk of stream) if (text.length < MAX_MESSAGE) text += decoder.decode(chunk, { stream: true })
  return text
}

/** Calls an operation of a server with an API key, for scripts. Needs the address of a server, and no data directory. */

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

import { apiKeyOfEnvironment, apiUrlOfEnvironment } from '#config/read.ts'
import { isApiKey } from '#lib/api-key.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'
import { networkReason } from '#platform/outgoing.ts'

import { REPEATED } from './args.ts'
import { EXIT, type ExitCode, Refusal } from './exit-codes.ts'
import { note } from './terminal.ts'
import type { Call, Run } from './verb.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
/** Exports of many rows take a while. */
const TIMEOUT_MS = 10 * MINUTE
/** Rows of a page with --all. */
const PAGE = 100
/** How often one request waits for its turn, at most a minute each. */
const MAX_WAITS = 10

export const run: Run = async (call) => {
  const [method = '', path = ''] = [call.words[0]?.toUpperCase(), call.words[1]]
  if (!METHODS.includes(method)) throw new Refusal(`The method must be one of ${METHODS.join(', ')}.`, EXIT.usage)
  if (!path.startsWith('/')) throw new Refusal('The path must begin with a slash: /api/assets', EXIT.usage)
  const { options } = call
  const all = options.has('all')
  if (all && method !== 'GET') throw new Refusal('--all is for GET.', EXIT.usage)
  if (all && options.has('raw')) throw new Refusal('--all and --raw exclude each other.', EXIT.usage)
  const request = { method, url: urlOf(call, path), key: keyOf(call), body: bodyOf(call, method) }
  const out = outputOf(options.get('output'))
  try {
    return all ? await printAll(request, out) : await printOne(request, options.has('raw'), out)
  } finally {
    out.close()
  }
}

interface Request {
  readonly method: string
  readonly url: URL
  readonly key: string
  readonly body: string | undefined
}

interface Envelope {
  readonly code?: number
  readonly data?: unknown
  readonly message?: string
  readonly requestId?: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

async function printOne(request: Request, raw: boolean, out: Output): Promise<ExitCode> {
  const answer = await ask(request)
  const isJson = isEnvelope(answer)
  if (!answer.ok) return refuse(answer, await answer.text())
  // Files, pictures and pages have no envelope.
  if (raw || !isJson) {
    for await (const chunk of answer.body ?? []) out.write(chunk)
    return EXIT.ok
  }
  const { data } = (await answer.json()) as Envelope
  out.write(`${JSON.stringify(data ?? null, null, 2)}\n`)
  return EXIT.ok
}

/** Prints the rows of all pages, one a line. */
async function printAll(request: Request, out: Output): Promise<ExitCode> {
  const { searchParams } = request.url
  if (!searchParams.has('size')) searchParams.set('size', String(PAGE))
  let page = Number(searchParams.get('page') ?? 1)
  for (let printed = 0; ; page++) {
    searchParams.set('page', String(page))
    const answer = await ask(request)
    if (!answer.ok || !isEnvelope(answer)) {
      if (!answer.ok) return refuse(answer, await answer.text())
      throw new Refusal('--all is for lists: the answer is a file.', EXIT.usage)
    }
    const { data } = (await answer.json()) as Envelope
    const rows = rowsOf(data)
    for (const row of rows.items) out.write(`${JSON.stringify(row)}\n`)
    printed += rows.items.length
    if (rows.items.length === 0 || rows.total === undefined || printed >= rows.total) return EXIT.ok
  }
}

/** Lists without pages have no total. @throws Refusal for an answer that is not a list */
function rowsOf(data: unknown): { items: readonly unknown[]; total: number | undefined } {
  if (Array.isArray(data)) return { items: data, total: undefined }
  const { items, total } = (data ?? {}) as { items?: unknown; total?: unknown }
  if (!Array.isArray(items)) throw new Refusal('--all is for lists: the answer has no items.', EXIT.usage)
  return { items, total: typeof total === 'number' ? total : undefined }
}

const isEnvelope = ({ headers }: Response): boolean =>
  (headers.get('content-type') ?? '').startsWith('application/json')

/** Waits while the server says so, up to a minute each time. @throws Refusal if there is no answer */
async function ask({ method, url, key, body }: Request): Promise<Response> {
  for (let waits = 0; ; waits++) {
    let answer: Response
    try {
      answer = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body !== undefined && { body }),
      })
    } catch (error) {
      throw new Refusal(`${url.origin} does not answer: ${networkReason(error)}`, EXIT.noAnswer)
    }
    const location = answer.headers.get('location')
    if (answer.status >= 300 && answer.status < 400 && location !== null)
      throw new Refusal(`${url.origin} redirects to ${new URL(location, url).origin}: use that as --url.`, EXIT.usage)
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
    if (answer.status !== 429 || !(seconds * SECOND <= MINUTE) || waits >= MAX_WAITS) return answer
    await answer.body?.cancel()
    await Bun.sleep(Math.max(1, seconds) * SECOND)
  }
}

/** Prints why the server refuses. */
function refuse(answer: Response, text: string): ExitCode {
  let envelope: Envelope = {}
  try {
    envelope = JSON.parse(text) as Envelope
  } catch {
    // Not from Tessera, or a page.
  }
  const { code = answer.status, message = 'it is not an answer of Tessera', requestId, details = [] } = envelope
  const id = requestId ?? answer.headers.get('x-request-id')
  note(`${code === answer.status ? code : `${answer.status} (code ${code})`}: ${message}`)
  for (const detail of details) note(`  ${detail.path}: ${detail.message}`)
  if (id !== null) note(`Request id: ${id}`)
  return answer.status >= 500 ? EXIT.serverFailed : EXIT.refused
}

function urlOf({ options }: Call, path: string): URL {
  const text = (options.get('url') ?? apiUrlOfEnvironment() ?? '').replace(/\/+$/, '')
  if (text === '')
    throw new Refusal('The address of the server is missing: use --url URL, or set TESSERA_API_URL.', EXIT.usage)
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text + path))
    throw new Refusal(`${JSON.stringify(text)} is not an address such as https://qr.example.org.`, EXIT.usage)
  const url = new URL(text + path)
  if (url.username !== '' || url.password !== '')
    throw new Refusal('The address must not contain a name or a password.', EXIT.usage)
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isLocal)
    note(`${url.origin} is not encrypted: everyone on the way can read the key and use it.`)
  for (const pair of options.get('query')?.split(REPEATED) ?? []) {
    const at = pair.indexOf('=')
    if (at < 1) throw new Refusal(`--query takes name=value, not ${JSON.stringify(pair)}.`, EXIT.usage)
    url.searchParams.append(pair.slice(0, at), pair.slice(at + 1))
  }
  return url
}

/** Never an argument, because every user of the machine can see those of a process. */
function keyOf({ options }: Call): string {
  const file = options.get('key-file')
  if (file !== undefined && isApiKey(file)) throw new Refusal('--key-file takes a file with the key.', EXIT.usage)
  const [line = ''] = (file === undefined ? (apiKeyOfEnvironment() ?? '') : readText(file)).split(/\r?\n/)
  const key = line.trim()
  if (key === '')
    throw new Refusal(
      file === undefined ? 'The API key is missing: use --key-file FILE, or set TESSERA_API_KEY.' : `${file} is empty.`,
      EXIT.usage,
    )
  if (!isApiKey(key)) throw new Refusal('An API key begins with tsk_.', EXIT.usage)
  return key
}

function bodyOf({ options }: Call, method: string): string | undefined {
  const given = options.get('data')
  if (given === undefined) return undefined
  if (method === 'GET') throw new Refusal('GET takes no --data.', EXIT.usage)
  const text = given === '-' ? readText('-') : given.startsWith('@') ? readText(given.slice(1)) : given
  try {
    JSON.parse(text)
  } catch (error) {
    throw new Refusal(`--data is not JSON: ${(error as Error).message}`, EXIT.usage)
  }
  return text
}

/** `-` is standard input. */
function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}`, EXIT.usage)
  }
}

interface Output {
  write(chunk: string | Uint8Array): void
  close(): void
}

/** The file is opened before the request, so that no answer is lost because it cannot be written. */
function outputOf(file: string | undefined): Output {
  if (file === undefined) return { write: (chunk) => void process.stdout.write(chunk), close() {} }
  let fd: number
  try {
    fd = openSync(file, 'w')
  } catch (error) {
    throw new Refusal(`${file} cannot be written: ${(error as Error).message}`, EXIT.usage)
  }
  return {
    write(chunk) {
      const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
    },
    close: () => closeSync(fd),
  }
}

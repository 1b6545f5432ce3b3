import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'

import { publishKeyOf } from '#config/read.ts'
import { networkReason } from '#platform/outgoing.ts'

import { EXIT, Refusal } from './exit-codes.ts'
import { bytes, note, progress, say } from './terminal.ts'
import type { Call, Run } from './verb.ts'

const MAX_VERSION = 2_147_483_647
/** Names of packages that the server accepts. */
const PACKAGE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** Needs only the address of a server: no configuration and no data directory. */
export const run: Run = async (call) => {
  const file = call.words[0]!
  const versionCode = versionCodeOf(call)
  const versionName = required(call, 'version-name', 'NAME')
  const server = serverOf(call)
  const notes = call.options.get('notes')
  const releaseNotes = notes === undefined ? '' : readText(notes)
  const key = keyOf(call)
  const fileName = basename(file)
  const size = sizeOf(file)
  if (!PACKAGE_NAME.test(fileName))
    throw new Refusal(
      `${JSON.stringify(fileName)} cannot be the name of a package: use 1 to 100 letters, digits and . _ - only.`,
      EXIT.usage,
    )

  const uploaded = await upload(`${server}/api/app/packages/${fileName}`, key, file, size)
  const published = await post(`${server}/api/app/update/publish`, key, {
    versionCode,
    versionName,
    downloadUrl: `/api/app/download/${fileName}`,
    ...uploaded,
    releaseNotes,
    isMajor: call.options.has('major'),
    forceUpdate: call.options.has('force'),
  })
  if (call.options.has('json')) say(JSON.stringify(published, null, 2))
  else
    say(
      `Version ${versionCode} (${versionName}) is published: ${bytes(uploaded.fileSize)}, SHA-256 ${uploaded.sha256}\n${String(published['downloadUrl'])}`,
    )
  return EXIT.ok
}

function required({ options }: Call, name: string, value: string): string {
  const given = options.get(name)?.trim()
  if (!given) throw new Refusal(`--${name} is missing: --${name} ${value}`, EXIT.usage)
  return given
}

function versionCodeOf(call: Call): number {
  const text = required(call, 'version-code', 'NUMBER')
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_VERSION) return Number(text)
  throw new Refusal(`--version-code must be a whole number from 1 to ${MAX_VERSION}.`, EXIT.usage)
}

/** The origin of the server. */
function serverOf(call: Call): string {
  const text = required(call, 'server', 'URL')
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new Refusal('--server must be an address such as https://qr.example.org, without a path.', EXIT.usage)
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isLocal)
    note(`${url.origin} is not encrypted: everyone on the way can read the key and use it.`)
  return url.origin
}

function keyOf({ options }: Call): string {
  const file = options.get('key-file')
  const [key = ''] = (file === undefined ? (publishKeyOf() ?? '') : readText(file)).split(/\r?\n/)
  if (key.trim() === '')
    throw new Refusal(
      file === undefined
        ? 'The publisher key is missing: use --key-file FILE, or set TESSERA_PUBLISH_KEY.'
        : `${file} is empty.`,
      EXIT.usage,
    )
  return key.trim()
}

/** `-` is standard input. */
function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}`, EXIT.usage)
  }
}

function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new Refusal(`There is no file ${file}.`, EXIT.usage)
  if (found.size === 0) throw new Refusal(`${file} is empty.`, EXIT.usage)
  return found.size
}

async function upload(url: string, key: string, file: string, size: number) {
  const hash = new Bun.CryptoHasher('sha256')
  const bar = progress('Uploading', size)
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      hash.update(chunk)
      bar.add(chunk.length)
      controller.enqueue(chunk)
    },
  })
  const stored = await ask(url, key, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
    body: Bun.file(file).stream().pipeThrough(counted),
  })
  bar.done()
  const sha256 = hash.digest('hex')
  if (stored['sha256'] !== sha256 || stored['fileSize'] !== size)
    throw new Refusal(`${file} arrived with other bytes than it has: was it changed meanwhile?`, EXIT.failure)
  return { fileSize: size, sha256 }
}

const post = (url: string, key: string, body: object): Promise<Record<string, unknown>> =>
  ask(url, key, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

interface Envelope {
  readonly data?: unknown
  readonly message?: unknown
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

/** The `data` of an answer. @throws Refusal with the server's sentence */
async function ask(
  url: string,
  key: string,
  request: { method: string; headers: Record<string, string>; body: string | ReadableStream<Uint8Array> },
): Promise<Record<string, unknown>> {
  const { origin } = new URL(url)
  let answer: Response
  try {
    answer = await fetch(url, {
      ...request,
      headers: { ...request.headers, 'x-publish-key': key },
      redirect: 'manual',
    })
  } catch (error) {
    throw new Refusal(`${origin} cannot be reached: ${networkReason(error)}`, EXIT.unreachable)
  }
  const location = answer.headers.get('location')
  if (answer.status >= 300 && answer.status < 400 && location !== null)
    throw new Refusal(`${origin} redirects to ${new URL(location, url).origin}: use that as --server.`, EXIT.usage)
  const { data, message, details = [] } = (await answer.json().catch(() => ({}))) as Envelope
  if (answer.status === 200 && typeof data === 'object' && data !== null) return data as Record<string, unknown>
  const reasons = details.map(({ path, message: text }) => `${path.replace(/^body\./, '')} ${text}`)
  const reason = [typeof message === 'string' ? message : 'it is not a Tessera server', ...reasons].join('; ')
  const isOurs = answer.status === 400 || answer.status === 413
  throw new Refusal(`${origin} answers ${answer.status}: ${reason}.`, isOurs ? EXIT.usage : EXIT.unreachable)
}

/** Reads and parses the body of a request. Limits its size and nesting, and requires UTF-8. */

import { type StagedFile, type Staging, TooManyBytes } from '#platform/blobs/staging.ts'

import { badRequest, tooLarge, unsupportedType } from './errors.ts'
import { incompleteForm, isForm } from './form.ts'

/** Bytes (conventions: at most 1 MB). */
export const MAX_JSON_BODY = 1024 * 1024
const MAX_DEPTH = 32
/**
 * Commas and opening brackets. 500 QR codes with 20 tags each, the largest request, have 20,000. Parsing the millions of empty objects
 * that fit into the largest body would take a third of a second.
 */
const MAX_VALUES = 100_000

const utf8 = new TextDecoder('utf-8', { fatal: true })

const bodyTooLarge = () => tooLarge('The request is too large', '请求过大')
const malformed = () => badRequest('The body is not valid JSON', '请求体不是有效的 JSON')

/** Refuses a body by its Content-Length, before reading it. */
export function checkAnnouncedSize(request: Request, max: number): void {
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > max) throw bodyTooLarge()
}

/** Whether the body is the form of a page. */
export const isUrlencoded = (request: Request): boolean =>
  (request.headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded')

/** Returns the parsed body, or `{}` if it is empty. Parses forms, of both kinds that programs send, only with `acceptsForm`. */
export async function readBody(request: Request, max: number, acceptsForm: boolean): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  const isOfPage = isUrlencoded(request)
  const bytes = await readAtMost(request, max)
  if (bytes.length === 0) return {}
  if (acceptsForm && isForm(request)) return fieldsOf(bytes, type)
  if (isOfPage ? !acceptsForm : type !== '' && !/^application\/([\w.+-]+\+)?json\b/i.test(type))
    throw unsupportedType('Send the body as application/json', '请以 application/json 格式发送请求体')
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw badRequest('The body is not valid UTF-8', '请求体不是有效的 UTF-8')
  }
  if (isOfPage) return nested(new URLSearchParams(text))
  return parseJson(text)
}

/** The fields of a form. `a.b` is the field `b` of the object `a`, whose fields are those that the page was made with. */
function nested(fields: URLSearchParams): Record<string, unknown> {
  const groups = Map.groupBy(fields, ([name]) => /^([^.]+)\../.exec(name)?.[1])
  return Object.fromEntries(
    [...groups].flatMap(([group, some]): [string, unknown][] =>
      group === undefined
        ? some
        : [[group, Object.fromEntries(some.map(([name, value]) => [name.slice(group.length + 1), value]))]],
    ),
  )
}

/** The texts of a `multipart/form-data` body, as mail programs send it (RFC 8058). @throws AppError 400 */
async function fieldsOf(bytes: Uint8Array, type: string): Promise<unknown> {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
    return Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'))
  } catch {
    throw incompleteForm()
  }
}

/** @throws AppError 400, also for JSON that is nested too deeply or has too many values */
export function parseJson(json: string): unknown {
  checkShape(json)
  try {
    return JSON.parse(json)
  } catch {
    throw malformed()
  }
}

/** A client that closes the connection during its body makes the body fail. That is not an error of the server. */
export function hungUp(error: unknown): never {
  if ((error as Error | null)?.name !== 'AbortError') throw error
  throw badRequest('The connection was closed before the whole body was received', '连接在请求体接收完之前已关闭')
}

async function readAtMost(request: Request, max: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  // `checkAnnouncedSize` has checked a Content-Length. Without one, count the bytes while reading.
  if (request.headers.has('content-length')) {
    const bytes = await request.bytes().catch(hungUp)
    if (bytes.length > max) throw bodyTooLarge()
    return bytes
  }
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > max) throw bodyTooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    hungUp(error)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** Writes a body of bytes to a temporary file. @throws AppError 400 if it is incomplete, 413 if it is too large; BlobError */
export async function receiveBytes(request: Request, staging: Staging, maxBytes: number): Promise<StagedFile> {
  checkAnnouncedSize(request, maxBytes)
  const source = (request.body ?? new Blob().stream()) as unknown as AsyncIterable<Uint8Array>
  try {
    return await staging.receive(source, maxBytes)
  } catch (error) {
    if (error instanceof TooManyBytes) throw bodyTooLarge()
    return hungUp(error)
  }
}

/** Refuses JSON that is nested too deeply or has too many values, before it is parsed. */
function checkShape(json: string): void {
  let depth = 0
  let values = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const c = json.charCodeAt(i)
    if (inString) {
      if (c === 0x5c) i++
      else if (c === 0x22) inString = false
    } else if (c === 0x22) inString = true
    else if (c === 0x2c) values++
    else if (c === 0x7b || c === 0x5b) {
      values++
      if (++depth > MAX_DEPTH) throw badRequest('The body is nested too deeply', '请求体嵌套过深')
    } else if (c === 0x7d || c === 0x5d) depth--
    if (values > MAX_VALUES) throw badRequest('The body contains too many values', '请求体包含过多的值')
  }
}

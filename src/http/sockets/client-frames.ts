/** Reads the frames of clients: JSON objects `{type, id?, data?}`. */

import type { Localized } from '#lib/localized.ts'

import { parseJson } from '../body.ts'
import type { SocketFrame } from '../socket.ts'
import { InvalidRequest, type Validator, validator } from '../validate.ts'

export interface ClientFrame {
  /** Undefined for a ping, which needs nothing but the socket. */
  readonly kind: SocketFrame | undefined
  readonly id: string | undefined
  readonly data: unknown
}

export interface BadFrame {
  /** Undefined if the frame has none that can be sent back. */
  readonly id: string | undefined
  readonly problem: Localized
}

/** Characters of the id that a client gives a frame. */
const MAX_ID = 64

const NOT_JSON: Localized = { en: 'Send frames as JSON objects', zh: '请以 JSON 对象发送' }
export const NOT_TEXT: Localized = { en: 'Send frames as text, not as bytes', zh: '请发送文本帧，不要发送二进制帧' }
const BAD_ID: Localized = {
  en: `\`id\` must be a string of 1 to ${MAX_ID} characters`,
  zh: `id 须为 1 至 ${MAX_ID} 个字符的文本`,
}
const UNKNOWN: Localized = { en: 'Unknown type of frame', zh: '未知的帧类型' }

export class FrameReader {
  readonly #kinds: ReadonlyMap<string, { readonly kind: SocketFrame; readonly validator: Validator }>

  constructor(kinds: readonly SocketFrame[]) {
    this.#kinds = new Map(kinds.map((kind) => [kind.type, { kind, validator: validator(kind.data, 'body') }]))
  }

  read(text: string): ClientFrame | BadFrame {
    const frame = parseObject(text)
    if (frame === undefined) return { id: undefined, problem: NOT_JSON }
    const { type, id, data = {} } = frame
    if (id !== undefined && (typeof id !== 'string' || id === '' || id.length > MAX_ID))
      return { id: undefined, problem: BAD_ID }
    if (type === 'ping') return { kind: undefined, id, data: undefined }
    const known = typeof type === 'string' ? this.#kinds.get(type) : undefined
    if (known === undefined) return { id, problem: UNKNOWN }
    try {
      return { kind: known.kind, id, data: known.validator.parse(data) }
    } catch (error) {
      if (error instanceof InvalidRequest) return { id, problem: firstProblem(error) }
      throw error
    }
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function firstProblem({ problems }: InvalidRequest): Localized {
  const { path, text } = problems[0]!
  const field = path.replace(/^body/, 'data')
  return { en: `${field} ${text.en}`, zh: `${field} ${text.zh}` }
}

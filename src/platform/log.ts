/** Structured log lines. Text on a terminal, JSON otherwise. Tokens, codes, phones and e-mails are masked. */

import { writeSync } from 'node:fs'

import { type Clock, systemClock } from './clock.ts'
import { maskField, maskText } from './mask.ts'

export type Fields = Record<string, unknown>
type Level = 'debug' | 'info' | 'warn' | 'error'

/** Who sent a request, as far as a log line says. */
export interface RequestOrigin {
  readonly requestId: string
  readonly ip: string
}

export interface Log {
  debug(message: string, fields?: Fields): void
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
  /**
   * One line a request, buffered: it is on the hot path. A no-op above level `info`; then `caller.ip` is never asked for.
   * Only the path of `url` is written: a query can hold a token. `userId` 0 means nobody.
   */
  access(method: string, url: string, status: number, ms: number, caller: RequestOrigin, userId: number): void
  /** Writes out what is buffered; called before exit. */
  flush(): void
}

export interface LogOptions {
  level: Level
  format: 'text' | 'json'
  /** Takes whole lines; standard error unless given. */
  write?: (lines: string) => void
  clock?: Clock
}

const RANK: Record<Level, number> = { debug: 0, info: 1, warn: 2, error: 3 }
const LABEL: Record<Level, string> = { debug: 'DEBUG', info: 'INFO ', warn: 'WARN ', error: 'ERROR' }

/** A line waits at most this long, so that a busy server writes once for hundreds of requests. */
const FLUSH_MS = 100
/** UTF-16 units; about 64 KB. */
const FLUSH_CHARS = 65_536
/** When the other end of the pipe does not read, lines are dropped beyond this rather than memory filled. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024

/** Characters that would break a line, hide text on a terminal, or need escaping in JSON. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNSAFE = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/
// oxlint-disable-next-line no-control-regex -- the same
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g

const quoted = (text: string): string => (UNSAFE.test(text) ? JSON.stringify(text) : `"${text}"`)
const visible = (text: string): string =>
  text.replace(CONTROL, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

export function createLog({ level, format, write = standardError(), clock = systemClock }: LogOptions): Log {
  const least = RANK[level]
  const time = timestamps(clock)
  let buffer = ''
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const lines = buffer
    buffer = ''
    write(lines)
  }

  function add(line: string, now: boolean): void {
    buffer += line
    if (now || buffer.length >= FLUSH_CHARS) flush()
    else timer ??= later(flush)
  }

  function say(at: Level, message: string, fields: Fields | undefined): void {
    if (RANK[at] < least) return
    const masked = fields && (maskField('', fields) as Fields)
    const line = format === 'json' ? jsonLine(time(), at, message, masked) : textLine(time(), at, message, masked)
    add(line, RANK[at] >= RANK.warn)
  }

  return {
    debug: (message, fields) => say('debug', message, fields),
    info: (message, fields) => say('info', message, fields),
    warn: (message, fields) => say('warn', message, fields),
    error: (message, fields) => say('error', message, fields),
    access(method, url, status, ms, caller, userId) {
      if (least > RANK.info) return
      const { requestId, ip } = caller
      const path = pathOf(url)
      const took = Math.round(ms * 100) / 100
      add(
        format === 'json'
          ? `{"time":"${time()}","level":"info","message":"request","method":"${method}","path":${quoted(path)},"status":${status},"ms":${took},"requestId":${quoted(requestId)},"ip":${quoted(ip)},"userId":${userId}}\n`
          : `${time()} INFO  ${method} ${visible(path)} ${status} ${took} ms ${visible(requestId)} ${visible(ip)} ${userId === 0 ? '-' : userId}\n`,
        false,
      )
    },
    flush,
  }
}

/** Of a whole URL or a path; without the query, which can carry tokens and invite codes. */
function pathOf(url: string): string {
  const scheme = url.indexOf('://')
  const start = scheme < 0 ? 0 : url.indexOf('/', scheme + 3)
  const query = url.indexOf('?', start)
  const path = query < 0 ? url.slice(start) : url.slice(start, query)
  return path.startsWith('/api/auth/') ? path.replace(DEVICE_IN_PATH, '$1***') : path
}

/** These paths take a device's raw id, which can log in. */
const DEVICE_IN_PATH = /^(\/api\/auth\/(?:logout|devices)\/).+/

function jsonLine(time: string, level: Level, message: string, fields: Fields | undefined): string {
  return JSON.stringify({ time, level, message: maskText(message), ...fields }) + '\n'
}

function textLine(time: string, level: Level, message: string, fields: Fields | undefined): string {
  let line = `${time} ${LABEL[level]} ${visible(maskText(message))}`
  let stack = ''
  for (const [key, value] of Object.entries(fields ?? {})) {
    if (value === undefined) continue
    if (isErrorView(value)) {
      line += ` ${key}=${visible(JSON.stringify(`${value.name}: ${value.message}`))}`
      // Indented, so that no text of an error can pass for a line of the log.
      if (value.stack) for (const row of value.stack.split('\n')) stack += `    ${visible(row)}\n`
    } else
      line += ` ${key}=${typeof value === 'string' && /^[\w./:@*+-]+$/.test(value) ? value : visible(JSON.stringify(value))}`
  }
  return `${line}\n${stack}`
}

const isErrorView = (value: unknown): value is { name: string; message: string; stack?: string } =>
  typeof value === 'object' && value !== null && 'name' in value && 'message' in value && 'stack' in value

/** ISO 8601; the date is built once a second. */
function timestamps(clock: Clock): () => string {
  let second = -1
  let prefix = ''
  return () => {
    const now = clock.now()
    const ms = now % 1000
    if (now - ms !== second) {
      second = now - ms
      prefix = new Date(second).toISOString().slice(0, 20)
    }
    return `${prefix}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`
  }
}

function later(run: () => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, FLUSH_MS)
  // A waiting log line alone keeps no process alive; the exit handler writes it.
  timer.unref()
  return timer
}

/**
 * Synchronous, so that nothing is lost at exit. A full pipe (EAGAIN) keeps the rest for the next call; a closed one or a full
 * disk loses lines, not the server.
 */
function standardError(): (lines: string) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (lines) => {
    if (lines === '' && rest.length === 0) return
    let bytes = rest.length === 0 ? Buffer.from(lines) : Buffer.concat([rest, Buffer.from(lines)])
    rest = Buffer.alloc(0)
    try {
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(2, bytes))
    } catch (error) {
      const waits = (error as NodeJS.ErrnoException).code === 'EAGAIN'
      if (waits && bytes.length <= MAX_KEPT_BYTES) rest = bytes
    }
  }
}

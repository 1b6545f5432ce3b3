/** Writes structured log lines as text or JSON. Masks tokens, codes, phone numbers and e-mail addresses. */

import { writeSync } from 'node:fs'

import type { LogLevel } from '#config/config.ts'
import { escapeControlCharacters as visible } from '#lib/text.ts'

import { type Clock, systemClock } from './clock.ts'
import { LogRing } from './log-ring.ts'
import { maskField, maskText } from './mask.ts'

export type Fields = Record<string, unknown>

/** The origin of a request, as a log line shows it. */
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
   * Warns with a code in readable form, because no gateway sends it. The lines that administrators see in the console have `hidden`
   * instead: they must not be able to sign in as other users.
   */
  readable(message: string, hidden: string): void
  /**
   * Writes one line for a request. Buffered, because every request calls it. Does nothing above level `info` and then does not read
   * `caller.ip`. `path` is without the query, which can contain a token, and without secrets. `userId` is 0 for anonymous requests.
   */
  access(method: string, path: string, status: number, ms: number, caller: RequestOrigin, userId: number): void
  /** Writes the buffered lines. Called before exit. */
  flush(): void
  /** The newest lines. */
  readonly recent: LogRing
  /** The name of the process in each line. */
  readonly process?: string
}

export interface LogOptions {
  level: LogLevel
  format: 'text' | 'json'
  /** Names the process in every line. */
  process?: string
  /** Receives whole lines. Default: standard error. */
  write?: (lines: string) => void
  clock?: Clock
}

const RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }
const LABEL: Record<LogLevel, string> = { debug: 'DEBUG', info: 'INFO ', warn: 'WARN ', error: 'ERROR' }

/** Longest time that a line is buffered. A busy server writes hundreds of requests at once. */
const FLUSH_MS = 100
/** Longest buffer in UTF-16 units, about 64 KB. */
const FLUSH_CHARS = 65_536
/** If stderr is not read, lines beyond this size are dropped so that memory does not grow. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024

/** Characters that break a line, hide text on a terminal, or must be escaped in JSON. */
// oxlint-disable-next-line no-control-regex -- control characters are escaped
const UNSAFE = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const quoted = (text: string): string => (UNSAFE.test(text) ? JSON.stringify(text) : `"${text}"`)

export function createLog({ level, format, process, write = standardError(), clock = systemClock }: LogOptions): Log {
  const inJson = process === undefined ? '' : `"process":${quoted(process)},`
  const named = process === undefined ? {} : { process }
  const inText = process === undefined ? '' : `${process} `
  const minRank = RANK[level]
  const time = timestamps(clock)
  const recent = new LogRing(clock)
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

  function say(at: LogLevel, message: string, fields: Fields | undefined): void {
    if (RANK[at] < minRank) return
    const masked = fields && (maskField('', fields) as Fields)
    const words = inWords(message, masked)
    keep(at, words, masked)
    add(
      format === 'json'
        ? jsonLine({ time: time(), level: at, ...named }, message, masked)
        : textLine(time(), at, inText, words),
      RANK[at] >= RANK.warn,
    )
  }

  function keep(at: LogLevel, { message, values, stack }: Words, fields?: Fields): void {
    const requestId = fields?.['requestId']
    const details = stack === '' ? values : `${values}\n${stack}`
    recent.add(clock.now(), at, { message, details }, typeof requestId === 'string' ? requestId : null)
  }

  return {
    ...named,
    debug: (message, fields) => say('debug', message, fields),
    info: (message, fields) => say('info', message, fields),
    warn: (message, fields) => say('warn', message, fields),
    error: (message, fields) => say('error', message, fields),
    readable(message, hidden) {
      if (minRank > RANK.warn) return
      keep('warn', inWords(hidden, undefined))
      add(
        format === 'json'
          ? jsonLine({ time: time(), level: 'warn', ...named }, message, undefined)
          : textLine(time(), 'warn', inText, inWords(message, undefined)),
        true,
      )
    },
    access(method, path, status, ms, caller, userId) {
      if (minRank > RANK.info) return
      const { requestId, ip } = caller
      const took = Math.round(ms * 100) / 100
      if (!isPolled(path, status))
        recent.addRequest(clock.now(), requestId, path, () => ({
          message: `${method} ${visible(path)} ${status}`,
          details: `ms=${took} ip=${visible(ip)} user=${userId === 0 ? '-' : userId}`,
        }))
      add(
        format === 'json'
          ? `{"time":"${time()}","level":"info",${inJson}"message":"request","method":"${method}","path":${quoted(path)},"status":${status},"ms":${took},"requestId":${quoted(requestId)},"ip":${quoted(ip)},"userId":${userId}}\n`
          : `${time()} INFO  ${inText}${method} ${visible(path)} ${status} ${took} ms ${visible(requestId)} ${visible(ip)} ${userId === 0 ? '-' : userId}\n`,
        false,
      )
    },
    flush,
    recent,
  }
}

/** Monitors and the console itself ask again and again, and their requests say nothing as long as they succeed. */
const isPolled = (path: string, status: number): boolean =>
  status < 400 && (path.startsWith('/actuator/') || path === '/api/admin/server-log')

function jsonLine(head: object, message: string, fields: Fields | undefined): string {
  return JSON.stringify({ ...head, message: maskText(message), ...fields }) + '\n'
}

interface Words {
  readonly message: string
  /** `name=value`, separated by spaces. */
  readonly values: string
  /** The rows of the stack of an error, each with its line break. */
  readonly stack: string
}

/** `fields` are masked already. */
function inWords(text: string, fields: Fields | undefined): Words {
  const values: string[] = []
  let stack = ''
  for (const [key, value] of Object.entries(fields ?? {})) {
    if (value === undefined) continue
    if (isErrorView(value)) {
      values.push(`${key}=${visible(JSON.stringify(`${value.name}: ${value.message}`))}`)
      // Indented, so that the text of an error cannot forge a log line.
      if (value.stack) for (const row of value.stack.split('\n')) stack += `    ${visible(row)}\n`
    } else
      values.push(
        `${key}=${typeof value === 'string' && /^[\w./:@*+-]+$/.test(value) ? value : visible(JSON.stringify(value))}`,
      )
  }
  return { message: visible(maskText(text)), values: values.join(' '), stack }
}

const textLine = (time: string, level: LogLevel, process: string, { message, values, stack }: Words): string =>
  `${time} ${LABEL[level]} ${process}${message}${values === '' ? '' : ` ${values}`}\n${stack}`

const isErrorView = (value: unknown): value is { name: string; message: string; stack?: string } =>
  typeof value === 'object' && value !== null && 'name' in value && 'message' in value && 'stack' in value

/** ISO 8601. The part up to the second is built once per second. */
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
  // A buffered line must not keep the process alive; the exit handler writes it.
  timer.unref()
  return timer
}

/**
 * Writes synchronously, so that nothing is lost at exit. If the pipe is full (EAGAIN), the rest is kept for the next call; if it is
 * closed or the disk is full, lines are lost and the server goes on.
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

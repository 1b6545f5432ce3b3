/**
 * Sends spans to an OpenTelemetry collector: OTLP over HTTP with JSON, which is one POST (docs/adr/0034-traces.md). It never waits for the
 * collector: spans that do not fit into the queue, or that the collector does not take, are dropped and counted.
 */

import { type Clock, MINUTE, SECOND } from './clock.ts'
import { fraction } from './ids.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { call, describeAnswer, GatewayError } from './outgoing.ts'
import { type Attributes, type RemoteParent, Span } from './spans.ts'
import { version } from './version.ts'

const MAX_WAITING = 2048
const MAX_SENT = 512
/** The longest wait of a span that has ended. */
const COLLECT_MS = 2 * SECOND
/** After a failure, so that an absent collector costs next to nothing. */
const PAUSE_MS = 5 * SECOND
/** How long a stop waits for the collector. */
const STOP_MS = SECOND
/** Requests that take longer are sent whether they are sampled or not. */
const SLOW_MS = SECOND

const DROPPED = { name: 'tessera_spans_dropped_total', help: 'Spans of traces that the collector did not get.' }

export interface TracerOptions {
  /** Where spans are posted. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The share of requests whose spans are all sent. */
  readonly ratio: number
  /** The name of the process. */
  readonly process: string
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

export class Tracer {
  readonly #options: TracerOptions
  readonly #drop: (count: number) => void
  readonly #stop = new AbortController()
  #waiting: Span[] = []
  #sending: Promise<boolean> | undefined
  #timer: Timer | undefined
  #pausedUntil = 0
  #isStopping = false
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(options: TracerOptions) {
    this.#options = options
    this.#drop = options.metrics.counter(DROPPED)
  }

  /** The first span of a trace. Whether another program samples its trace is decided there. */
  begin(name: string, kind: Span['kind'], parent?: RemoteParent): Span {
    const { clock, ratio } = this.#options
    const isSampled = parent?.isSampled ?? fraction() < ratio
    const epoch = clock.now() - performance.now()
    return new Span({ isSampled, epoch, parent, add: this.#add, hasEnded: false }, undefined, name, kind)
  }

  /** Sends what waits, for a second at most. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    const late = setTimeout(() => this.#stop.abort(new GatewayError('the server stops')), STOP_MS)
    await this.#sending
    while (this.#waiting.length > 0 && (await this.#send()));
    clearTimeout(late)
  }

  readonly #add = (span: Span): void => {
    const { trace, parent, hasFailed, startedAt, endedAt } = span
    if (parent === undefined) trace.hasEnded = true
    if (!trace.isSampled && !hasFailed && endedAt - startedAt < SLOW_MS) return
    if (this.#waiting.length >= MAX_WAITING) this.#drop(1)
    else {
      this.#waiting.push(span)
      this.#wake()
    }
  }

  /** Sends soon, or at once what fills a POST. One POST at a time. */
  #wake(): void {
    if (this.#sending !== undefined || this.#isStopping) return
    const pause = this.#pausedUntil - performance.now()
    if (this.#waiting.length >= MAX_SENT && pause <= 0) this.#start()
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#start(), Math.max(COLLECT_MS, pause))
      this.#timer.unref()
    }
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending = this.#send().finally(() => {
      this.#sending = undefined
      if (this.#waiting.length > 0) this.#wake()
    })
  }

  /** Sends the oldest spans. False if they are lost. */
  async #send(): Promise<boolean> {
    const { url, headers } = this.#options
    const spans = this.#waiting.splice(0, MAX_SENT)
    try {
      const body = JSON.stringify(this.#exported(spans))
      const answer = await call(url, {
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal: this.#stop.signal,
      })
      if (answer.status >= 200 && answer.status < 300) return true
      throw new GatewayError(describeAnswer(answer))
    } catch (error) {
      this.#drop(spans.length)
      this.#pausedUntil = performance.now() + PAUSE_MS
      this.#warn(error)
      return false
    }
  }

  #warn(error: unknown): void {
    const { clock, log } = this.#options
    if (clock.now() - this.#warnedAt < MINUTE) return
    this.#warnedAt = clock.now()
    log.warn('traces cannot be sent to the collector', { reason: (error as Error).message })
  }

  #exported(spans: readonly Span[]): object {
    const scope = { name: 'tessera', version }
    const resource = {
      attributes: attributeList({
        'service.name': 'tessera',
        'service.version': version,
        'service.instance.id': this.#options.process,
      }),
    }
    return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(spanData) }] }] }
  }
}

const OK = { code: 1 }
const ERROR = { code: 2 }

const spanData = (span: Span): object => ({
  traceId: span.traceId,
  spanId: span.id,
  parentSpanId: span.parentId,
  name: span.name,
  kind: span.kind,
  startTimeUnixNano: nanoseconds(span.trace.epoch + span.startedAt),
  endTimeUnixNano: nanoseconds(span.trace.epoch + span.endedAt),
  attributes: attributeList(span.attributes),
  status: span.hasFailed ? ERROR : OK,
})

/** As text: nanoseconds since 1970 are beyond the whole numbers of JavaScript. */
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`

const attributeList = (attributes: Attributes): object[] =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    // Whole numbers of 64 bits are texts in the JSON of Protocol Buffers.
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))

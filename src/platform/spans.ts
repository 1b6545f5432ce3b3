/**
 * Spans: how long the parts of a request took. Only a sampled request has more than one, and what runs for it finds its span by the
 * asynchronous context. Names and attributes come from the code: never ids of rows, names, addresses, queries or values.
 */

import { AsyncLocalStorage } from 'node:async_hooks'

import { bytes } from './ids.ts'

/** The context of the code that runs now. The database keeps more in it (db/around-writes.ts). */
export interface Scope {
  readonly span?: Span
}

export const scopes = new AsyncLocalStorage<Scope | undefined>()

export type Attributes = Readonly<Record<string, string | number>>

/** As OpenTelemetry numbers them. */
export const KIND = { internal: 1, server: 2, client: 3 } as const
type Kind = (typeof KIND)[keyof typeof KIND]

const newId = (length: number): string => bytes(length).toHex()

/** A span of another program, by its `traceparent`. */
export interface RemoteParent {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Undefined if the header is not one that W3C Trace Context allows. */
export function parseTraceparent(header: string): RemoteParent | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header) ?? []
  return traceId === undefined
    ? undefined
    : { traceId, spanId: spanId!, isSampled: (Number.parseInt(flags!, 16) & 1) === 1 }
}

/** A request, or a message to another server: its first span and those within it. */
export interface Trace {
  readonly isSampled: boolean
  /** Added to `performance.now()`, it gives epoch milliseconds. */
  readonly epoch: number
  readonly parent: RemoteParent | undefined
  /** Takes the spans that have ended. */
  readonly add: (span: Span) => void
  hasEnded: boolean
}

export class Span {
  readonly startedAt = performance.now()
  endedAt = 0
  hasFailed = false
  attributes: Attributes
  /** Made when they are needed: most requests are not sampled. */
  #id: string | undefined
  #traceId: string | undefined

  constructor(
    readonly trace: Trace,
    readonly parent: Span | undefined,
    readonly name: string,
    readonly kind: Kind,
    attributes: Attributes = {},
  ) {
    this.attributes = attributes
  }

  get id(): string {
    return (this.#id ??= newId(8))
  }
  get traceId(): string {
    return (this.#traceId ??= this.parent?.traceId ?? this.trace.parent?.traceId ?? newId(16))
  }
  get parentId(): string | undefined {
    return this.parent?.id ?? this.trace.parent?.spanId
  }

  /** A part of this span. Undefined for work that goes on after the answer. */
  child(name: string, attributes?: Attributes): Span | undefined {
    return this.trace.hasEnded ? undefined : new Span(this.trace, this, name, KIND.internal, attributes)
  }

  /** A span that never ends is not sent. */
  end(hasFailed = this.hasFailed): void {
    this.hasFailed = hasFailed
    this.endedAt = performance.now()
    this.trace.add(this)
  }

  /** Spans that `run` starts are parts of this one. */
  run<T>(run: () => T): T {
    return scopes.run({ ...scopes.getStore(), span: this }, run)
  }
}

/** Begins a part of the span that is running. Undefined, at the cost of a look-up, if none is. */
export const startSpan = (name: string, attributes?: Attributes): Span | undefined =>
  scopes.getStore()?.span?.child(name, attributes)

/** Ends a span when `work` ends. */
export async function ending<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    span.hasFailed = true
    throw error
  } finally {
    span.end()
  }
}

/** Measures `run` as a part of the span that is running. */
export function timed<T>(name: string, attributes: Attributes, run: () => Promise<T>): Promise<T> {
  const span = startSpan(name, attributes)
  return span === undefined ? run() : ending(span, span.run(run))
}

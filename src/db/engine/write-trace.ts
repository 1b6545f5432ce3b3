/** The spans of a write in a sampled request: from the call to the answer, and from the start of its group to the answer. */

import { ending, type Span, startSpan } from '#platform/spans.ts'

import type { WriteBody } from '../store.ts'

export class WriteTrace {
  #group: Span | undefined

  constructor(readonly span: Span) {}

  /** Called again if the group was rolled back. */
  beginGroup(writes?: number): void {
    this.#group?.end()
    this.#group = this.span.child('group', writes === undefined ? undefined : { writes })
  }

  /** Calls `run`, whose statements are parts of the group. */
  run<T>(run: () => T): T {
    return (this.#group ?? this.span).run(run)
  }

  /** To be awaited instead of `writing`. */
  answered<T>(writing: Promise<T>): Promise<T> {
    return ending(
      this.span,
      writing.finally(() => this.#group?.end()),
    )
  }
}

/** Undefined unless a sampled request asks for the write. */
export function traceWrite(name: string): WriteTrace | undefined {
  const span = startSpan('write', { name })
  return span && new WriteTrace(span)
}

export const tracedBody = <T>(trace: WriteTrace | undefined, body: WriteBody<T>): WriteBody<T> =>
  trace === undefined ? body : (tx) => trace.run(() => body(tx))

/** Runs the group. The statements that begin and commit it are parts of the trace of its first sampled write. */
export function tracedGroup<T>(group: readonly { readonly trace: WriteTrace | undefined }[], run: () => T): T {
  const traces = group.flatMap(({ trace }) => trace ?? [])
  for (const trace of traces) trace.beginGroup(group.length)
  return traces.length === 0 ? run() : traces[0]!.run(run)
}

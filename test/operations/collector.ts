/** A collector of OpenTelemetry on this machine. */

import { until } from '../harness/index.ts'

export interface Collected {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, string> }[]
  readonly status: { readonly code: number }
}

interface Post {
  readonly path: string
  readonly headers: Headers
  readonly text: string
  readonly spans: readonly Collected[]
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Collected[] }[] }[]
}

/** `answer` may hold back the answers, or refuse the spans. */
export function startCollector(answer: () => Response | Promise<Response> = () => Response.json({})) {
  const posts: Post[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const text = await request.text()
      const { resourceSpans } = JSON.parse(text) as Export
      const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
      posts.push({ path: new URL(request.url).pathname, headers: request.headers, text, spans })
      return answer()
    },
  })
  const spans = () => posts.flatMap((post) => post.spans)
  return {
    url: `http://127.0.0.1:${server.port}/v1/traces`,
    posts,
    spans,
    /** Waits for the first span of a request or message, and returns it. */
    async root(matches: (span: Collected) => boolean): Promise<Collected> {
      await until(() => spans().some(matches))
      return spans().find(matches)!
    },
    /** Spans are sent in the order of their ends, so all of a trace are there when its first is. */
    traceOf: ({ traceId }: Collected) => spans().filter((span) => span.traceId === traceId),
    stop: () => server.stop(true),
  }
}

export const attribute = ({ attributes }: Collected, name: string): string | undefined => {
  const value = attributes.find(({ key }) => key === name)?.value
  return value?.['stringValue'] ?? value?.['intValue']
}

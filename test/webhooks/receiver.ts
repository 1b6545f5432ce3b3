/** A receiver of webhooks on this machine, which verifies what it gets with the library of Standard Webhooks. */

import { Webhook } from 'standardwebhooks'

import { PATIENCE_MS } from '../harness/until.ts'

export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into events of every shape
  readonly event: any
  /** How many requests of the path were under way, with this one. */
  readonly atOnce: number
}

type Answer = (request: Received) => Response | Promise<Response>

export function startReceiver() {
  const received: Received[] = []
  const answers = new Map<string, Answer>()
  const underWay = new Map<string, number>()
  const waiting = new Set<() => void>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      const text = await request.text()
      const atOnce = (underWay.get(path) ?? 0) + 1
      underWay.set(path, atOnce)
      const one: Received = {
        path,
        headers: Object.fromEntries(request.headers),
        text,
        event: JSON.parse(text),
        atOnce,
      }
      received.push(one)
      for (const wake of waiting) wake()
      try {
        return (await answers.get(path)?.(one)) ?? new Response('ok')
      } finally {
        underWay.set(path, underWay.get(path)! - 1)
      }
    },
  })
  let paths = 0
  return {
    origin: server.url.origin,
    newUrl: () => `${server.url.origin}/hook${++paths}`,
    /** Those at the URL, in the order of their arrival. */
    at: (url: string) => received.filter(({ path }) => path === new URL(url).pathname),
    answer: (url: string, answer: Answer) => void answers.set(new URL(url).pathname, answer),
    stop: () => server.stop(true),
    /** Resolves when so many have arrived at the URL that meet the condition. */
    async next(url: string, count = 1, isIt: (one: Received) => boolean = () => true): Promise<Received[]> {
      const path = new URL(url).pathname
      const found = () => received.filter((one) => one.path === path && isIt(one))
      const until = Date.now() + PATIENCE_MS
      while (found().length < count) {
        if (Date.now() > until) throw new Error(`${count} events did not arrive, but ${found().length}`)
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.add(resolve)
        await Promise.race([promise, Bun.sleep(100)])
        waiting.delete(resolve)
      }
      return found()
    },
  }
}

export type Receiver = ReturnType<typeof startReceiver>

/** Throws unless the signature is right. The library compares the timestamp with the clock of this machine. */
export const verify = (secret: string, { text, headers }: Received): unknown =>
  new Webhook(secret).verify(text, headers)

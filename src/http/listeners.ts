/** The listener of the port, and the earlier ones, which it has replaced, until their connections have ended. */

import type { Server } from 'bun'

export class Listeners<T> {
  #current: Server<T>
  readonly #replaced = new Set<Server<T>>()

  constructor(first: Server<T>) {
    this.#current = first
  }

  get current(): Server<T> {
    return this.#current
  }

  /** `listen` takes the port, which is free then. If it cannot, the port stays closed until the next call. */
  replace(listen: () => Server<T>): Server<T> {
    const old = this.#current
    this.#replaced.add(old)
    void old.stop(false).then(() => this.#replaced.delete(old))
    return (this.#current = listen())
  }

  /** Makes a socket of a request to any of them. */
  upgrade(
    request: Request,
    options: { readonly data: T; readonly headers?: Record<string, string> | undefined },
  ): boolean {
    for (const server of [this.#current, ...this.#replaced])
      try {
        return server.upgrade(request, options as never)
      } catch (error) {
        // Another one has received the request.
        if ((error as { code?: unknown }).code !== 'ERR_INVALID_ARG_TYPE') throw error
      }
    return false
  }

  async stop(closeConnections: boolean): Promise<void> {
    await Promise.all([this.#current, ...this.#replaced].map((server) => server.stop(closeConnections)))
  }
}

/** The listener of the port, the earlier ones, which it has replaced, until their connections have ended, and one on another port beside it. */

import type { Server } from 'bun'

export class Listeners<T> {
  #current: Server<T> | undefined
  readonly #others = new Set<Server<T>>()

  /** `first`: undefined if the port is still closed. */
  constructor(first: Server<T> | undefined, beside?: Server<T>) {
    this.#current = first
    if (beside !== undefined) this.#others.add(beside)
  }

  /** `listen` takes the port, which is free then. If it cannot, the port stays closed until the next call. */
  replace(listen: () => Server<T>): Server<T> {
    const old = this.#current
    if (old !== undefined) {
      this.#others.add(old)
      void old.stop(false).then(() => this.#others.delete(old))
    }
    return (this.#current = listen())
  }

  /** Makes a socket of a request to any of them. */
  upgrade(
    request: Request,
    options: { readonly data: T; readonly headers?: Record<string, string> | undefined },
  ): boolean {
    for (const server of this.#all())
      try {
        return server.upgrade(request, options as never)
      } catch (error) {
        // Another one has received the request.
        if ((error as { code?: unknown }).code !== 'ERR_INVALID_ARG_TYPE') throw error
      }
    return false
  }

  async stop(closeConnections: boolean): Promise<void> {
    await Promise.all(this.#all().map((server) => server.stop(closeConnections)))
  }

  #all(): Server<T>[] {
    return [...(this.#current === undefined ? [] : [this.#current]), ...this.#others]
  }
}

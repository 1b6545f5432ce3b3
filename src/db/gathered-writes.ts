/**
 * Small writes of many requests that one write does together: BEGIN, a round trip to PostgreSQL for each statement, COMMIT and its flush cost as much
 * for one as for a hundred. Nothing waits for a group to fill: while a write runs, those that arrive are the next group.
 */

import { scopes, type Span } from '#platform/spans.ts'

import { isAroundWrites, outsideRequest } from './around-writes.ts'
import { StorageError } from './errors.ts'
import type { Store, Tx, WriteOptions } from './store.ts'

/** Inputs in one write: some milliseconds. */
const MAX_GROUP = 256

/** `later`: to be tried again in another write, after this one. The first of a group is so a few times at most. */
export type Gathered<Result> = { readonly value: Result } | { readonly error: unknown } | 'later'

interface Waiting<Input, Result> {
  readonly input: Input
  readonly span: Span | undefined
  resolve(result: Result): void
  reject(error: unknown): void
}

export class GatheredWrites<Input, Result> {
  #waiting: Waiting<Input, Result>[] = []
  #running = false

  /** `run` returns what becomes of each of the inputs, in their order. One that it refuses by an `error` must not have changed anything. */
  constructor(
    readonly db: Pick<Store, 'write'>,
    readonly name: string,
    readonly run: (tx: Tx, inputs: readonly Input[]) => Promise<readonly Gathered<Result>[]>,
    readonly options: WriteOptions,
  ) {}

  /** @throws the error with which `run` refuses the input */
  add(input: Input): Promise<Result> {
    if (isAroundWrites()) return this.#addAlone(input)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, span: scopes.getStore()?.span, resolve, reject })
      if (!this.#running) void outsideRequest(() => this.#runAll())
    })
  }

  /** In a write of its own: its result is kept with the key of the request, in the same transaction. */
  #addAlone(input: Input): Promise<Result> {
    const write = async (tx: Tx): Promise<Result> => {
      const outcome = (await this.run(tx, [input]))[0]!
      if (outcome === 'later') throw new Error(`${this.name} did not take an input that is alone`)
      if ('error' in outcome) throw outcome.error
      return outcome.value
    }
    return this.db.write(this.name, write, this.options)
  }

  async #runAll(): Promise<void> {
    this.#running = true
    while (this.#waiting.length > 0) await this.#runGroup()
    this.#running = false
  }

  async #runGroup(): Promise<void> {
    let group: Waiting<Input, Result>[] = []
    try {
      const write = () =>
        this.db.write(
          this.name,
          (tx) => {
            // Now, because others have arrived while the write waited. After a conflict it runs again, with the same ones and more.
            group = [...group, ...this.#waiting.splice(0, MAX_GROUP - group.length)]
            return this.run(
              tx,
              group.map(({ input }) => input),
            )
          },
          this.options,
        )
      // The write is in the trace of one of its requests.
      const span = this.#waiting.find((one) => one.span !== undefined)?.span
      const outcomes = await (span === undefined ? write() : span.run(write))
      this.#waiting = [...settle(group, outcomes), ...this.#waiting]
    } catch (error) {
      if (group.length === 0) rejectAll(this.#waiting.splice(0), error)
      else if (group.length === 1 || error instanceof StorageError) rejectAll(group, error)
      else for (const one of group) await this.#runAlone(one)
    }
  }

  /** A statement of the group has failed, perhaps because of one of the inputs: the others must not fail with it. */
  async #runAlone(one: Waiting<Input, Result>): Promise<void> {
    try {
      settle([one], await this.db.write(this.name, (tx) => this.run(tx, [one.input]), this.options))
    } catch (error) {
      one.reject(error)
    }
  }
}

/** Answers the inputs. Returns those for another write. */
function settle<Input, Result>(
  group: readonly Waiting<Input, Result>[],
  outcomes: readonly Gathered<Result>[],
): Waiting<Input, Result>[] {
  return group.filter((one, i) => {
    const outcome = outcomes[i]!
    if (outcome === 'later') return true
    if ('error' in outcome) one.reject(outcome.error)
    else one.resolve(outcome.value)
    return false
  })
}

function rejectAll<Input, Result>(lost: readonly Waiting<Input, Result>[], error: unknown): void {
  for (const { reject } of lost) reject(error)
}

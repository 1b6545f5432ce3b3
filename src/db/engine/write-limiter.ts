/** How many writes may run at once on PostgreSQL: many while they leave each other alone, one by one while they get in each other's way. */

export interface Gate {
  /** Runs `attempt` when there is room, again for as long as `again` says so of its error, at most `tries` times in all. */
  run<T>(attempt: () => Promise<T>, again: (error: unknown) => boolean, tries: number): Promise<T>
}

/** Successes until one more may run at once, after conflicts. */
const CALM = 20

export function gate(most: number): Gate {
  let room = most
  let running = 0
  const waiting: (() => void)[] = []

  function wake(): void {
    while (running < Math.floor(room) && waiting.length > 0) {
      running++
      waiting.shift()!()
    }
  }

  /** Who has tried before goes first: nobody fails for ever. */
  function enter(first: boolean): Promise<void> {
    return new Promise<void>((go) => {
      if (first) waiting.unshift(go)
      else waiting.push(go)
      wake()
    })
  }

  return {
    async run(attempt, again, tries) {
      for (let nth = 1; ; nth++) {
        await enter(nth > 1)
        try {
          const value = await attempt()
          room = Math.min(most, room + 1 / CALM)
          return value
        } catch (error) {
          if (!again(error)) throw error
          room = Math.max(1, room / 2)
          if (nth === tries) throw error
        } finally {
          running--
          wake()
        }
      }
    },
  }
}

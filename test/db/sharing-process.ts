/**
 * A process that shares a database, for outages.test.ts. It writes the numbers from `from` on (`publish` of sharing.ts) until it is killed, or
 * none with `-1`, and prints a line of JSON for each number that was written, each event and each gap.
 */

import { BUS_TIMES } from '#db/engine/pg-bus.ts'
import { openStore } from '#db/open.ts'
import { systemClock } from '#platform/clock.ts'

import { memoryLog } from './fresh.ts'
import { changed, publish } from './sharing.ts'

const [databaseUrl = '', from = '-1', keepMs = String(BUS_TIMES.keepMs)] = process.argv.slice(2)
const store = await openStore({
  config: { databaseUrl, dataDir: '' },
  clock: systemClock,
  log: memoryLog(),
  shared: true,
  busTimes: { ...BUS_TIMES, keepMs: Number(keepMs) },
})
const print = (line: Record<string, unknown>) => process.stdout.write(`${JSON.stringify(line)}\n`)
store.bus.on(changed, (event) => print({ event }))
store.bus.onGap(() => print({ gap: true }))
print({ started: true })

async function write(first: number): Promise<void> {
  for (let n = first; ; n += 4) {
    await publish(store, n)
    print({ written: n })
  }
}
if (from !== '-1') await Promise.all([0, 1, 2, 3].map((i) => write(Number(from) + i)))

/** Kills the process repeatedly while it sends: every committed message is delivered at least once. */

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Config, defaultConfig } from '#config/config.ts'

import { freshDatabase } from '../harness/database.ts'
import { inProcess, startGateways } from '../harness/index.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'tessera-crash-'))
const children = new Set<Bun.Subprocess>()
afterAll(() => {
  // Also after a failure in the middle of the test.
  for (const child of children) child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

const KILLS = 6
const CODES_PER_RUN = 40

test.if(inProcess)(
  'every code committed before a SIGKILL is delivered after the next start, at most once more per kill and attempt',
  async () => {
    const gateways = await startGateways()
    const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
    const config: Config = { ...defaultConfig, ...gateways.config, port: 0, dataDir, databaseUrl: database?.url ?? '' }
    const start = (codes: string[]) => {
      const child = Bun.spawn(
        [process.execPath, join(import.meta.dir, 'crash-child.ts'), JSON.stringify(config), JSON.stringify(codes)],
        { env: { ...process.env, TESSERA_DATABASE_URL: config.databaseUrl }, stdout: 'pipe', stderr: 'inherit' },
      )
      children.add(child)
      return child
    }
    const committed = new Set<string>()
    for (let kill = 0; kill < KILLS; kill++) {
      // The gateway accepts some messages and holds the following ones until the kill. Then it accepts them without the server
      // learning it, or refuses them: both leave messages that are neither sent nor lost.
      let accepting = 8 * (kill % 3) + 1
      let held = 0
      const inFlight = Promise.withResolvers<void>()
      const killed = Promise.withResolvers<number | undefined>()
      gateways.sms = () => {
        if (accepting-- > 0) return undefined
        held++
        inFlight.resolve()
        return killed.promise.finally(() => held--)
      }
      const child = start(Array.from({ length: CODES_PER_RUN }, (_, i) => String(100_000 + kill * 1000 + i)))
      const reading = (async () => {
        let rest = ''
        for await (const chunk of child.stdout) {
          const lines = (rest + new TextDecoder().decode(chunk)).split('\n')
          rest = lines.pop()!
          for (const line of lines) committed.add(line)
        }
      })()
      await Promise.race([inFlight.promise, child.exited])
      expect(child.exitCode).toBeNull()
      child.kill('SIGKILL')
      await child.exited
      await reading
      killed.resolve(kill % 2 === 1 ? 503 : undefined)
      while (held > 0) await Bun.sleep(1)
    }
    gateways.sms = () => undefined
    const delivered = () => new Set(gateways.messages.map(({ code }) => code))
    expect(committed.size).toBeGreaterThan(KILLS)
    expect(committed.difference(delivered()).size).toBeGreaterThan(0)

    const last = start([])
    const end = Date.now() + 60_000
    while (committed.difference(delivered()).size > 0 && Date.now() < end) await Bun.sleep(20)
    expect([...committed.difference(delivered())]).toEqual([])
    last.kill('SIGKILL')
    await last.exited
    // Only messages in flight at a kill can be sent twice, and at most eight are in flight.
    expect(gateways.messages.length).toBeLessThanOrEqual(delivered().size + KILLS * 8)
    expect(gateways.forged).toBe(0)
    await gateways.stop()
    await database?.drop()
  },
)

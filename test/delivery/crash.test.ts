/** The process is killed again and again while it sends: what was promised arrives, at least once. */

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
  // Also when the test failed in the middle.
  for (const child of children) child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

const KILLS = 6

test.if(inProcess)(
  'killed while it sends: every code that was written arrives at the next start',
  async () => {
    const gateways = await startGateways()
    const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
    const config: Config = {
      ...defaultConfig,
      ...gateways.config,
      port: 0,
      dataDir,
      databaseUrl: database?.url ?? '',
    }
    // Slow enough that a kill meets messages on their way; every other time the gateway does not take those.
    let deaf = false
    gateways.sms = async () => {
      await Bun.sleep(30)
      return deaf ? 503 : undefined
    }
    const start = (codes: string[]) => {
      const child = Bun.spawn(
        [process.execPath, join(import.meta.dir, 'crash-child.ts'), JSON.stringify(config), JSON.stringify(codes)],
        {
          env: { ...process.env, TESSERA_DATABASE_URL: config.databaseUrl },
          stdout: 'pipe',
          stderr: 'inherit',
        },
      )
      children.add(child)
      return child
    }
    const promised = new Set<string>()
    for (let kill = 0; kill < KILLS; kill++) {
      const codes = Array.from({ length: 40 }, (_, i) => String(100_000 + kill * 1000 + i))
      const before = gateways.messages.length
      const child = start(codes)
      const reading = (async () => {
        let rest = ''
        for await (const chunk of child.stdout) {
          const lines = (rest + new TextDecoder().decode(chunk)).split('\n')
          rest = lines.pop()!
          for (const line of lines) promised.add(line)
        }
      })()
      while (gateways.messages.length < before + 8 * (kill % 3) + 1) {
        expect(child.exitCode).toBeNull()
        await Bun.sleep(1)
      }
      deaf = kill % 2 === 0
      child.kill('SIGKILL')
      await child.exited
      await reading
      await Bun.sleep(100)
      deaf = false
    }
    const arrived = () => new Set(gateways.messages.map(({ code }) => code))
    expect(promised.size).toBeGreaterThan(KILLS)
    expect(arrived().size).toBeLessThan(KILLS * 40)

    const last = start([])
    const until = Date.now() + 20_000
    while (promised.difference(arrived()).size > 0 && Date.now() < until) await Bun.sleep(20)
    expect([...promised.difference(arrived())]).toEqual([])
    last.kill('SIGKILL')
    await last.exited
    // Twice at most for those on their way at a kill, never a storm.
    expect(gateways.messages.length).toBeLessThanOrEqual(arrived().size + KILLS * 8)
    expect(gateways.forged).toBe(0)
    await gateways.stop()
    await database?.drop()
  },
  60_000,
)

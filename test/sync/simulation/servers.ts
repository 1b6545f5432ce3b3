/** Servers under test: one in this process, and one in a process of its own that is killed again and again. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { upload } from '../../album/helpers.ts'
import { type Child, startChild } from '../../chat/child-servers.ts'
import { send } from '../../harness/client.ts'
import { freshDatabase } from '../../harness/database.ts'
import { ADMIN, inProcess, ok, type Person, type TestServer } from '../../harness/index.ts'
import type { Server, User } from './world.ts'

const isImmediate = !process.env['TEST_DATABASE_URL']

const noRestart = () => Promise.reject(new Error('the server did not answer'))

/** Files are created inside the server, without an upload. */
export const serverOf = (server: TestServer, admin: Person): Server => ({
  url: () => server.url,
  isBack: noRestart,
  isAnswered: () => {},
  isKilled: false,
  upload: inProcess ? (user, orgId) => upload(server, user, { orgId }) : uploadTo(() => server.url, noRestart),
  asAdmin: async (method, path, body) => ok(await admin.send(method as 'POST', path, { body })).data as unknown,
  isImmediate,
})

/** A PNG of one pixel. */
const PIXEL = Uint8Array.fromBase64(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
)

const uploadTo =
  (url: () => string, isBack: () => Promise<void>) =>
  async (user: User, orgId: number): Promise<number> => {
    const { token, deviceId } = user.devices[0]!
    for (;;) {
      const body = new FormData()
      body.set('type', 'album')
      body.set('file', new Blob([PIXEL], { type: 'image/png' }), 'pixel.png')
      try {
        const query = { ...(orgId > 0 && { orgId }) }
        return ok(await send(url(), 'POST', '/api/files/upload', { token, deviceId, body, query })).data.id as number
      } catch (error) {
        if (isAnswer(error)) throw error
        await isBack()
      }
    }
  }

export interface Kills {
  readonly most: number
  /** Answers: the next kill comes within so many of them after the server was started. */
  readonly within: number
}

/** A server in a process of its own, which is killed and started again on the same data. */
export async function startKilled(plan: Kills): Promise<Server & AsyncDisposable & { kills: () => number }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-sync-'))
  const database = isImmediate ? undefined : await freshDatabase()
  // Each start has another port, and the addresses in rows must stay.
  const env = { TESSERA_PUBLIC_URL: 'http://localhost', ...(database && { TESSERA_DATABASE_URL: database.url }) }
  let child: Child = await startChild(dataDir, env)
  let running = Promise.resolve()
  let kills = 0
  const untilNext = () => 1 + Math.floor(Math.random() * plan.within)
  let left = untilNext()
  const kill = async () => {
    // In milliseconds. The requests of other worlds are then at any point of their way.
    await Bun.sleep(Math.random() * 20)
    await child.kill()
    child = await startChild(dataDir, env)
    kills += 1
    left = untilNext()
  }
  /** Counts an answer, so that the server has done the same between two kills on a machine of any speed. */
  const isAnswered = () => {
    left -= 1
    if (left === 0 && kills < plan.most) running = kill()
  }
  const url = () => child.url
  const isBack = async () => {
    await running
    // Answers such as 503 have another cause.
    await Bun.sleep(5)
  }
  const deviceId = `device-of-admin-${crypto.randomUUID()}`
  const surely = async (method: string, path: string, options: Parameters<typeof send>[3]) => {
    for (;;) {
      try {
        return ok(await send(url(), method, path, options)).data as never
      } catch (error) {
        if (isAnswer(error)) throw error
        await isBack()
      }
    }
  }
  const body = { account: ADMIN.username, password: ADMIN.password }
  const login: { accessToken: string } = await surely('POST', '/api/admin/auth/login', {
    headers: { 'x-device-id': deviceId },
    body,
  })
  return {
    url,
    isBack,
    isAnswered,
    isKilled: true,
    kills: () => kills,
    upload: (user, orgId) => uploadTo(url, isBack)(user, orgId),
    asAdmin: (method, path, sent) => surely(method, path, { token: login.accessToken, deviceId, body: sent }),
    isImmediate,
    async [Symbol.asyncDispose]() {
      await running
      await child.kill()
      await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const isAnswer = (error: unknown): boolean => error instanceof Error && error.message.startsWith('expected success')

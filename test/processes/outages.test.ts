/** Phones behind a proxy write to each other while a process is killed, and while PostgreSQL drops connections, restarts and crashes. */

import { describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defaultConfig } from '#config/config.ts'

import { type Message, Phone, request, Unavailable } from '../chat/phone.ts'
import { registerWriters } from '../chat/writers.ts'
import { startPostgres } from '../db/postgres-server.ts'
import { until } from '../harness/index.ts'
import { startProxy } from '../harness/proxy.ts'
import { ADMIN, startChild } from '../harness/server.ts'
import { endConnections, onPostgres } from './several.ts'

const PROCESSES = 3
const PHONES = 8
/** Messages that are accepted before and after each disturbance. */
const BETWEEN = 60

/** Repeats a message until its answer arrives, as a phone does. */
async function surely({ account }: Phone, url: () => string, body: object): Promise<Message> {
  for (;;) {
    try {
      const options = { body, signal: AbortSignal.timeout(10_000) }
      const { messages } = await request<{ messages: [Message] }>(account, url, 'POST', '/api/chats/messages', options)
      return messages[0]
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      await Bun.sleep(20)
    }
  }
}

describe.if(onPostgres)('with three processes behind a proxy', () => {
  test('phones get every message once and in order, whatever is killed or restarted', async () => {
    const postgres = await startPostgres()
    if (postgres === undefined) return
    const folder = mkdtempSync(join(tmpdir(), 'tessera-outages-'))
    const sharedFiles = join(folder, 'files')
    mkdirSync(sharedFiles)
    const children = await Promise.all(
      Array.from({ length: PROCESSES }, (_, i) =>
        startChild({
          ...defaultConfig,
          databaseUrl: postgres.databaseUrl,
          sharedFiles,
          secret: 'the secret of all processes of a test',
          dataDir: join(folder, `data-${i}`),
          adminUsername: ADMIN.username,
          adminPassword: ADMIN.password,
          rateLimit: false,
          logLevel: 'error',
        }),
      ),
    )
    const proxy = await startProxy(children.map(({ url }) => url))
    try {
      const url = () => proxy.url
      const users = await registerWriters(proxy.url, PHONES)
      const phones = users.map(({ id, token, deviceId }) => new Phone({ id, token, deviceId }, url))
      for (const phone of phones) phone.start()
      /** Ids of accepted messages, with their users. */
      const sent: { id: number; users: [number, number] }[] = []
      let isWriting = true
      const writing = phones.map(async (phone, index) => {
        for (let n = 0; isWriting; n++) {
          const to = users[(index + 1 + (n % (PHONES - 1))) % PHONES]!
          const body = { toUserId: to.id, clientMsgId: `${index}-${n}`, type: 'TEXT', content: { text: `${n}` } }
          const { id } = await surely(phone, url, body)
          sent.push({ id, users: [phone.account.id, to.id] })
        }
      })
      const moreSent = async () => {
        const before = sent.length
        await until(() => sent.length > before + BETWEEN)
      }
      const disturbances: (() => Promise<unknown>)[] = [
        () => children[0]!.stop('SIGKILL'),
        () => endConnections(postgres.databaseUrl),
        async () => {
          await postgres.stop('fast')
          await postgres.start()
        },
        async () => {
          await postgres.stop('immediate')
          await postgres.start()
        },
        () => endConnections(postgres.databaseUrl),
      ]
      for (const disturb of disturbances) {
        await moreSent()
        await disturb()
      }
      await moreSent()
      isWriting = false
      await Promise.all(writing)

      const wanted = ({ account }: Phone) =>
        sent.flatMap(({ id, users: both }) => (both.includes(account.id) ? [id] : [])).toSorted((a, b) => a - b)
      // The last messages come to the sockets without being asked for.
      await until(() => phones.every((phone) => phone.written.length >= wanted(phone).length))
      for (const phone of phones) await phone.end()
      for (const phone of phones) {
        await phone.catchUp()
        expect(phone.problems).toEqual([])
        expect(phone.written.map(({ id }) => id)).toEqual(wanted(phone))
        expect(phone.counts.byFrame).toBeGreaterThan(0)
      }
      expect(phones.some(({ counts }) => counts.sockets > 1)).toBe(true)
    } finally {
      await proxy.stop()
      await Promise.all(children.map((child) => child.stop()))
      await postgres.remove()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

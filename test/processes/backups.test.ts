/** Several processes make one backup at a time, and each serves the backups of the others from a common folder. */

import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ok } from '../harness/client.ts'
import { until } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

const API = '/api/admin/backups'

test.if(onPostgres)(
  'two processes make one backup at a time, and each verifies and sends those of the other',
  async () => {
    const backupDir = mkdtempSync(join(tmpdir(), 'tessera-backups-'))
    try {
      await withServers(
        2,
        async ({ servers, config }) => {
          const [a, b] = servers as [(typeof servers)[0], (typeof servers)[0]]
          const admin = await a.admin()
          const isIdle = async () => !ok(await sendTo(b, admin, 'GET', API)).data.isBusy
          // A file without blocks on disk, so that the first backup has not ended before the second request.
          const large = join(config.sharedFiles!, 'large')
          writeFileSync(large, '')
          truncateSync(large, 16e9)
          const replies = await Promise.all(servers.map((server) => sendTo(server, admin, 'POST', API, { body: {} })))
          expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400])
          truncateSync(large, 0)
          await until(isIdle)
          const { name } = replies.find(({ status }) => status === 200)!.data
          ok(await sendTo(b, admin, 'DELETE', `${API}/${name}`))
          rmSync(large)

          ok(await sendTo(a, admin, 'POST', API, { body: {} }))
          await until(isIdle)
          const [made, ...others] = ok(await sendTo(b, admin, 'GET', API)).data.items
          expect(others).toEqual([])
          expect(made).toMatchObject({ state: 'READY', source: 'USER' })

          ok(await sendTo(b, admin, 'POST', `${API}/${made.name}/verify`))
          await until(isIdle)
          const { items } = ok(await sendTo(a, admin, 'GET', API)).data
          expect(items[0]).toMatchObject({ name: made.name, verification: { state: 'GOOD' } })
          const { url } = ok(await sendTo(a, admin, 'POST', `${API}/${made.name}/download-link`)).data
          const sent = await fetch(b.url + (url as string).slice(new URL(url).origin.length))
          expect((await sent.bytes()).length).toBe(made.bytes)
        },
        { backupDir },
      )
    } finally {
      rmSync(backupDir, { recursive: true, force: true })
    }
  },
)

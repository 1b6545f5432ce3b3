import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { ok } from '../harness/index.ts'
import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { idle, make, put } from './helpers.ts'

const NOBODY = { name: 'nobody.tar.zst' }

export const logged: LoggedFixture = {
  'backups.create': async ({ admin }) => {
    await idle(admin)
    return {
      call: () => admin.call('backups.create', { body: { format: 'ZST' } }),
      // The name has the time of the call.
      row: { targetId: null, targetName: null, before: null, after: ({ data }) => ({ name: data.name }) },
      refused: [() => admin.send('POST', '/api/admin/backups', { body: { format: 'RAR' } })],
    }
  },
  'backups.verify': async ({ admin }) => {
    const { name } = await make(admin)
    const verify = (params: { name: string }) => admin.call('backups.verify', { params })
    return {
      call: () => verify({ name }),
      row: { targetId: null, targetName: name, before: null, after: { name } },
      refused: [() => verify(NOBODY)],
    }
  },
  'backups.downloadLink': async ({ admin }) => {
    const { name } = await make(admin)
    const link = (params: { name: string }) => admin.call('backups.downloadLink', { params })
    return {
      call: () => link({ name }),
      row: { targetId: null, targetName: name, before: null, after: { name } },
      refused: [() => link(NOBODY)],
    }
  },
  'backups.delete': async ({ admin }) => {
    const { name, bytes } = await make(admin)
    const remove = (params: { name: string }) => admin.call('backups.delete', { params })
    return {
      call: () => remove({ name }),
      row: { targetId: null, targetName: name, before: { name, bytes }, after: null },
      refused: [() => remove({ name })],
    }
  },
  'backups.upload': async ({ server, admin }) => {
    const { name } = await make(admin)
    const bytes = readFileSync(join(server.dataDir, 'backups', name))
    ok(await admin.call('backups.delete', { params: { name } }))
    const upload = (body: Uint8Array) => put(admin, name, body)
    return {
      call: () => upload(bytes),
      row: { targetId: null, targetName: name, before: null, after: { name, bytes: bytes.length } },
      refused: [() => upload(bytes), () => put(admin, 'other.tar.gz', Buffer.from('no backup'))],
    }
  },
  'restores.delete': async ({ server, admin }) => {
    const id = '20300102-030405'
    mkdirSync(join(server.dataDir, `before-restore-${id}`))
    const remove = () => admin.call('restores.delete', { params: { id } })
    return {
      call: remove,
      row: { targetId: null, targetName: id, before: { restore: id }, after: null },
      refused: [remove],
    }
  },
}

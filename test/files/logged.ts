import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { TestServer } from '../harness/index.ts'
import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { png, text, uploaded } from './helpers.ts'

const NONE = 999_999_999

/** Writes an old file without a row into the folder of files. */
async function orphan({ dataDir }: TestServer, size: number): Promise<void> {
  const folder = join(dataDir, 'files', '0a')
  await mkdir(folder, { recursive: true })
  const path = join(folder, `0a${'0'.repeat(62)}.orphan`)
  await writeFile(path, 'x'.repeat(size))
  await utimes(path, 1_700_000_000, 1_700_000_000)
}

export const logged: LoggedFixture = {
  'admin.files.delete': async ({ server, admin }) => {
    const owner = await server.person()
    const { id, size } = await uploaded(owner, png(), { type: 'avatar', name: 'me.png' })
    const thing = { entityType: 'USER', entityId: owner.id }
    await owner.call('profile.update', { body: { avatarFileId: id } })
    const remove = () => admin.call('admin.files.delete', { params: { fileId: id } })
    const before = {
      name: 'me.png',
      type: 'avatar',
      mime: 'image/png',
      size,
      uploaderId: owner.id,
      orgId: null,
      ...thing,
    }
    return { call: remove, row: { targetId: id, targetName: 'me.png', before, after: null }, refused: [remove] }
  },
  'admin.files.deleteMany': async ({ server, admin }) => {
    const owner = await server.person()
    const [a, b] = [await uploaded(owner, text()), await uploaded(owner, text())]
    const remove = (ids: number[]) => admin.call('admin.files.deleteMany', { body: { ids } })
    const ids = [a.id, b.id]
    return {
      call: () => remove([b.id, NONE, a.id]),
      row: { targetId: null, targetName: null, before: null, after: { ids } },
      refused: [() => remove([])],
      unchanged: () => remove(ids),
    }
  },
  'admin.files.cleanUp': async ({ server, admin }) => {
    await orphan(server, 17)
    const cleanUp = (body: object) => admin.post('/api/admin/files/cleanup-orphaned', body)
    return {
      call: () => cleanUp({}),
      row: { targetId: null, targetName: null, before: null, after: { files: 1, bytes: 17 } },
      refused: [() => cleanUp({ dryRun: 'maybe' })],
      unchanged: () => cleanUp({}),
    }
  },
}

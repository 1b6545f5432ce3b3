import { png, uploaded } from '../files/helpers.ts'
import { ok } from '../harness/index.ts'
import type { LoggedFixture } from '../operation-log/logged-fixture.ts'

export const logged: LoggedFixture = {
  'admin.albums.delete': async ({ server, admin }) => {
    const owner = await server.person()
    const file = await uploaded(owner, png(), { type: 'album', name: 'door.png' })
    const photo = ok(await owner.call('album.add', { body: { fileId: file.id, address: 'Hall B' } })).data
    const remove = () => admin.call('admin.albums.delete', { params: { photoId: photo.id } })
    const before = { name: 'door.png', fileId: file.id, userId: owner.id, orgId: null, createdAt: photo.createdAt }
    return { call: remove, row: { targetId: photo.id, targetName: 'door.png', before, after: null }, refused: [remove] }
  },
}

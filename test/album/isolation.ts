import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import type { TestServer } from '../harness/index.ts'
import { addPhoto, upload } from './helpers.ts'

let server: TestServer

export const isolation: IsolationFixture = {
  async make(world) {
    server = world.server
    const { victim, mark, owned } = world
    const fields = { address: mark, watermark: { text: mark }, qrCodeId: owned['code'] as number }
    const photo = await addPhoto(server, victim, fields, { name: `${mark}.jpg` })
    return { photo: photo.id, albumFile: await upload(server, victim, { name: `${mark}.jpg` }) }
  },
  paths: [
    [/^\/api\/album\/qr-code\/:/, 'code'],
    [/^\/api\/album\/org\/:/, 'org'],
    [/^\/api\/album\/:/, 'photo'],
  ],
  fields: { fileId: 'albumFile' },
  dual: { photo: async (person, orgId) => (await addPhoto(server, person, orgId === undefined ? {} : { orgId })).id },
  reads: () => ['/api/album?size=100'],
}

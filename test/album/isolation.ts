import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { png, uploaded } from '../files/helpers.ts'
import { ok, type Person } from '../harness/index.ts'

async function add(person: Person, orgId?: number, fields: object = {}, name = 'a.png'): Promise<number> {
  const ofOrg = orgId === undefined ? {} : { orgId }
  const file = await uploaded(person, png(), { type: 'album', name, ...ofOrg })
  return ok(await person.call('album.add', { body: { fileId: file.id, ...ofOrg, ...fields } })).data.id
}

export const isolation: IsolationFixture = {
  async make({ victim, mark, owned }) {
    const fields = { address: mark, watermark: { text: mark }, qrCodeId: owned['code'] as number }
    const photo = await add(victim, undefined, fields, `${mark}.png`)
    return { photo, albumFile: (await uploaded(victim, png(), { type: 'album', name: `${mark}.png` })).id }
  },
  paths: [
    [/^\/api\/album\/qr-code\/:/, 'code'],
    [/^\/api\/album\/org\/:/, 'org'],
    [/^\/api\/album\/:/, 'photo'],
  ],
  fields: { fileId: 'albumFile' },
  dual: { photo: add },
  reads: () => ['/api/album?size=100'],
}

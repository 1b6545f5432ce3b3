import { ok } from '../harness/index.ts'
import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'

export const logged: LoggedFixture = {
  'admin.shares.delete': async ({ server, admin }) => {
    const owner = await server.person()
    const org = await createOrg(owner)
    const code = await createCode(owner, { name: 'Spring menu' })
    const body = { entityType: 'QR_CODE', sourceId: code.id } as const
    const share = ok(await owner.call('shares.create', { params: { orgId: org.id }, body })).data
    const remove = () => admin.call('admin.shares.delete', { params: { shareId: share.id } })
    const before = { ...body, copyId: share.copyId, orgId: org.id, sharedBy: owner.id }
    return {
      call: remove,
      row: { targetId: share.id, targetName: 'Spring menu', before, after: null },
      refused: [remove],
    }
  },
}

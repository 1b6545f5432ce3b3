import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { createCode } from './helpers.ts'

export const logged: LoggedFixture = {
  'admin.qrCodes.delete': async ({ admin }) => {
    const { id, name } = await createCode(admin, { content: 'WIFI:T:WPA;S:cafe;P:a password;;' })
    const remove = (qrCodeId: number) => admin.call('admin.qrCodes.delete', { params: { qrCodeId } })
    return {
      call: () => remove(id),
      row: {
        targetId: id,
        targetName: name,
        before: { name, contentType: 'WIFI', isPublic: false, userId: admin.id, orgId: null },
        after: null,
      },
      refused: [() => remove(id), () => remove(999_999)],
    }
  },
}

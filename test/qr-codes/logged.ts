import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { createCategory, createCode } from './helpers.ts'

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
  'admin.qrCodes.block': async ({ admin }) => {
    const { id, name } = await createCode(admin)
    const block = (qrCodeId: number) =>
      admin.call('admin.qrCodes.block', { params: { qrCodeId }, body: { blocked: true, reason: 'Phishing' } })
    return {
      call: () => block(id),
      row: {
        targetId: id,
        targetName: name,
        before: { blocked: false, reason: null },
        after: { blocked: true, reason: 'Phishing' },
      },
      refused: [() => block(999_999)],
      unchanged: () => block(id),
    }
  },
  'admin.categories.delete': async ({ admin }) => {
    const id = await createCategory(admin, 'Menus')
    await createCategory(admin, 'Spring', id)
    const remove = (categoryId: number) => admin.call('admin.categories.delete', { params: { categoryId } })
    return {
      call: () => remove(id),
      row: {
        targetId: id,
        targetName: 'Menus',
        before: { name: 'Menus', parentId: null, userId: admin.id, movedChildren: 1 },
        after: null,
      },
      refused: [() => remove(id), () => remove(999_999)],
    }
  },
}

import type { LoggedFixture } from '../operation-log/logged-fixture.ts'

export const logged: LoggedFixture = {
  'admin.settings.update': async ({ admin }) => {
    const change = (values: object) => admin.send('PUT', '/api/admin/settings', { body: { values } })
    return {
      call: () => change({ 'quota.assets': 400, 'upload.heic': true }),
      row: { targetId: null, targetName: null, before: { 'quota.assets': 100_000 }, after: { 'quota.assets': 400 } },
      refused: [() => change({ 'quota.assets': -1 }), () => change({ 'quota.assets': 5, 'app.file_size': 1 })],
      unchanged: () => change({ 'quota.assets': 400, 'upload.heic': null }),
    }
  },
}

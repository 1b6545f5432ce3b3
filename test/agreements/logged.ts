import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { activate, publish } from './helpers.ts'

export const logged: LoggedFixture = {
  'agreements.publish': async ({ admin }) => {
    const before = await publish(admin, 'PRIVACY')
    const send = (body: object) => admin.post('/api/admin/agreements', body)
    const content = 'Be **kind**.'
    return {
      call: () => send({ type: 'PRIVACY', title: 'Privacy', content }),
      row: {
        targetId: (reply) => reply.data.id as number,
        targetName: `PRIVACY ${before.version + 1}`,
        before: null,
        // A hash in place of the text.
        after: {
          type: 'PRIVACY',
          version: before.version + 1,
          title: 'Privacy',
          contentSha256: new Bun.CryptoHasher('sha256').update(content).digest('hex'),
        },
      },
      refused: [
        () => send({ type: 'PRIVACY', title: '', content }),
        () => send({ type: 'COOKIES', title: 'Cookies', content }),
      ],
    }
  },
  'agreements.activate': async ({ admin }) => {
    const [old, current] = [await publish(admin), await publish(admin)]
    return {
      call: () => activate(admin, old),
      row: {
        targetId: old.id,
        targetName: `SERVICE ${old.version}`,
        before: { activeVersion: current.version },
        after: { activeVersion: old.version },
      },
      refused: [() => activate(admin, { id: 999_999_999 })],
      unchanged: () => activate(admin, old),
    }
  },
}

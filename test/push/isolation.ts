import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'

export const isolation: IsolationFixture = {
  async make({ victim, mark }) {
    const keys = {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    }
    const endpoint = `https://${mark.toLowerCase()}.example.net/push/${mark}`
    return { pushSubscription: ok(await victim.call('push.subscribe', { body: { endpoint, keys } })).data.id }
  },
  paths: [[/^\/api\/notifications\/subscriptions\/:/, 'pushSubscription']],
  fields: {},
  reads: () => ['/api/notifications/subscriptions'],
}

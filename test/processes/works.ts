/** Writes of every kind, each by one client, for tests that kill processes meanwhile. */

import { issueOne } from '../activities/gate-helpers.ts'
import { createActivity } from '../activities/helpers.ts'
import type { Person } from '../harness/index.ts'
import type { Work } from './noting-clients.ts'

export interface People {
  readonly ann: Person
  readonly bob: Person
  readonly carol: Person
  readonly admin: Person
}

const HOUR = 3_600_000

export const mailbox = (nth: number): string => `person${nth}@example.org`
export const newsTitle = (nth: number): string => `News ${nth}`
const content = (nth: number) => ({ name: `name ${nth}`, content: `https://example.org/${nth}` })

/** Those of an activity of carol's. */
async function worksOfActivity({ bob, carol }: People) {
  const { id } = await createActivity(carol, {
    visibility: 'PUBLIC',
    status: 'ACTIVE',
    startTime: Date.now() - HOUR,
    endTime: Date.now() + 24 * HOUR,
    registration: {},
    hasCheckIn: true,
    checkInConfig: { maxPerUser: 0 },
    hasPass: true,
  })
  const pass = await issueOne(carol, id, { maxUses: 1_000_000 })
  const path = `/api/activities/${id}`
  return {
    'check-ins': {
      who: bob,
      path: `${path}/check-in`,
      body: () => ({}),
      list: { who: carol, path: `${path}/check-in/records` },
    },
    uses: {
      who: carol,
      path: `${path}/pass/verify`,
      body: (nth) => ({ passUuid: pass.uuid, redeem: true, nonce: `nonce-${String(nth).padStart(6, '0')}` }),
      idOf: ({ use }) => use.id,
      list: { who: carol, path: `/api/passes/${pass.id}/records` },
    },
    registrations: {
      who: carol,
      path: `${path}/registrations`,
      body: (nth) => ({ items: [{ name: `Guest ${nth}` }] }),
      idOf: ({ items }) => items[0].id,
      list: { who: carol, path: `${path}/registrations` },
    },
  } satisfies Record<string, Work>
}

export async function worksOf(people: People) {
  const { ann, bob, carol, admin } = people
  const code = { who: ann, path: '/api/qr-codes', body: content, list: { who: ann, path: '/api/qr-codes' } }
  const message = (who: Person, to: Person): Work => ({
    who,
    path: '/api/chats/messages',
    body: (nth) => ({ toUserId: to.id, clientMsgId: `key-${nth}`, type: 'TEXT', content: { text: `${nth}` } }),
    idOf: ({ messages }) => messages[0].id,
  })
  const files = { who: admin, path: `/api/admin/files?userId=${bob.id}` }
  const started = Date.now()
  let mails = 0
  return {
    codes: code,
    'codes of the same user': code,
    'pushed codes': {
      who: ann,
      path: '/api/sync/push',
      body: (nth) => ({
        records: [
          { entity: 'qrCode', localId: `local-${nth}`, baseVersion: 0, updatedAt: started + nth, data: content(nth) },
        ],
      }),
      idOf: ({ results }) => results[0].serverId,
      list: code.list,
    },
    scans: {
      who: ann,
      path: '/api/scan-records',
      body: (nth) => ({ content: `https://example.org/scanned/${nth}` }),
      list: { who: ann, path: '/api/scan-records' },
    },
    assets: {
      who: ann,
      path: '/api/assets',
      body: (nth) => ({ name: `asset ${nth}` }),
      list: { who: ann, path: '/api/assets' },
    },
    files: {
      who: bob,
      path: '/api/files/upload',
      body: (nth) => {
        const form = new FormData()
        form.set('file', new File([`note ${nth}`], 'note.txt'))
        return form
      },
      list: files,
    },
    messages: message(ann, bob),
    answers: message(bob, ann),
    news: {
      who: admin,
      path: '/api/admin/notifications',
      body: (nth) => ({ userIds: [bob.id], title: newsTitle(nth), body: 'Text' }),
      list: { who: admin, path: '/api/admin/notifications' },
    },
    roles: {
      who: admin,
      path: '/api/rbac/roles',
      body: (nth) => ({ domain: 'APP', code: `ROLE_${nth}`, name: 'x' }),
      list: { who: admin, path: '/api/rbac/roles?domain=APP' },
    },
    mails: {
      who: carol,
      path: '/api/auth/email/bind-code',
      body: (nth) => ({ email: mailbox(nth) }),
      // An address may ask for some codes a day only.
      headers: (nth) => ({ 'x-forwarded-for': `198.18.${nth >> 8}.${nth & 255}` }),
      idOf: () => mails++,
      // A second code within a minute is refused.
      isDone: ({ status }) => status === 429,
    },
    ...(await worksOfActivity(people)),
  } satisfies Record<string, Work>
}

import { describe, expect, test } from 'bun:test'

import { inProcess, race } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import { newEmail, newPhone, useWorld } from './helpers.ts'

const world = useWorld()

const link = (from: Person, to: Person) =>
  from.call('auth.link', { body: { verifyType: 'PASSWORD', linkedUserId: to.id, password: to.password } })
const list = async (who: Person, direction = 'OUTGOING') =>
  (await who.get('/api/auth/link/list', { direction })).data.items as {
    id: number
    linkedUserId: number
    ownerUserId: number
  }[]

async function linked(): Promise<[Person, Person, number]> {
  const [ann, bob] = [await world.server.person(), await world.server.person()]
  const { data } = await link(ann, bob)
  return [ann, bob, data.id]
}

describe('linking accounts', () => {
  test('a link by password is listed and recorded for both accounts, and the other account is notified', async () => {
    const [ann, bob] = [await world.server.person(), await world.withEmail()]
    const { status, data } = await link(ann, bob)
    expect(status).toBe(200)
    expect(data).toMatchObject({ ownerUserId: ann.id, linkedUserId: bob.id })
    expect(await list(ann)).toEqual([data])
    expect((await ann.call('auth.accounts')).data.items).toEqual([data])
    expect(await list(bob)).toEqual([])
    expect(await list(bob, 'INCOMING')).toMatchObject([{ id: data.id, ownerUserId: ann.id }])
    const notes = (await bob.call('notifications.list')).data.items
    expect(notes).toMatchObject([{ type: 'ACCOUNT_LINK', data: { linkId: data.id, ownerUserId: ann.id } }, {}])
    expect((await ann.call('notifications.list')).data.items).toEqual([])
    for (const who of [ann, bob])
      expect((await who.call('loginRecords.ofUser', { params: { userId: who.id } })).data.items[0]!.loginType).toBe(
        'account_link',
      )
    await world.mailArrived(bob.email, 'linked')
  })

  test('the notification about a link does not repeat an address from the nickname of the other account', async () => {
    const [ann, bob] = [await world.server.person(), await world.server.person()]
    await ann.call('profile.update', { body: { nickname: 'Tessera: visit https://www.evil.example' } })
    expect((await link(ann, bob)).status).toBe(200)
    const [note] = (await bob.call('notifications.list')).data.items
    const detail = (await bob.call('notifications.detail', { params: { id: note!.id } })).data
    expect(note!.body).toContain('Tessera: visit')
    for (const text of [note!.title, note!.body, note!.bodyPlain, detail.bodyHtml])
      for (const address of ['evil.example', 'www.evil', '://']) expect(text).not.toContain(address)
  })

  test('an account can be linked with a code sent to its phone or e-mail, by the user who requested the code', async () => {
    const [ann, bob, carol] = [await world.server.person(), await world.withPhone(), await world.withEmail()]
    const sms = await world.codeBy(ann, '/api/auth/sms/link-code', { phone: bob.phone.slice(3) }, bob.phone)
    const byPhone = { verifyType: 'PHONE_CODE', credential: bob.phone, code: sms }
    expect((await carol.post('/api/auth/link', byPhone)).status).toBe(400)
    expect((await ann.post('/api/auth/link', byPhone)).data.linkedUserId).toBe(bob.id)
    const mail = await world.codeBy(ann, '/api/auth/email/link-code', { email: carol.email }, carol.email)
    const byMail = { verifyType: 'EMAIL_CODE', credential: carol.email, code: mail }
    expect((await ann.post('/api/auth/link', byMail)).data.linkedUserId).toBe(carol.id)
    expect((await ann.post('/api/auth/link', byMail)).status).toBe(400)
    expect((await list(ann)).map((l) => l.linkedUserId)).toEqual([bob.id, carol.id])
  })

  test('a link code is refused for unregistered credentials and for the caller’s own, and nothing is sent', async () => {
    const ann = await world.withPhone()
    for (const phone of [newPhone(), ann.phone])
      expect((await ann.post('/api/auth/sms/link-code', { phone })).status).toBe(400)
    expect((await ann.post('/api/auth/email/link-code', { email: newEmail() })).status).toBe(400)
    await world.allDelivered()
    expect(world.gateways.messages.filter((m) => m.purpose === 'ACCOUNT_LINK' && m.to === ann.phone)).toEqual([])
  })

  test('a link code is refused for an e-mail that was only typed at registration, as for an unknown one', async () => {
    const [ann, email] = [await world.server.person(), newEmail()]
    await world.post('/api/auth/register', { email, password: 'a long password' })
    const claimed = await ann.post('/api/auth/email/link-code', { email })
    const unknown = await ann.post('/api/auth/email/link-code', { email: newEmail() })
    expect([claimed.status, claimed.message]).toEqual([400, unknown.message])
    await world.allDelivered()
    expect(world.gateways.mails.filter((m) => m.to === email)).toEqual([])
  })

  test('a user can request 20 link codes a day, counting those for unregistered phones', async () => {
    const ann = await world.server.person()
    const replies = await race(25, () => ann.post('/api/auth/sms/link-code', { phone: newPhone() }))
    expect(replies.filter((r) => r.status === 400)).toHaveLength(20)
    expect(replies.filter((r) => r.status === 429)).toHaveLength(5)
  })

  test.if(inProcess)('5 link codes a day are sent to a phone, counted apart from its sign-in codes', async () => {
    const [ann, bob] = [await world.server.person(), await world.withPhone()]
    const replies: number[] = []
    for (let i = 0; i < 6; i++) {
      replies.push((await ann.post('/api/auth/sms/link-code', { phone: bob.phone })).status)
      world.server.clock.advance(61_000)
    }
    expect(replies).toEqual([200, 200, 200, 200, 200, 429])
    // With the code that bound the phone, these are the 9 that are not kept for a reset.
    for (let i = 0; i < 8; i++) {
      expect((await world.post('/api/auth/sms/send-code', { phone: bob.phone })).status).toBe(200)
      world.server.clock.advance(61_000)
    }
  })

  test('a link to oneself, a second link and a link without proof are refused', async () => {
    const [ann, bob] = await linked()
    expect((await link(ann, ann)).status).toBe(400)
    expect((await link(ann, bob)).status).toBe(400)
    for (const body of [
      {},
      { linkedUserId: bob.id },
      { password: 'x' },
      { verifyType: 'PHONE_CODE', credential: '13800138000' },
    ])
      expect((await ann.post('/api/auth/link', body)).status).toBe(400)
    expect((await list(ann)).map((l) => l.linkedUserId)).toEqual([bob.id])
  })

  // PASSWORD is the default of `verifyType`.
  const guess = (from: Person, linkedUserId: number, password = 'wrong') =>
    from.post('/api/auth/link', { linkedUserId, password })
  const signIn = ({ username: account, password }: Person) => world.post('/api/auth/login', { account, password })

  test('a user can guess 5 passwords in 5 minutes through links, whichever accounts they belong to', async () => {
    const [ann, bob] = [await world.server.person(), await world.server.person()]
    const targets = await Promise.all(Array.from({ length: 3 }, () => world.server.person()))
    const replies = []
    for (const id of [...targets.map(({ id }) => id), 999_998, 999_999]) replies.push(await guess(ann, id))
    expect(new Set(replies.map((r) => `${r.status} ${r.message}`)).size).toBe(1)
    expect(replies[0]!.status).toBe(400)
    const refused = await guess(ann, bob.id, bob.password)
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 301)
    expect(await list(bob, 'INCOMING')).toEqual([])
    if (!inProcess) return
    world.server.clock.advance(5 * 60_000 + 1000)
    expect((await guess(ann, bob.id, bob.password)).status).toBe(200)
  })

  test('of 30 guesses at once through links 5 are checked', async () => {
    const [ann, bob] = [await world.server.person(), await world.server.person()]
    const replies = await race(30, (i) => guess(ann, bob.id, `wrong ${i}`))
    expect(replies.filter((r) => r.status === 400)).toHaveLength(5)
    expect(replies.filter((r) => r.code === 4022)).toHaveLength(25)
  })

  test('links with right passwords do not give a user further guesses', async () => {
    const [ann, bob, own] = [await world.server.person(), await world.server.person(), await world.server.person()]
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) {
      statuses.push((await guess(ann, bob.id)).status, (await guess(ann, bob.id)).status)
      await link(ann, own)
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
  })

  test('guesses of many users at one account through links are locked, but its user still signs in', async () => {
    const bob = await world.server.person()
    const guessers = await Promise.all(Array.from({ length: 8 }, () => world.server.person()))
    const statuses: number[] = []
    for (const guesser of guessers) statuses.push((await guess(guesser, bob.id)).status)
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429, 429])
    expect((await signIn(bob)).status).toBe(200)
    expect((await guess(bob, guessers[0]!.id, guessers[0]!.password)).status).toBe(200)
  })

  test('a guess through a link appears in the failed logins of the account, with the address that it came from', async () => {
    const [ann, bob] = [await world.server.person(), await world.server.person()]
    await ann.send('POST', '/api/auth/link', {
      body: { linkedUserId: bob.id, password: 'wrong' },
      headers: { 'x-forwarded-for': '203.0.113.77' },
    })
    expect((await bob.call('loginRecords.failed')).data.items).toMatchObject([
      { loginType: 'account_link', status: 'failed', ipAddress: '203.0.113.77', failureReason: 'wrong password' },
    ])
    expect((await ann.call('loginRecords.failed')).data.total).toBe(0)
  })

  test('repeating a link with the right password never locks the other account', async () => {
    const [ann, bob] = await linked()
    for (let i = 0; i < 7; i++) expect((await link(ann, bob)).status).toBe(400)
    expect((await world.post('/api/auth/login', { account: bob.username, password: bob.password })).status).toBe(200)
  })

  test('four links at once to the same account create one link and one notification', async () => {
    const [ann, bob] = [await world.server.person(), await world.server.person()]
    const replies = await race(4, () => link(ann, bob))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect((await bob.call('notifications.list')).data.total).toBe(1)
  })
})

describe('switching to a linked account', () => {
  test('switching opens a session of the other account on this device and leaves the session of the caller active', async () => {
    const [ann, bob, id] = await linked()
    const headers = { 'x-device-name': 'Anns phone' }
    const reply = await ann.send('POST', `/api/auth/link/${id}/switch`, { headers })
    expect(reply.data).toMatchObject({ user: { id: bob.id }, isNewUser: false })
    const now = person(world.server.url, reply, '', '', ann.deviceId)
    expect((await now.call('profile.get')).data.id).toBe(bob.id)
    expect((await ann.call('profile.get')).data.id).toBe(ann.id)
    const device = (await now.call('devices.list')).data.items[0]
    expect(device).toMatchObject({ deviceName: 'Anns phone', loginType: 'account_switch', isCurrent: true })
    const record = (await bob.call('loginRecords.ofUser', { params: { userId: bob.id } })).data.items[0]
    expect(record).toMatchObject({ loginType: 'account_switch', deviceName: 'Anns phone', status: 'success' })
    expect((await bob.call('profile.get')).status).toBe(200)
  })

  test('a long X-Device-Name is cut, and never within a character', async () => {
    const [ann, , id] = await linked()
    for (const [sent, kept] of [
      ['x'.repeat(101), 'x'.repeat(100)],
      [`${'x'.repeat(99)}😀`, 'x'.repeat(99)],
      [`${'x'.repeat(98)}😀😀`, `${'x'.repeat(98)}😀`],
    ] as const) {
      const headers = { 'x-device-name': encodeURIComponent(sent) }
      const reply = await ann.send('POST', `/api/auth/link/${id}/switch`, { headers })
      const now = person(world.server.url, reply, '', '', ann.deviceId)
      expect((await now.call('devices.list')).data.items[0]).toMatchObject({ deviceName: kept })
    }
  })

  test('the deprecated path by user id switches, too, but only in the direction of the link', async () => {
    const [ann, bob] = await linked()
    expect((await ann.call('auth.switchAccount', { params: { targetUserId: bob.id } })).data.user.id).toBe(bob.id)
    expect((await bob.call('auth.switchAccount', { params: { targetUserId: ann.id } })).status).toBe(404)
  })

  test('only the owner of a link can switch with it, and others cannot delete it', async () => {
    const [, bob, id] = await linked()
    const eve = await world.server.person()
    for (const who of [bob, eve])
      expect((await who.call('auth.switchLink', { params: { linkId: id } })).status).toBe(404)
    expect((await eve.call('auth.unlink', { params: { linkId: id } })).status).toBe(404)
  })

  test('either account can delete the link, and then switching is answered with 404', async () => {
    for (const side of ['owner', 'other']) {
      const [ann, bob, id] = await linked()
      expect((await (side === 'owner' ? ann : bob).delete(`/api/auth/link/${id}`)).status).toBe(200)
      expect((await ann.call('auth.switchLink', { params: { linkId: id } })).status).toBe(404)
      expect(await list(ann)).toEqual([])
      expect((await ann.call('auth.unlink', { params: { linkId: id } })).status).toBe(404)
    }
  })

  test('a new password of the linked account ends the link and the sessions it opened, one of the owner does not', async () => {
    const [ann, bob, id] = await linked()
    const change = (who: Person) =>
      who.call('auth.changePassword', {
        body: {
          verifyType: 'OLD_PASSWORD',
          oldPassword: who.password,
          newPassword: 'a new password',
        },
      })
    const opened = person(
      world.server.url,
      await ann.call('auth.switchLink', { params: { linkId: id } }),
      '',
      '',
      ann.deviceId,
    )
    expect((await change(bob)).status).toBe(200)
    expect((await opened.call('profile.get')).status).toBe(401)
    expect((await ann.call('auth.switchLink', { params: { linkId: id } })).status).toBe(404)
    expect(await list(ann)).toEqual([])

    const [carol, , other] = await linked()
    expect((await change(carol)).status).toBe(200)
    const body = { account: carol.username, password: 'a new password' }
    const back = person(
      world.server.url,
      await world.post('/api/auth/login', body, { deviceId: carol.deviceId }),
      '',
      '',
      carol.deviceId,
    )
    expect((await back.call('auth.switchLink', { params: { linkId: other } })).status).toBe(200)
  })
})

describe('POST /auth/account/delete', () => {
  test('deleting an account removes sign-in methods, personal data and links, keeps QR codes, and frees the phone number', async () => {
    const ann = await world.withPhone()
    const bob = await world.server.person()
    await link(bob, ann)
    await ann.call('profile.update', { body: { nickname: 'Ann', signature: 'mine' } })
    const code = (await ann.post('/api/qr-codes', { name: 'kept', content: 'kept', isPublic: true })).data
    expect((await ann.call('auth.deleteAccount')).status).toBe(200)
    expect((await ann.call('profile.get')).status).toBe(401)
    expect((await world.post('/api/auth/refresh', { refreshToken: ann.refreshToken })).status).toBe(401)
    expect((await world.post('/api/auth/login', { account: ann.username, password: ann.password })).status).toBe(401)
    expect(await list(bob)).toEqual([])
    const again = await world.byPhone(ann.phone)
    expect(again.id).not.toBe(ann.id)
    expect((await world.server.request('GET', `/api/qr-codes/public/${code.uuid}`)).status).toBe(200)
    const admin = await world.server.admin()
    const records = await admin.get('/api/login-records/admin/all', { userId: ann.id })
    expect(records.data.items[0]!.loginType).toBe('account_delete')
  })

  test('a device whose account was deleted gets a new account', async () => {
    const deviceId = `device-${crypto.randomUUID()}`
    const first = person(
      world.server.url,
      await world.post('/api/auth/device-login', {}, { deviceId }),
      '',
      '',
      deviceId,
    )
    await first.call('auth.deleteAccount')
    const second = await world.post('/api/auth/device-login', {}, { deviceId })
    expect(second.data).toMatchObject({ isNewUser: true })
    expect(second.data.user.id).not.toBe(first.id)
  })

  test('administrators and owners of organizations cannot delete their account', async () => {
    const admin = await world.server.admin()
    const refused = await admin.call('auth.deleteAccount')
    expect(refused.status).toBe(400)
    expect(refused.message).toContain('administrator')
    expect((await admin.call('profile.get')).status).toBe(200)
    const owner = await world.server.person()
    await owner.post('/api/orgs', { name: 'Tiles' })
    const sole = await owner.call('auth.deleteAccount')
    expect(sole.status).toBe(400)
    expect(sole.message).toContain('owner')
    expect((await owner.get('/api/orgs')).data.total).toBe(1)
  })

  test('deleting an account while it binds a phone leaves no identity on the deleted account', async () => {
    for (let round = 0; round < 5; round++) {
      const ann = await world.server.person()
      const phone = newPhone()
      world.gateways.tokens.set(phone, phone)
      await Promise.all([ann.call('auth.deleteAccount'), ann.call('auth.verifyMobile', { body: { token: phone } })])
      const later = await world.byPhone(phone)
      expect(later.id).not.toBe(ann.id)
    }
  })
})

/** People who register without an account: the form, the mail, and their page. */

import { describe, expect, test } from 'bun:test'

import { registrations } from '#db/schema/activities.ts'
import { guestJobs } from '#domains/activities/guests/guests.jobs.ts'
import { DAY, HOUR, SECOND } from '#platform/clock.ts'

import { useWorld } from '../accounts/helpers.ts'
import { inProcess, ok, race } from '../harness/index.ts'
import {
  act,
  confirmedGuest,
  JSON_ONLY,
  mailsTo,
  newAddress,
  openToGuests,
  pendingGuest,
  readPage,
  ripeToken,
  secretFor,
  sendForm,
} from './guest-helpers.ts'
import { setStatus, update } from './helpers.ts'
import { expectSound, list, openActivity } from './registering.ts'

const world = useWorld()
const CHECK_MAIL = { state: 'CHECK_MAIL' }
const QUESTIONS = [{ key: 'size', label: 'Size of the T-shirt', required: true }]

const pageOf = (path: string, init: RequestInit = {}) => fetch(world.server.url + path, { redirect: 'manual', ...init })
const sendPage = (path: string, fields: Readonly<Record<string, string>>) =>
  pageOf(path, { method: 'POST', body: new URLSearchParams(fields), headers: { accept: 'text/html' } })

describe('a guest', () => {
  test('registers by form and mail, and takes a place only by confirming', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { capacity: 2, questions: QUESTIONS }, { language: 'zh' })
    const { secret, email } = await pendingGuest(world, activity, {
      name: 'Lin Mei',
      email: 'Lin.Mei+tag@EXAMPLE.org',
      answers: { size: 'M' },
      language: 'en',
    })
    const [mail] = mailsTo(world, email.toLowerCase())
    expect(mail!.subject).toBe(`[${activity.name}] Confirm your registration`)
    expect(mail!.headers.has('list-unsubscribe')).toBe(false)
    expect(mail!.text).not.toContain('Lin Mei')

    const before = ok(await readPage(world.server, secret)).data
    expect(before).toMatchObject({
      status: 'PENDING',
      position: null,
      answers: { size: 'M' },
      questions: QUESTIONS,
      pass: null,
      canConfirm: true,
      canCancel: true,
      canChange: true,
    })
    expect(before.activity.uuid).toBe(activity.uuid)
    expect((await list(alice, activity)).total).toBe(0)
    expect((await list(alice, activity, { status: 'PENDING' })).items).toHaveLength(1)
    await expectSound(alice, activity, 2)

    expect(ok(await act(world.server, secret, { action: 'confirm' })).data).toMatchObject({
      status: 'CONFIRMED',
      canConfirm: false,
    })
    const { items } = await list(alice, activity)
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      userId: null,
      source: 'GUEST',
      status: 'CONFIRMED',
      nickname: 'Lin Mei',
      answers: { size: 'M' },
      guest: { name: 'Lin Mei', email: 'lin.mei+tag@example.org', language: 'en' },
    })
    expect(items[0]!.guest!.confirmedAt).toBeGreaterThan(0)
    await expectSound(alice, activity, 2)
  })

  test('changes the answers, cancels once, and gives the place to the next one', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { capacity: 1, waitlist: true, questions: QUESTIONS })
    const first = await confirmedGuest(world, activity, { answers: { size: 'M' } })
    const second = await confirmedGuest(world, activity, { answers: { size: 'S' } })
    expect(ok(await readPage(world.server, second.secret)).data).toMatchObject({ status: 'WAITING', position: 1 })
    const wrong = await act(world.server, first.secret, { action: 'answers', answers: {} })
    expect(wrong.status).toBe(400)
    expect(wrong.details[0]!.path).toBe('body.answers.size')
    ok(await act(world.server, first.secret, { action: 'answers', answers: { size: 'L\r\nor M' } }))
    expect(ok(await readPage(world.server, first.secret)).data.answers).toEqual({ size: 'L\nor M' })
    expect(ok(await act(world.server, first.secret, { action: 'cancel' })).data.status).toBe('CANCELLED')
    expect(ok(await act(world.server, first.secret, { action: 'cancel' })).data.status).toBe('CANCELLED')
    expect(ok(await readPage(world.server, second.secret)).data.status).toBe('CONFIRMED')
    await world.mailArrived(second.email, 'You have a place')
    const told = mailsTo(world, second.email).find(({ subject }) => subject.includes('You have a place'))!
    expect(told.text).toContain(`/s/registration/${second.secret}`)
    expect(told.text).not.toContain('/console/')
    expect(told.headers.get('list-unsubscribe')).toContain('/public/mail/')
    expect(mailsTo(world, first.email)).toHaveLength(1)
    await expectSound(alice, activity, 1)
  })

  test('who did not confirm is deleted by “cancel”, and everything else is refused', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice)
    const { secret } = await pendingGuest(world, activity)
    expect((await act(world.server, secret, { action: 'resend-pass' })).status).toBe(400)
    ok(await act(world.server, secret, { action: 'cancel' }))
    expect((await readPage(world.server, secret)).status).toBe(404)
    expect((await list(alice, activity, { status: 'PENDING' })).total).toBe(0)
    expect((await list(alice, activity)).total).toBe(0)
  })

  test('confirms once, whatever comes at the same time', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { capacity: 5 })
    const { secret } = await pendingGuest(world, activity)
    const answers = await race(20, () => act(world.server, secret, { action: 'confirm' }))
    expect(answers.map((one) => ok(one).data.status)).toEqual(Array.from({ length: 20 }, () => 'CONFIRMED'))
    expect((await list(alice, activity)).total).toBe(1)
    await expectSound(alice, activity, 5)
  })

  test('who confirms after the last place was taken hears so, and the registration ends', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { capacity: 1 })
    const late = await pendingGuest(world, activity)
    await confirmedGuest(world, activity)
    for (let i = 0; i < 2; i++)
      expect(ok(await act(world.server, late.secret, { action: 'confirm' })).data).toMatchObject({
        status: 'CANCELLED',
        reason: 'All places were taken',
        canConfirm: false,
      })
    const html = await (await pageOf(`/s/registration/${late.secret}`)).text()
    expect(html).toContain('All places were taken')
    await expectSound(alice, activity, 1)
    // The address can be used again.
    ok(await update(alice, activity.id, { registration: { capacity: 2 } }))
    const formToken = await ripeToken(world.server, activity)
    ok(await sendForm(world.server, activity, { email: late.email, formToken }))
    const again = await secretFor(world, late.email, 2)
    expect(ok(await act(world.server, again, { action: 'confirm' })).data.status).toBe('CONFIRMED')
  })

  test('of 100 who confirm at once gets one of 60 places, or one on the waiting list', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { capacity: 60, waitlist: true })
    const guests = []
    const formTokens = await Promise.all(Array.from({ length: 20 }, () => ripeToken(world.server, activity)))
    for (let i = 0; i < 100; i++) {
      const email = newAddress()
      guests.push(email)
      ok(await sendForm(world.server, activity, { email, formToken: formTokens[i % 20]! }))
    }
    const secrets = await Promise.all(guests.map((email) => secretFor(world, email)))
    const answers = await race(100, (i) => act(world.server, secrets[i]!, { action: 'confirm' }))
    const statuses = answers.map((one) => ok(one).data.status)
    expect(statuses.filter((status) => status === 'CONFIRMED')).toHaveLength(60)
    expect(statuses.filter((status) => status === 'WAITING')).toHaveLength(40)
    const { stats } = ok(await alice.call('activities.get', { params: { id: activity.id } })).data
    expect(stats!.registrations).toEqual({ confirmed: 60, waiting: 40 })
    const waiting = await list(alice, activity, { status: 'WAITING', size: 100, sort: 'createdAt' })
    expect(waiting.items.map(({ position }) => position)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
  })

  test('is not touched by programs that open every link', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { capacity: 1 })
    const { secret } = await pendingGuest(world, activity)
    for (const path of ['', '?ask=cancel', '?action=confirm', '?action=cancel', '/calendar.ics', '/pass'])
      for (const method of ['GET', 'HEAD']) await pageOf(`/s/registration/${secret}${path}`, { method })
    expect(ok(await readPage(world.server, secret)).data.status).toBe('PENDING')
  })
})

describe('the form', () => {
  test('is on the page of the activity, and works without a script', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { questions: QUESTIONS }, { name: 'Fair & <more>' })
    const html = await (await pageOf(`/s/activity/${activity.uuid}?lang=zh`)).text()
    expect(html).toContain('无账号报名')
    expect(html).toContain(`action="/public/activities/${activity.uuid}/guests?lang=zh"`)
    const formToken = /name="formToken" value="([^"]+)"/.exec(html)![1]!
    if (inProcess) world.server.clock.advance(3 * SECOND)
    else await Bun.sleep(2100)
    const email = newAddress()
    const fields = { formToken, name: '张三', email, language: 'zh', 'answer.size': 'XL', website: '' }
    const sent = await sendPage(`/public/activities/${activity.uuid}/guests?lang=zh`, fields)
    expect(sent.status).toBe(200)
    expect(sent.headers.get('cache-control')).toBe('no-store')
    expect(await sent.text()).toContain('请查收邮件')
    const secret = await secretFor(world, email)
    expect(mailsTo(world, email)[0]!.subject).toBe('[Fair & <more>] 请确认报名')

    const page = await pageOf(`/s/registration/${secret}`)
    const text = await page.text()
    expect(text).toContain('张三')
    expect(text).toContain('Fair &amp; &lt;more&gt;')
    expect(text).toContain('待确认')
    for (const [name, value] of [
      ['referrer-policy', 'no-referrer'],
      ['cache-control', 'no-store'],
      ['x-robots-tag', 'noindex'],
    ] as const)
      expect(page.headers.get(name)).toBe(value)
    const confirmed = await sendPage(`/s/registration/${secret}?lang=zh`, { action: 'confirm' })
    expect(confirmed.status).toBe(303)
    expect(confirmed.headers.get('location')).toBe(`/s/registration/${secret}?lang=zh`)
    expect(await (await pageOf(`/s/registration/${secret}`)).text()).toContain('已报名')
    const changed = await sendPage(`/s/registration/${secret}`, { action: 'answers', 'answer.size': 'S' })
    expect(changed.status).toBe(303)
    expect(ok(await readPage(world.server, secret)).data.answers).toEqual({ size: 'S' })
    const asked = await (await pageOf(`/s/registration/${secret}?ask=cancel&lang=en`)).text()
    expect(asked).toContain('Do you really want to cancel')
    expect((await sendPage(`/s/registration/${secret}`, { action: 'cancel' })).status).toBe(303)
    expect(ok(await readPage(world.server, secret)).data.status).toBe('CANCELLED')
    expect(ok(await world.server.request('GET', `/s/registration/${secret}/calendar.ics`)).text).toContain(
      'BEGIN:VEVENT',
    )
  })

  test('shows how many places are left and when registration closes', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { capacity: 1, waitlist: true, questions: QUESTIONS })
    const form = async () => ok(await world.server.request('GET', `/public/activities/${activity.uuid}/guests/form`))
    const { data, headers } = await form()
    expect(data).toMatchObject({ questions: QUESTIONS, placesLeft: 'FEW', closesAt: activity.startTime })
    expect(headers.get('cache-control')).toBe('no-store')
    await confirmedGuest(world, activity, { answers: { size: 'M' } })
    expect((await form()).data.placesLeft).toBe('NONE')
  })

  test('of an INVITE_ONLY activity needs the code, and members-only and draft ones have none', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, {}, { visibility: 'INVITE_ONLY' })
    const path = `/public/activities/${activity.uuid}/guests`
    expect((await world.server.request('GET', `${path}/form`)).status).toBe(403)
    const form = ok(await world.server.request('GET', `${path}/form?code=${activity.inviteCode}`)).data
    if (inProcess) world.server.clock.advance(3 * SECOND)
    else await Bun.sleep(2100)
    const body = { name: 'Lin', email: newAddress(), formToken: form.formToken }
    const post = (more: object) =>
      world.server.request('POST', path, { body: { ...body, ...more }, headers: JSON_ONLY })
    expect((await post({})).status).toBe(403)
    expect((await post({ code: 'ABCDEFGHJK' })).status).toBe(403)
    expect(ok(await post({ code: activity.inviteCode })).data).toEqual(CHECK_MAIL)
    const html = await (await pageOf(`/s/activity/${activity.uuid}?code=${activity.inviteCode}`)).text()
    expect(html).toContain(`name="code" value="${activity.inviteCode}"`)
    const draft = await openToGuests(world.server, alice, {}, { status: 'DRAFT' })
    expect((await world.server.request('GET', `/public/activities/${draft.uuid}/guests/form`)).status).toBe(404)
    expect((await world.server.request('GET', `/public/activities/${crypto.randomUUID()}/guests/form`)).status).toBe(
      404,
    )
  })

  test('takes only its own tokens, from two seconds to two hours, five times', async () => {
    const alice = await world.withEmail()
    const [activity, other] = [await openToGuests(world.server, alice), await openToGuests(world.server, alice)]
    const fresh = ok(await world.server.request('GET', `/public/activities/${activity.uuid}/guests/form`)).data
      .formToken
    const early = await sendForm(world.server, activity, { formToken: fresh })
    expect([early.status, early.message]).toEqual([400, 'This was sent too fast: wait two seconds and send it again'])
    const formToken = await ripeToken(world.server, activity)
    expect((await sendForm(world.server, other, { formToken })).status).toBe(400)
    expect((await sendForm(world.server, activity, { formToken: `${formToken.slice(0, -2)}AA` })).status).toBe(400)
    for (let i = 0; i < 5; i++)
      expect(ok(await sendForm(world.server, activity, { formToken })).data).toEqual(CHECK_MAIL)
    expect((await sendForm(world.server, activity, { formToken })).status).toBe(400)
    expect((await list(alice, activity, { status: 'PENDING' })).total).toBe(5)
  })

  test('who has not confirmed gets a place by hand or is removed, but is not rejected', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { waitlist: true })
    for (let i = 0; i < 3; i++) await pendingGuest(world, activity)
    const [first, second, third] = (await list(alice, activity, { status: 'PENDING' })).items.map(({ id }) => id)
    const change = (registrationId: number, status: 'CONFIRMED' | 'WAITING' | 'REJECTED' | 'CANCELLED') =>
      alice.call('registrations.update', { params: { registrationId }, body: { status } })
    for (const status of ['REJECTED', 'CANCELLED'] as const) expect((await change(first!, status)).status).toBe(400)
    const rejected = await alice.call('registrations.batch', {
      params: { id: activity.id },
      body: { action: 'REJECT', filter: { status: 'PENDING' } },
    })
    expect(ok(rejected).data).toEqual({ matched: 3, changed: 0, unchanged: 3, remaining: 0 })
    const confirmed = ok(await change(first!, 'CONFIRMED')).data
    // Nobody has proved the address.
    expect([confirmed.status, confirmed.guest?.confirmedAt]).toEqual(['CONFIRMED', null])
    expect(ok(await change(second!, 'WAITING')).data.status).toBe('WAITING')
    ok(await alice.call('registrations.cancelAny', { params: { registrationId: third! }, query: { erase: true } }))
    expect((await list(alice, activity, { status: 'PENDING' })).total).toBe(0)
  })

  test('that fills in the hidden field is answered like any other, and does nothing', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice)
    const formToken = await ripeToken(world.server, activity)
    expect(ok(await sendForm(world.server, activity, { formToken, website: 'http://spam.example' })).data).toEqual(
      CHECK_MAIL,
    )
    expect((await list(alice, activity, { status: 'PENDING' })).total).toBe(0)
  })

  test('refuses names and addresses that are none, and keeps strange ones as they are', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice)
    const formToken = await ripeToken(world.server, activity)
    const send = (body: object) => sendForm(world.server, activity, { formToken, ...body })
    for (const [path, body] of [
      ['email', { email: 'a@example.org\r\nBcc: b@example.org' }],
      ['email', { email: '"quoted"@example.org' }],
      ['email', { email: 'nobody' }],
      ['email', { email: `${'a'.repeat(250)}@example.org` }],
      ['name', { name: 'Lin\nMei' }],
      ['name', { name: '\u202enimdA' }],
      ['name', { name: '' }],
      ['name', { name: '🎉'.repeat(101) }],
      ['language', { language: 'de' }],
      ['answers.other', { answers: { other: 'x' } }],
    ] as const) {
      const refused = await send(body)
      expect([refused.status, refused.details[0]?.path], JSON.stringify(body)).toEqual([400, `body.${path}`])
    }
    expect((await list(alice, activity, { status: 'PENDING' })).total).toBe(0)
    const names = ['<img src=x onerror=alert(1)>', '🎉'.repeat(100), 'عمر', `O'Brien "the" & co`]
    for (const [i, name] of names.entries()) {
      const email = i === 0 ? 'post@bücher.example' : newAddress()
      ok(await send({ email, name, formToken: await ripeToken(world.server, activity) }))
      if (i === 0) continue
      const secret = await secretFor(world, email)
      ok(await act(world.server, secret, { action: 'confirm' }))
      const html = await (await pageOf(`/s/registration/${secret}`)).text()
      expect(html).not.toContain('<img src=x')
    }
    const listed = (await list(alice, activity)).items.map(({ nickname }) => nickname)
    expect(listed.toSorted()).toEqual(names.slice(1).toSorted())
    const [pending] = (await list(alice, activity, { status: 'PENDING' })).items
    expect(pending).toMatchObject({ nickname: names[0], guest: { email: 'post@bücher.example' } })
  })
})

describe('whether an address is registered', () => {
  test('is not told by the form, which sends the first link again and changes nothing', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { questions: QUESTIONS })
    const { email, secret } = await confirmedGuest(world, activity, { name: 'Lin', answers: { size: 'M' } })
    const formToken = await ripeToken(world.server, activity)
    const again = { email: email.toUpperCase(), name: 'Mallory', answers: { size: 'XXL' }, formToken }
    const [known, unknown] = [
      await sendForm(world.server, activity, again),
      await sendForm(world.server, activity, { ...again, email: newAddress() }),
    ]
    expect(known.data).toEqual(CHECK_MAIL)
    const headersOf = ({ headers }: typeof known) => [...headers.keys()].toSorted()
    expect([known.status, headersOf(known)]).toEqual([unknown.status, headersOf(unknown)])
    expect(await secretFor(world, email, 2)).toBe(secret)
    expect(mailsTo(world, email)[1]!.subject).toBe(`[${activity.name}] Your registration`)
    expect(ok(await readPage(world.server, secret)).data).toMatchObject({ name: 'Lin', answers: { size: 'M' } })
    expect((await list(alice, activity)).total).toBe(1)
  })

  test('is not told by the request for the link, which mails only those who have one', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice)
    const { email, secret } = await confirmedGuest(world, activity)
    const stranger = newAddress()
    const ask = (address: string) =>
      world.server.request('POST', `/public/activities/${activity.uuid}/guests/link`, {
        body: { email: address },
        headers: JSON_ONLY,
      })
    expect(ok(await ask(stranger)).data).toEqual(CHECK_MAIL)
    expect(ok(await ask(email)).data).toEqual(CHECK_MAIL)
    expect(await secretFor(world, email, 2)).toBe(secret)
    await world.allDelivered()
    expect(mailsTo(world, stranger)).toEqual([])
  })

  test('is one row, if many forms for one address come at once', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice)
    const tokens = await Promise.all([1, 2, 3, 4].map(() => ripeToken(world.server, activity)))
    const email = newAddress()
    const answers = await race(20, (i) => sendForm(world.server, activity, { email, formToken: tokens[i % 4]! }))
    // Three mails a day.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect((await list(alice, activity, { status: 'PENDING' })).total).toBe(1)
  })
})

describe('an activity', () => {
  test('lets no guests register unless it says so, is open and has not ended', async () => {
    const alice = await world.withEmail()
    const closed = await openActivity(world.server, alice)
    expect(closed.registration).toMatchObject({ guests: false, guestRetentionDays: null })
    expect((await world.server.request('GET', `/public/activities/${closed.uuid}/guests/form`)).status).toBe(400)
    expect(await (await pageOf(`/s/activity/${closed.uuid}`)).text()).not.toContain('formToken')
    const activity = await openToGuests(world.server, alice)
    const formToken = await ripeToken(world.server, activity)
    const late = await pendingGuest(world, activity)
    ok(await update(alice, activity.id, { registration: { guests: false } }))
    expect((await sendForm(world.server, activity, { formToken })).status).toBe(400)
    expect((await act(world.server, late.secret, { action: 'confirm' })).status).toBe(400)
    ok(await update(alice, activity.id, { registration: { guests: true, guestRetentionDays: 10 } }))
    await setStatus(alice, activity.id, 'CANCELLED')
    expect((await sendForm(world.server, activity, { formToken })).status).toBe(400)
    expect((await act(world.server, late.secret, { action: 'confirm' })).status).toBe(400)
    expect(ok(await readPage(world.server, late.secret)).data).toMatchObject({ canCancel: false, canChange: false })
  })

  test.if(inProcess)('deletes guests who have not confirmed after a day', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice)
    const { secret, email } = await pendingGuest(world, activity)
    await world.allDelivered()
    world.server.clock.advance(DAY - HOUR)
    expect((await readPage(world.server, secret)).status).toBe(200)
    world.server.clock.advance(2 * HOUR)
    expect((await readPage(world.server, secret)).status).toBe(404)
    expect((await act(world.server, secret, { action: 'confirm' })).status).toBe(404)
    // Before the job has run too, the address is free.
    const formToken = await ripeToken(world.server, activity)
    ok(await sendForm(world.server, activity, { email, formToken }))
    const again = await secretFor(world, email, 2)
    expect(again).not.toBe(secret)
    expect(
      (await world.server.ctx.db.read.select().from(registrations)).filter((row) => row.email === email),
    ).toHaveLength(1)
    for (const job of guestJobs) await job.run(world.server.ctx)
    expect((await readPage(world.server, again)).status).toBe(200)
    await world.allDelivered()
    world.server.clock.advance(DAY + HOUR)
    for (const job of guestJobs) await job.run(world.server.ctx)
    expect((await list(alice, activity, { status: 'PENDING' })).total).toBe(0)
  })
})

test('a secret of somebody else, a shortened and an unknown one are the same 404', async () => {
  const alice = await world.withEmail()
  const activity = await openToGuests(world.server, alice)
  const { secret } = await pendingGuest(world, activity)
  const all = await Promise.all(
    [`${secret.slice(0, -1)}_`, secret.slice(1), 'x', activity.uuid].map((one) => readPage(world.server, one)),
  )
  expect(new Set(all.map(({ status, message }) => `${status} ${message}`)).size).toBe(1)
  expect(all[0]!.status).toBe(404)
})

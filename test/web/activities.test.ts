/** Activities in the web application: creating, publishing, registering, checking in, and passes. */

import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'

import type { Page } from 'playwright-core'

import { DAY, HOUR } from '#platform/clock.ts'

import { type NextStep, nextStepOf } from '../../src/web/areas/activities/next-step.ts'
import { createActivity, getActivity } from '../activities/helpers.ts'
import { issued, withPasses } from '../activities/pass-helpers.ts'
import { ok, until, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

/** The moment as an input of the type `datetime-local` takes it, in the zone of the browser. */
const local = (page: Page, time: number) =>
  page.evaluate<string>(`new Date(${time} - new Date(${time}).getTimezoneOffset() * 60000).toISOString().slice(0, 16)`)

const running = () => ({ startTime: Date.now() - HOUR, endTime: Date.now() + 3 * HOUR })

describe('a manager', () => {
  test('creates, publishes, changes, ends and deletes an activity', async () => {
    // The first short code is refused.
    browser.allow(/status of 400/)
    const page = await browser.signedIn(alice)
    await page.goto('/console/activities')
    await page.getByText('No activities yet').waitFor()
    await page.keyboard.press('n')
    // The form begins in its first field.
    await page.locator('[name=name]:focus').waitFor()
    await page.keyboard.type('Lake cleanup')
    await page.getByLabel('Description').fill('Bring gloves')
    await page.getByLabel('Start *').fill(await local(page, Date.now() + HOUR))
    await page.getByLabel('End *').fill(await local(page, Date.now() + 2 * HOUR))
    await page.getByLabel('Place', { exact: true }).fill('Pier 4')
    await page.getByLabel('Visibility').click()
    await page.getByRole('option', { name: 'Public' }).click()
    await page.getByLabel('Registration', { exact: false }).first().check()
    await page.getByLabel('Places').fill('20')
    await page.getByRole('button', { name: 'Add question' }).click()
    await page.getByLabel('Question 1', { exact: true }).fill('Size of the T-shirt')
    await page.getByLabel('Short code').fill('a!')
    await page.getByRole('button', { name: 'Create draft' }).click()
    // The message of the server is at the field, and nothing that was typed is lost.
    await page.locator('[name="checkInConfig.shortCode"][aria-invalid=true]').waitFor()
    await page.getByLabel('Short code').fill('LAKE')
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.getByRole('heading', { name: 'Lake cleanup', level: 1 }).waitFor()
    await page.getByText('This is a draft').waitFor()
    const id = Number(new URL(page.url()).pathname.split('/').at(-1))
    expect(await getActivity(alice, id)).toMatchObject({
      status: 'DRAFT',
      visibility: 'PUBLIC',
      location: 'Pier 4',
      checkInConfig: { shortCode: 'LAKE', maxPerUser: 1 },
      registration: { capacity: 20, questions: [{ key: 'q1', label: 'Size of the T-shirt', required: false }] },
    })

    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('The activity is published.').waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('Lake and river cleanup')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Lake and river cleanup', level: 1 }).waitFor()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'End' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
    await page.getByText('The activity has ended.').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The activity is deleted.').waitFor()
    await page.getByText('No activities yet').waitFor()
    expect((await alice.call('activities.get', { params: { id } })).status).toBe(404)
  })

  for (const hasMotion of [true, false])
    test(`sees a section unfold ${hasMotion ? 'gradually' : 'at once if the system asks for less motion'}`, async () => {
      const page = await browser.signedIn(alice, { hasMotion })
      await page.goto('/console/activities')
      await page.getByText('No activities yet').waitFor()
      await page.keyboard.press('n')
      await page.evaluate(`addEventListener('transitionrun', ({ target }) => (target.dataset.moved = 'yes'))`)
      await page.getByLabel('Registration', { exact: false }).first().check()
      await page.locator('.MuiCollapse-entered', { has: page.getByLabel('Places') }).waitFor()
      expect(await page.locator('.MuiCollapse-root[data-moved]').count()).toBe(hasMotion ? 1 : 0)
    })

  test('lets everybody who has a place get a pass, which needs registration', async () => {
    browser.allow(/status of 400/)
    const { id } = await withPasses(alice, { name: 'Ball', hasPass: false })
    const page = await browser.signedIn(alice)
    await page.goto(`/console/activities/${id}/edit`)
    const auto = page.getByLabel('Issue a pass to everybody who has a place')
    await page.getByRole('switch', { name: 'Passes' }).check()
    await auto.check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.Mui-error', { hasText: 'needs passes and registration' }).waitFor()
    await page.getByRole('switch', { name: 'Registration' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Ball', level: 1 }).waitFor()
    expect(await getActivity(alice, id)).toMatchObject({ hasPass: true, passConfig: { autoIssue: true } })
    // Turning passes off turns it off too.
    await page.goto(`/console/activities/${id}/edit`)
    await page.getByRole('switch', { name: 'Passes' }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Ball', level: 1 }).waitFor()
    expect(await getActivity(alice, id)).toMatchObject({ hasPass: false, passConfig: { autoIssue: false } })
  })

  test('makes a template, issues passes with its lines, and deletes it', async () => {
    const { id } = await withPasses(alice, { name: 'Dinner' })
    const page = await browser.signedIn(alice)
    await page.goto('/console/activities/templates')
    await page.getByText('No templates yet').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'New template' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Dinner card')
    await page.getByLabel('Lines below the name').fill('Table\nSeat')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The template is saved.').waitFor()
    await page.goto(`/console/activities/${id}?tab=passes`)
    await page.getByRole('button', { name: 'Issue passes' }).click()
    await page.getByLabel('Template').click()
    await page.getByRole('option', { name: 'Dinner card' }).click()
    await page.getByLabel('Names, one on each line').fill('Ann Lee; 4; 12')
    await page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click()
    await page.getByText('Table: 4 · Seat: 12').waitFor()
    await page.goto('/console/activities/templates')
    await page.getByRole('button', { name: 'Delete Dinner card' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No templates yet').waitFor()
    const { items } = ok(await alice.call('passes.list', { params: { id } })).data
    expect(items.map(({ holderName, fields }) => [holderName, fields.map(({ value }) => value)])).toEqual([
      ['Ann Lee', ['4', '12']],
    ])
  })

  test('reads why no pass was issued: nobody has registered, or everyone has one', async () => {
    const { id } = await withPasses(alice, {
      name: 'Brunch',
      visibility: 'PUBLIC',
      registration: { closesAt: Date.now() + HOUR },
    })
    const page = await browser.signedIn(alice)
    const issueAll = async () => {
      await page.goto(`/console/activities/${id}?tab=passes`)
      await page.getByRole('button', { name: 'Issue passes' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click()
    }
    await issueAll()
    await page.getByText('Nobody has registered yet.').waitFor()
    ok(await bob.call('registrations.register', { params: { id }, body: {} }))
    await issued(alice, id, { toRegistered: true })
    await issueAll()
    await page.getByText('Everyone who has registered already has a pass.').waitFor()
  })

  test('exports the participants whom the filter leaves, with their answers', async () => {
    const questions = [{ key: 'size', label: 'Size of the T-shirt', required: false }]
    const { id } = await createActivity(alice, {
      ...running(),
      name: 'Picnic',
      status: 'ACTIVE',
      visibility: 'PUBLIC',
      registration: { capacity: 1, waitlist: true, closesAt: Date.now() + HOUR, questions },
    })
    for (const person of [bob, await server.person()])
      ok(await person.call('registrations.register', { params: { id }, body: { answers: { size: 'M' } } }))
    const page = await browser.signedIn(alice, { isPhone: true })
    await page.goto(`/console/activities/${id}?tab=registrations`)
    const confirmed = page.getByRole('listitem').getByText('Confirmed', { exact: true })
    await confirmed.waitFor()
    await page.getByRole('radio', { name: 'Waiting' }).check()
    await confirmed.waitFor({ state: 'detached' })
    await page.getByText('Waiting · Number 1').waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'CSV', exact: true }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^participants-\d{8}-.+\.csv$/)
    const [titles, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    expect(titles).toEndWith('Size of the T-shirt')
    expect(rows).toEqual([expect.stringMatching(/^[^,]+,Waiting,1,.*,M$/)])
  })

  test('issues passes for names that were corrected after a lost answer', async () => {
    browser.allow(/ERR_FAILED|ERR_CONNECTION_FAILED/)
    const { id } = await withPasses(alice, { name: 'Jubilee' })
    const page = await browser.signedIn(alice)
    await page.goto(`/console/activities/${id}?tab=passes`)
    await page.getByRole('button', { name: 'Issue passes' }).click()
    const issueTo = async (names: string) => {
      await page.getByLabel('Names, one on each line').fill(names)
      await page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click()
    }
    await page.route('**/pass/issue', async (route) => {
      await route.fetch()
      await route.abort('connectionfailed')
    })
    await issueTo('An Lee')
    await page.getByText('The server cannot be reached').waitFor()
    await page.unroute('**/pass/issue')
    await issueTo('Ann Lee')
    await page.getByText('1 pass issued.').waitFor()
    const { items } = ok(await alice.call('passes.list', { params: { id } })).data
    expect(items.map(({ holderName }) => holderName).toSorted()).toEqual(['An Lee', 'Ann Lee'])
  })

  test('changes a pass, and revokes all that the list shows after reading how many', async () => {
    const { id, endTime } = await withPasses(alice, { name: 'Moved evening' })
    const [ann] = await issued(alice, id, {
      holders: [{ name: 'Ann', fields: { Seat: '1' } }, { name: 'Ben' }, { name: 'Bea' }],
      validTo: endTime - DAY,
    })
    const page = await browser.signedIn(alice)
    await page.goto(`/console/activities/${id}?tab=passes`)
    await page.getByRole('button', { name: /^Ann/ }).click()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Change the pass' })
    await form.getByLabel('Name on the pass').fill('Ann Lee')
    await form.getByLabel('Valid until the end of the activity').click()
    await form.getByLabel('Seat').fill('2')
    await form.getByLabel('Entries').fill('3')
    expect(await barriers(page)).toEqual([])
    await screenshot(page, 'pass-change')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The pass has been changed.').waitFor()
    expect(ok(await alice.call('passes.get', { params: { passId: ann!.id } })).data).toMatchObject({
      holderName: 'Ann Lee',
      followsActivity: true,
      validTo: endTime,
      maxUses: 3,
      fields: [{ label: 'Seat', value: '2' }],
    })
    await page.goto(`/console/activities/${id}?tab=passes`)
    const many = async () => {
      await page.getByRole('button', { name: 'Change many' }).click()
      return page.getByRole('dialog', { name: 'Change many passes' })
    }
    await (await many()).getByRole('button', { name: 'Count' }).click()
    const question = page.getByRole('dialog', { name: 'Change 2 passes?' })
    await question.getByText('3 passes are selected. 1 of them stay as they are').waitFor()
    await question.getByRole('button', { name: 'Change' }).click()
    await page.getByText('2 passes changed.').waitFor()
    await page.getByLabel('Search').fill('Be')
    await page.getByRole('button', { name: /^Ann/ }).waitFor({ state: 'detached' })
    const revoking = await many()
    await revoking.getByLabel('Revoke').click()
    await revoking.getByLabel('Reason (optional)').fill('No show')
    await screenshot(page, 'pass-batch')
    await revoking.getByRole('button', { name: 'Count' }).click()
    await page.getByRole('dialog', { name: 'Revoke 2 passes?' }).getByRole('button', { name: 'Revoke' }).click()
    const list = async () => ok(await alice.call('passes.list', { params: { id } })).data.items
    await until(
      async () => (await list()).filter(({ status }) => status === 'REVOKED').length === 2,
      'passes are revoked',
    )
    const items = await list()
    expect(items.map(({ holderName, status, validTo }) => [holderName, status, validTo])).toEqual([
      ['Bea', 'REVOKED', endTime],
      ['Ben', 'REVOKED', endTime],
      ['Ann Lee', 'ISSUED', endTime],
    ])
  })

  test('issues passes by name, finds one, and revokes it with a reason', async () => {
    const { id } = await withPasses(alice, { name: 'Members only evening' })
    const page = await browser.signedIn(alice, { isPhone: true })
    await page.goto(`/console/activities/${id}?tab=passes`)
    await page.getByRole('button', { name: 'Issue passes' }).click()
    await page.getByLabel('Names, one on each line').fill('Mayor Hansen\n\n李老师\n')
    await page.getByText('2 passes').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click()
    await page.getByText('2 passes issued.').waitFor()
    await page.getByRole('button', { name: '李老师' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('hansen')
    await page.getByText('李老师').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Mayor Hansen' }).click()
    await page.getByRole('img', { name: 'Mayor Hansen' }).waitFor()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByLabel('Reason (optional)').fill('Lost')
    // A question is answered by its button only.
    await page.getByLabel('Reason (optional)').press('Enter')
    await page.getByRole('dialog').last().getByRole('button', { name: 'Revoke' }).waitFor()
    expect(ok(await alice.call('passes.list', { params: { id } })).data.items.map(({ status }) => status)).toEqual([
      'ISSUED',
      'ISSUED',
    ])
    await page.getByRole('dialog').last().getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('The pass is revoked.').waitFor()
    const { items } = ok(await alice.call('passes.list', { params: { id } })).data
    expect(items.map(({ holderName, status, revokeReason }) => [holderName, status, revokeReason])).toEqual(
      expect.arrayContaining([
        ['Mayor Hansen', 'REVOKED', 'Lost'],
        ['李老师', 'ISSUED', null],
      ]),
    )
  })
})

describe('the page of an organizer', () => {
  test('has numbers, then the next step as its only primary button, and the page of visitors behind a button', async () => {
    const person = await server.person()
    const { id } = await withPasses(person, {
      name: 'Harvest dinner',
      visibility: 'PUBLIC',
      hasCheckIn: true,
      registration: { capacity: 2, waitlist: true, closesAt: Date.now() + HOUR },
    })
    const page = await browser.signedIn(person, { isPhone: true })
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith(`/api/activities/${id}`)) asked.push(pathname)
    })
    const path = `/console/activities/${id}`
    const next = async (name: string) => {
      await page.goto(path)
      await page.getByRole('link', { name }).or(page.getByRole('button', { name })).waitFor()
      expect(await page.locator('main .MuiButton-contained').allTextContents()).toEqual([name])
    }
    await next('Show the check-in code')
    // Nobody is asked whether the organizer has registered or checked in.
    const requests = ['', '/overview', '/qr-code'].map((part) => `/api/activities/${id}${part}`)
    expect([...new Set(asked)].toSorted()).toEqual(requests)
    await page.getByRole('link', { name: 'Show the check-in code' }).click()
    await page
      .getByRole('dialog', { name: /Harvest dinner/ })
      .getByRole('button', { name: 'Close' })
      .click()

    for (const guest of [alice, bob, await server.person()])
      ok(await guest.call('registrations.register', { params: { id }, body: {} }))
    await next('Issue 2 passes')
    await page.getByText('Registered2 of 2').waitFor()
    expect(await page.getByRole('progressbar', { name: 'Registered' }).getAttribute('aria-valuenow')).toBe('100')
    // It is seen without scrolling, above the bar at the bottom.
    const { y, height } = (await page.getByRole('button', { name: 'Issue 2 passes' }).boundingBox())!
    expect(y + height).toBeLessThan(844 - 56)
    expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
      barriers: [],
      isTooWide: false,
    })
    await screenshot(page, 'activity-organizer')
    await page.getByRole('button', { name: 'Issue 2 passes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click()
    await page.getByText('2 passes issued.').waitFor()
    const [pass] = ok(await person.call('passes.list', { params: { id } })).data.items
    ok(await person.call('passes.verify', { params: { id }, body: { passUuid: pass!.uuid, redeem: true } }))
    await next('Open the gate')
    await page.getByText('Admitted1').waitFor()
    await page.getByText('Waiting1').waitFor()

    await page.getByRole('link', { name: 'See as visitor' }).click()
    await page.getByText('Visitors see this page like this.').waitFor()
    await page.getByRole('button', { name: 'Register', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Check in', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Full screen: Check-in' }).count()).toBe(0)
    expect(await page.getByRole('tab').count()).toBe(0)
    await screenshot(page, 'activity-as-visitor')
    await page.getByRole('link', { name: 'Back to managing' }).click()
    await page.getByRole('link', { name: 'Open the gate' }).click()
    await page.getByRole('button', { name: 'Start scanning' }).waitFor()
  })

  const NOW = Date.UTC(2026, 10, 28, 12)
  const registration = {
    capacity: null,
    waitlist: true,
    opensAt: null,
    closesAt: null,
    approval: false,
    contact: 'NONE' as const,
    guests: false,
    guestRetentionDays: null,
    personalOnly: false,
    questions: [],
  }
  const counted = (confirmed: number, passes: number) => ({
    registration,
    hasPass: true,
    stats: { checkIns: 0, checkedInUsers: 0, passes, passUses: 0, registrations: { confirmed, waiting: 0 } },
  })
  const full = (capacity: number) => ({ ...counted(20, 20), registration: { ...registration, capacity } })
  const closed = (confirmed: number) => ({
    ...counted(confirmed, confirmed || 1),
    registration: { ...registration, closesAt: NOW - 1 },
  })
  const running = { startTime: NOW - HOUR }
  const checkInConfig = {
    radiusMeters: null,
    latitude: null,
    longitude: null,
    maxPerUser: 1,
    shortCode: null,
    opensAt: null,
    closesAt: null,
  }
  const activity = {
    ...counted(0, 0),
    status: 'ACTIVE' as const,
    startTime: NOW + 2 * DAY,
    endTime: NOW + 3 * DAY,
    hasPass: false,
    hasCheckIn: false,
    checkInConfig,
    registration: null,
  }
  const over = { startTime: NOW - 2 * DAY, endTime: NOW - DAY }
  const cases: [name: string, state: Partial<Parameters<typeof nextStepOf>[0]>, step: NextStep | undefined][] = [
    ['a draft', { status: 'DRAFT' }, 'PUBLISH'],
    ['a draft whose time is over', { ...over, status: 'DRAFT' }, 'PUBLISH'],
    ['an activity without registration, check-in or passes', {}, 'SHARE'],
    ['an activity for which nobody has registered', counted(0, 0), 'SHARE'],
    ['registrations without passes', counted(20, 0), 'ISSUE'],
    ['more registrations than passes', counted(20, 15), 'ISSUE'],
    ['as many passes as registrations, days before', counted(20, 20), 'SHARE'],
    ['passes for guests by name', { hasPass: true }, 'ISSUE'],
    ['registrations without passes on the day itself', { ...counted(20, 0), ...running }, 'ISSUE'],
    ['some passes on the day itself', { ...counted(20, 15), ...running }, 'GATE'],
    ['an activity that starts later today', { ...counted(20, 20), startTime: NOW + 11 * HOUR }, 'GATE'],
    ['an activity that starts tomorrow', { ...counted(20, 20), startTime: NOW + 13 * HOUR }, 'SHARE'],
    ['an activity whose places are taken', full(20), 'WRITE'],
    ['an activity with a free place', full(21), 'SHARE'],
    ['an activity whose registration has closed', closed(20), 'WRITE'],
    ['a closed registration of nobody', closed(0), 'SHARE'],
    ['check-in on the day itself', { hasCheckIn: true, ...running }, 'CHECK_IN'],
    ['check-in days before', { hasCheckIn: true }, 'SHARE'],
    [
      'check-in that has closed',
      { hasCheckIn: true, ...running, checkInConfig: { ...checkInConfig, closesAt: NOW - 1 } },
      'SHARE',
    ],
    ['an activity whose time is over', { ...counted(20, 20), ...over }, 'END'],
    ['an ended activity', { ...over, status: 'ENDED' }, undefined],
    ['a cancelled activity', { status: 'CANCELLED' }, undefined],
    ['an activity without numbers', { stats: null }, undefined],
  ]
  test.each(cases)('has the next step of %s', (_, state, step) => {
    expect(nextStepOf({ ...activity, ...state }, () => true, NOW, NOW + 12 * HOUR)).toBe(step)
  })

  test('has no next step that the user may not take', () => {
    const stepOf = (state: Partial<typeof activity>) =>
      nextStepOf({ ...activity, ...state }, () => false, NOW, NOW + 12 * HOUR)
    expect(stepOf({ status: 'DRAFT' as 'ACTIVE' })).toBeUndefined()
    expect(stepOf(over)).toBeUndefined()
    expect(stepOf({ ...counted(20, 0), ...running, registration: null })).toBe('SHARE')
    expect(stepOf({ ...counted(20, 20), ...running, registration: null, hasCheckIn: true })).toBe('CHECK_IN')
  })
})

describe('a visitor', () => {
  test('finds a public activity in Chinese on a phone, registers, cancels, and checks in with the short code', async () => {
    // The first short code is wrong.
    browser.allow(/status of 400/)
    const { id } = await createActivity(alice, {
      status: 'ACTIVE',
      ...running(),
      name: '湖边清洁日',
      visibility: 'PUBLIC',
      hasCheckIn: true,
      checkInConfig: { shortCode: 'LAKE' },
      registration: { closesAt: Date.now() + HOUR, questions: [{ key: 'size', label: 'T 恤尺码', required: true }] },
    })
    const page = await browser.signedIn(bob, { isPhone: true, locale: 'zh-CN' })
    await page.goto('/console/activities?view=discover')
    await page.getByRole('link', { name: '湖边清洁日' }).click()
    await page.getByRole('heading', { level: 1, name: '湖边清洁日' }).waitFor()
    await page.getByText(/\d{4}年\d+月\d+日周/).waitFor()
    await page.getByRole('button', { name: '报名', exact: true }).click()
    await page.getByLabel('T 恤尺码').first().fill('M')
    await page.getByRole('dialog').getByRole('button', { name: '报名' }).click()
    await page.getByText('你已报名。').waitFor()
    const registration = () => bob.call('registrations.get', { params: { id } })
    expect(ok(await registration()).data).toMatchObject({ status: 'CONFIRMED', answers: { size: 'M' } })
    // The start page has it among the activities of today.
    await page.goto('/console/')
    await page.getByRole('link', { name: '湖边清洁日' }).click()
    await page.getByRole('button', { name: '取消报名' }).click()
    // Not 取消, beside 取消报名.
    await page.getByRole('dialog').getByRole('button', { name: '返回' }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: '取消报名' }).click()
    await page.getByText('已取消报名。').waitFor()
    expect(ok(await registration()).data.status).toBe('CANCELLED')

    await page.getByLabel('签到口令').fill('WRONG')
    await page.getByRole('button', { name: '签到', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: '请求编号' }).waitFor()
    await page.getByLabel('签到口令').fill('lake')
    await page.getByRole('button', { name: '签到', exact: true }).click()
    await page.getByText('签到成功。').waitFor()
    await page.getByText(/你已于 .* 签到/).waitFor()
    const { items } = ok(await alice.call('activities.checkInRecords', { params: { id } })).data
    expect(items).toMatchObject([{ userId: bob.id, method: 'CODE' }])

    await page.goto('/console/activities/lake')
    await page.getByRole('heading', { name: '页面不存在' }).waitFor()
  })

  test('reads since when and why registration is closed, and moves up from the waiting list on the open page', async () => {
    const fields = { ...running(), name: 'Boat trip', status: 'ACTIVE', visibility: 'PUBLIC' } as const
    const closesAt = Date.now() + HOUR
    const { id } = await createActivity(alice, { ...fields, registration: { capacity: 1, waitlist: true, closesAt } })
    const [first, second] = [await server.person(), await server.person()]
    for (const person of [first, second]) ok(await person.call('registrations.register', { params: { id }, body: {} }))
    const page = await browser.signedIn(second, { isPhone: true })
    await page.goto(`/console/activities/${id}`)
    await page.getByText('You are number 1 on the waiting list.').waitFor()
    ok(await alice.call('registrations.cancelOf', { params: { id, userId: first.id } }))
    await page.getByText('You are registered.').waitFor()

    for (const [registration, status, text] of [
      [{}, 'ACTIVE', /^Registration closed when the activity started, .+ \d\d:\d\d\.$/],
      [{ closesAt: fields.startTime - HOUR }, 'ACTIVE', /^Registration closed (?!when).+ \d\d:\d\d\.$/],
      [{}, 'ENDED', 'Registration is closed: the activity has ended.'],
      [{}, 'CANCELLED', 'Registration is closed: the activity is cancelled.'],
    ] as const) {
      const closed = await createActivity(alice, { ...fields, status, registration })
      await page.goto(`/console/activities/${closed.id}`)
      await page.getByText(text).waitFor()
    }
  })

  test('finds the activities they registered for, until the manager cancels the registration', async () => {
    browser.allow(/status of 403/)
    const carl = await server.person('carl')
    const fields = { ...running(), startTime: Date.now() + HOUR, status: 'ACTIVE' as const, registration: {} }
    const { id, inviteCode } = await createActivity(alice, { ...fields, name: 'Closed rehearsal' })
    const page = await browser.signedIn(carl, { isPhone: true, locale: 'zh-CN' })
    await page.goto('/console/activities?view=registered')
    await page.getByText('还没有报名任何活动').waitFor()
    await page.goto(`/console/activities/${id}?code=${inviteCode}`)
    await page.getByRole('button', { name: '报名', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: '报名' }).click()
    await page.getByText('你已报名。').waitFor()
    await page.goto('/console/activities?view=registered')
    // The browser remembers the invite code, which the list does not contain.
    await page.getByRole('link', { name: 'Closed rehearsal' }).click()
    await page.getByText('你已报名。').waitFor()

    const manager = await browser.signedIn(alice, { isPhone: true })
    await manager.goto(`/console/activities/${id}?tab=registrations`)
    await manager.locator('li a').click()
    await manager.getByRole('button', { name: 'Cancel registration' }).click()
    const question = manager.getByRole('dialog', { name: 'Cancel the registration of' })
    await question.waitFor()
    expect(await barriers(manager)).toEqual([])
    await question.getByRole('button', { name: 'Cancel registration' }).click()
    await manager.getByText('The registration is changed.').waitFor()
    await page.goto('/console/activities?view=registered')
    await page.getByText('还没有报名任何活动').waitFor()
    expect(await isTooWide(page)).toBe(false)
  })

  test('sees activities that run now, upcoming ones by their start, and unfolds past ones', async () => {
    const person = await server.person()
    const during = (from: number, to: number) => ({
      startTime: Date.now() + from * DAY,
      endTime: Date.now() + to * DAY,
    })
    const page = await browser.signedIn(person)
    const section = (name: string) => page.locator('section').filter({ has: page.getByRole('heading', { name }) })
    const names = (name: string) =>
      section(name).getByRole('link').locator('h2, span.MuiTypography-h2').allTextContents()
    await createActivity(person, { name: 'Last week', ...during(-8, -7), status: 'ACTIVE' })
    await page.goto('/console/activities')
    // Nothing else is there, so it is not folded.
    await page.getByRole('link', { name: 'Last week' }).waitFor()

    await createActivity(person, { name: 'Today', ...during(-0.1, 0.1), status: 'ACTIVE' })
    await createActivity(person, { name: 'Next month', ...during(30, 31), status: 'ACTIVE' })
    await createActivity(person, { name: 'Tomorrow', ...during(1, 2) })
    await createActivity(person, { name: 'Called off', ...during(3, 4), status: 'CANCELLED' })
    await page.goto('/console/activities')
    await page.getByRole('link', { name: 'Next month' }).waitFor()
    await page.getByRole('link', { name: 'Today' }).waitFor()
    expect(await names('Now')).toEqual(['Today'])
    expect(await names('Upcoming')).toEqual(['Tomorrow', 'Next month'])
    await page.getByRole('link', { name: 'Tomorrow' }).getByText('Draft').waitFor()
    expect(await page.getByRole('link', { name: 'Last week' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Past' }).click()
    await page.getByRole('link', { name: 'Last week' }).waitFor()
    expect(await names('Past')).toEqual(['Called off', 'Last week'])
    // "Back" finds them unfolded.
    await page.getByRole('link', { name: 'Last week' }).click()
    await page.getByRole('heading', { name: 'Last week', level: 1 }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Last week' }).waitFor()
    expect(await barriers(page)).toEqual([])
  })

  test('gives the invite code of an activity and sees it', async () => {
    browser.allow(/status of 403/)
    const { id, inviteCode } = await createActivity(alice, { status: 'ACTIVE', ...running(), name: 'Secret party' })
    const page = await browser.signedIn(bob)
    await page.goto(`/console/activities/${id}`)
    await page.getByLabel('Invite code').fill('AAAA')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('This is not the invite code').waitFor()
    await page.getByLabel('Invite code').fill(inviteCode!)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('heading', { name: 'Secret party' }).waitFor()
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0)
  })
})

describe('the start page', () => {
  test('has what is due today, with the gate two clicks away, and goes on if a part of it fails', async () => {
    const person = await server.person()
    const guest = await server.person()
    const fields = { visibility: 'PUBLIC', registration: { closesAt: Date.now() + HOUR } } as const
    const { id } = await withPasses(person, { name: 'Fair of today', ...fields })
    ok(await guest.call('registrations.register', { params: { id }, body: {} }))
    await issued(person, id, { toRegistered: true })
    const asset = ok(await person.call('assets.create', { body: { name: 'Projector' } })).data
    ok(
      await person.call('assets.checkOut', {
        params: { id: asset.id },
        body: { personName: 'Ms Chen', dueAt: Date.now() - HOUR },
      }),
    )
    const inventory = ok(await person.call('inventories.create', { body: { name: 'Cellar' } })).data
    ok(await person.call('inventories.update', { params: { id: inventory.id }, body: { status: 'RUNNING' } }))

    const page = await browser.signedIn(person, { isPhone: true })
    const today = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Today' }) })
    browser.allow(/status of 500/)
    await page.route('**/api/assets/loans**', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto('/console/')
    await today.getByText('A part of this list could not be loaded.').waitFor()
    await today.getByText('Stock-taking: 0 of 1 found').waitFor()
    await page.unroute('**/api/assets/loans**')
    await today.getByRole('button', { name: 'Try again' }).click()
    await today.getByRole('link', { name: '1 loan is overdue' }).waitFor()
    expect(await today.getByRole('link', { name: 'Continue' }).getAttribute('href')).toBe(
      `/console/assets/inventories/${inventory.id}`,
    )
    expect(await barriers(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)

    await today.getByRole('link', { name: 'Open gate' }).click()
    await page.getByRole('button', { name: 'Start scanning' }).click()
    await page.getByText('Admitted: 0').waitFor()

    const visitor = await browser.signedIn(guest, { isPhone: true, locale: 'zh-CN' })
    await visitor.goto('/console/')
    await visitor.getByRole('link', { name: '出示通行证' }).click()
    await visitor.getByRole('dialog').getByRole('img').waitFor()
  })

  test('asks for each part once, says so if nothing is due, and does not move on the second visit', async () => {
    const person = await server.person()
    ok(await person.call('qrCodes.create', { body: { name: 'Door', content: 'https://example.org/door' } }))
    const page = await browser.signedIn(person)
    // That of the sign-in on a new device.
    ok(await person.call('notifications.readAll'))
    await page.goto('/console/')
    await page.getByText('Nothing is due.').waitFor()
    await page.getByRole('link', { name: 'Door' }).waitFor()

    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (/^\/api\/(activities|assets|inventories|contacts|conversations|qr-codes|orgs\/\d)/.test(pathname))
        asked.push(pathname)
    })
    await page.addInitScript(() => {
      const shifts: number[] = []
      Object.assign(globalThis, { shifts })
      // The types of the server's tests have no such entries.
      const options = { type: 'layout-shift', buffered: true } as object
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
      }).observe(options as { type: 'mark' })
    })
    await page.reload()
    await page.getByText('Nothing is due.').waitFor()
    await page.getByRole('link', { name: 'Door' }).waitFor()
    expect(asked.toSorted()).toEqual([
      '/api/activities',
      '/api/activities',
      '/api/assets/inventories',
      '/api/assets/loans',
      '/api/contacts/pending-count',
      '/api/qr-codes',
    ])
    const moved = await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts)
    expect(moved.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.01)
  })
})

describe('every page of activities', () => {
  for (const isDark of [false, true])
    test(`has no barriers and fits a phone, ${isDark ? 'dark' : 'light'}`, async () => {
      const { id } = await withPasses(alice, {
        name: 'Summer fair of the neighbourhood association',
        visibility: 'PUBLIC',
        hasCheckIn: true,
        location: 'Market square',
        registration: { capacity: 1, waitlist: true, closesAt: Date.now() + HOUR },
      })
      for (const person of [alice, bob]) {
        ok(await person.call('registrations.register', { params: { id }, body: {} }))
        ok(await person.call('activities.checkIn', { params: { id }, body: {} }))
      }
      await issued(alice, id, { toRegistered: true })
      const page = await browser.signedIn(alice, { isPhone: true, isDark })
      const pages = {
        '/console/activities': 'Summer fair of the neighbourhood association',
        '/console/activities?view=discover': 'Summer fair of the neighbourhood association',
        '/console/activities/new': 'Create draft',
        [`/console/activities/${id}`]: 'Next step',
        [`/console/activities/${id}?view=visitor`]: 'You are registered.',
        [`/console/activities/${id}?tab=registrations`]: 'Waiting · Number 1',
        [`/console/activities/${id}?tab=check-ins`]: 'Check-ins by hour of the day',
        [`/console/activities/${id}?tab=passes`]: '0 of 1 entries used',
      }
      for (const [path, text] of Object.entries(pages)) {
        await page.goto(path)
        await page.getByText(text).first().waitFor()
        expect({ path, barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
          path,
          barriers: [],
          isTooWide: false,
        })
      }
    })
})

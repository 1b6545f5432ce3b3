/** The list of participants in the web application. */

import { afterAll, describe, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { list, openActivity, register } from '../activities/registering.ts'
import { ok, startGateways, until, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const gateways = await startGateways()
afterAll(gateways.stop)
const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'], config: gateways.config })
const browser = useBrowser(server)

const QUESTIONS = [{ key: 'size', label: 'Size of the T-shirt', required: false }]

const open = (name: string, registration: Parameters<typeof openActivity>[2] = {}, fields = {}) =>
  openActivity(server, alice, { waitlist: true, questions: QUESTIONS, ...registration }, { name, ...fields })

/** Enters guests by hand. */
const add = async (id: number, ...items: { name: string; email?: string; note?: string; status?: 'WAITING' }[]) =>
  ok(await alice.call('registrations.add', { params: { id }, body: { items, notify: false } })).data.items

const pathOf = ({ id }: { id: number }) => `/console/activities/${id}?tab=registrations`

/** `Ann CONFIRMED`, by name. */
const statesOf = async (activity: { id: number }) =>
  (await list(alice, activity, { size: 100 })).items.map(({ nickname, status }) => `${nickname} ${status}`).toSorted()

const sheet = (page: Page, name: string) => page.getByRole('dialog', { name })

/** Opens the sheet of a person. */
async function openPerson(page: Page, name: string) {
  await page.getByRole('link', { name, exact: true }).click()
  await sheet(page, name).getByText('Messages and notices').waitFor()
  return sheet(page, name)
}

describe('a manager', () => {
  test('filters by chips with numbers, searches, and changes one person', async () => {
    const activity = await open('Harvest', { capacity: 1 })
    for (const person of [bob, carol]) ok(await register(person, activity, { answers: { size: 'M' } }))
    const { items } = await list(alice, activity)
    const [first, second] = [bob, carol].map(({ id }) => items.find(({ userId }) => userId === id)!.nickname)
    const page = await browser.signedIn(alice)
    await page.goto(pathOf(activity))
    await page.getByRole('radio', { name: 'Confirmed 1' }).waitFor()
    // Nobody was rejected or has cancelled.
    expect(await page.getByRole('radio').count()).toBe(3)
    await screenshot(page, 'participants')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('radio', { name: 'Waiting 1' }).check()
    await page.getByRole('link', { name: first!, exact: true }).waitFor({ state: 'detached' })
    const person = await openPerson(page, second!)
    await person.getByText('Waiting · Number 1').waitFor()
    await person.getByRole('button', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: `Change ${second}` })
    await edit.getByLabel('Size of the T-shirt').fill('XL\nwide')
    await edit.getByLabel('Note').fill('Needs a chair')
    expect(await barriers(page)).toEqual([])
    await edit.getByRole('button', { name: 'Save' }).click()
    await person.getByText('Needs a chair').waitFor()
    await edit.waitFor({ state: 'detached' })
    expect((await list(alice, activity, { keyword: 'chair' })).items).toMatchObject([
      { nickname: second, note: 'Needs a chair', answers: { size: 'XL\nwide' } },
    ])
    await screenshot(page, 'participants-person')
    expect(await barriers(page)).toEqual([])
    await page.goBack()
    await person.waitFor({ state: 'detached' })
    await page.getByRole('radio', { name: 'All' }).check()
    // Notes are searched too.
    await page.getByLabel('Search').fill('chair')
    await page.getByText('1 person', { exact: true }).waitFor()
    await page.getByRole('link', { name: second!, exact: true }).waitFor()
  })

  test('writes to the selected people', async () => {
    const activity = await open('Pruning')
    for (const person of [bob, carol]) ok(await register(person, activity))
    const { items } = await list(alice, activity)
    const bobs = items.find(({ userId }) => userId === bob.id)!
    const page = await browser.signedIn(alice)
    await page.goto(pathOf(activity))
    await page.getByLabel(`Select ${bobs.nickname}`, { exact: true }).check()
    await page.getByRole('button', { name: 'Write' }).click()
    await page.getByText('The selected person.').waitFor()
    // A reload keeps whom the message is for.
    await page.reload()
    await page.getByText('The selected person.').waitFor()
    await page.getByLabel('Subject').fill('Shears')
    await page.getByLabel('Text (Markdown)').fill('Please bring yours.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('dialog', { name: 'Send it to 1 person?' }).getByRole('button', { name: 'Send' }).click()
    await page.getByText('Chosen people').waitFor()
    await until(async () => {
      const news = ok(await bob.call('notifications.list')).data.items
      return news.some(({ data }) => data['activityId'] === activity.id && data['messageId'] !== undefined)
    })
    const others = ok(await carol.call('notifications.list')).data.items
    expect(others.filter(({ data }) => data['messageId'] !== undefined)).toEqual([])
  })

  test('rejects with a reason, which the person reads, and confirms later', async () => {
    const activity = await open('Grafting', { approval: true })
    ok(await register(bob, activity))
    const { nickname } = (await list(alice, activity)).items[0]!
    const visitor = await browser.signedIn(bob)
    await visitor.goto(`/console/activities/${activity.id}`)
    await visitor.getByText('A manager of the activity confirms it').waitFor()
    const page = await browser.signedIn(alice)
    await page.goto(pathOf(activity))
    const person = await openPerson(page, nickname)
    await person.getByRole('button', { name: 'Reject' }).click()
    const question = page.getByRole('dialog', { name: `Reject ${nickname}?` })
    await question.getByLabel('Reason (optional)').fill('Members only')
    await question.getByRole('button', { name: 'Reject' }).click()
    await person.getByText('Rejected').waitFor()
    await visitor.reload()
    await visitor.getByText('Your registration was not accepted. Reason: Members only').waitFor()
    expect(await visitor.getByRole('button', { name: 'Register' }).count()).toBe(0)
    await screenshot(visitor, 'registration-rejected')
    await person.getByRole('button', { name: 'Confirm' }).click()
    await page
      .getByRole('dialog', { name: `Confirm ${nickname}?` })
      .getByRole('button', { name: 'Confirm' })
      .click()
    await person.getByText('Confirmed', { exact: true }).first().waitFor()
    await visitor.reload()
    await visitor.getByText('You are registered.').waitFor()
  })

  test('changes the status of the selected people after reading their number', async () => {
    const activity = await open('Sowing')
    await add(activity.id, { name: 'Ann' }, { name: 'Ben' }, { name: 'Cid' })
    const page = await browser.signedIn(alice)
    await page.goto(pathOf(activity))
    for (const name of ['Ann', 'Ben']) await page.getByLabel(`Select ${name}`).check()
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Change status' }).click()
    await page.getByRole('menuitem', { name: 'Reject' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reject many people' })
    await dialog.getByText('For the 2 selected people.').waitFor()
    await dialog.getByLabel('Reason (optional)').fill('Members first')
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Count' }).click()
    const question = page.getByRole('dialog', { name: 'Reject 2 people?' })
    await screenshot(page, 'participants-batch')
    expect(await statesOf(activity)).toEqual(['Ann CONFIRMED', 'Ben CONFIRMED', 'Cid CONFIRMED'])
    await question.getByRole('button', { name: 'Reject' }).click()
    await page.getByText('2 registrations changed.').waitFor()
    expect(await statesOf(activity)).toEqual(['Ann REJECTED', 'Ben REJECTED', 'Cid CONFIRMED'])
    // The selection is over, so this is for all that the filter shows.
    await page.getByRole('radio', { name: 'Rejected 2' }).check()
    await page.getByText('2 people').waitFor()
    await page.getByRole('button', { name: 'Change status' }).click()
    await page.getByRole('menuitem', { name: 'Confirm' }).click()
    await page.getByText('For everybody whom search and filters of the list show.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Count' }).click()
    await page.getByRole('dialog', { name: 'Confirm 2 people?' }).getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('2 registrations changed.').first().waitFor()
    await until(async () => (await statesOf(activity)).join() === 'Ann CONFIRMED,Ben CONFIRMED,Cid CONFIRMED')
  })

  test('adds a guest by hand, also when no place is left', async () => {
    browser.allow(/status of 400/)
    const activity = await open('Weeding', { capacity: 1 })
    await add(activity.id, { name: 'First' })
    const page = await browser.signedIn(alice)
    await page.goto(pathOf(activity))
    await page.getByRole('button', { name: 'Add' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a person' })
    await dialog.getByLabel('Name').fill('Lin Mei')
    await dialog.getByLabel('E-mail (optional)').fill('lin@example')
    await dialog.getByLabel('Size of the T-shirt').fill('M')
    await dialog.getByLabel('Note').fill('Speaker')
    expect(await barriers(page)).toEqual([])
    await screenshot(page, 'participants-add')
    await dialog.getByRole('button', { name: 'Add' }).click()
    // The refusal is at its field.
    await dialog.locator('[name=email][aria-invalid=true]').waitFor()
    await dialog.getByLabel('E-mail (optional)').fill('lin@example.org')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByRole('alert').waitFor()
    expect(await statesOf(activity)).toEqual(['First CONFIRMED'])
    await dialog.getByLabel('Even if all places are taken').check()
    await dialog.getByRole('button', { name: 'Add' }).click()
    await page.getByText('The person is registered.').waitFor()
    await page.getByRole('link', { name: 'Lin Mei' }).waitFor()
    const lin = (await list(alice, activity)).items.find(({ nickname }) => nickname === 'Lin Mei')!
    expect(lin).toMatchObject({ status: 'CONFIRMED', source: 'MANUAL', answers: { size: 'M' }, userId: null })
    expect(lin.guest).toMatchObject({ name: 'Lin Mei', email: 'lin@example.org', confirmedAt: null })
  })

  test('changes name and position of a guest', async () => {
    const activity = await open('Composting', { capacity: 1 })
    await add(activity.id, { name: 'Host' })
    await add(activity.id, { name: 'Ann', status: 'WAITING' }, { name: 'Ben', status: 'WAITING' })
    const page = await browser.signedIn(alice)
    await page.goto(pathOf(activity))
    const person = await openPerson(page, 'Ben')
    await person.getByText('Waiting · Number 2').waitFor()
    await person.getByRole('button', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Change Ben' })
    await edit.getByLabel('Name').fill('Ben Oak')
    await edit.getByLabel('Size of the T-shirt').fill('XL\nwide')
    await edit.getByLabel('Note').fill('Vegan')
    expect(await barriers(page)).toEqual([])
    await edit.getByRole('button', { name: 'Save' }).click()
    const renamed = sheet(page, 'Ben Oak')
    await renamed.getByText('Vegan').waitFor()
    await renamed.getByText('XL').waitFor()
    await renamed.getByRole('button', { name: 'Change position' }).click()
    await page.getByLabel('Place on the waiting list').fill('1')
    await page.getByRole('dialog', { name: 'Position of Ben Oak' }).getByRole('button', { name: 'Save' }).click()
    await renamed.getByText('Waiting · Number 1').waitFor()
    await screenshot(page, 'participants-person')
    expect(await barriers(page)).toEqual([])
    await renamed.getByRole('button', { name: 'Delete data' }).click()
    await page.getByRole('dialog', { name: 'Delete the data' }).getByRole('button', { name: 'Delete data' }).click()
    await page.getByText('The data are deleted.').waitFor()
    expect(JSON.stringify((await list(alice, activity)).items)).not.toMatch(/Ben|Vegan|XL/)
  })

  test('moves a person to another activity', async () => {
    const from = await open('Morning walk')
    const to = await open('Evening walk')
    await add(from.id, { name: 'Ann' })
    const page = await browser.signedIn(alice)
    await page.goto(pathOf(from))
    const person = await openPerson(page, 'Ann')
    await person.getByRole('button', { name: 'Move to another activity' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move Ann to another activity' })
    await dialog.getByLabel('Activity').click()
    await page.getByRole('option', { name: 'Evening walk' }).click()
    await dialog.getByRole('button', { name: 'Move' }).click()
    await page.getByText('Moved to “Evening walk”.').waitFor()
    expect([await statesOf(from), await statesOf(to)]).toEqual([['Ann CANCELLED'], ['Ann CONFIRMED']])
  })

  test('checks a person in by hand, and takes it back', async () => {
    const activity = await open('Fair', {}, { hasCheckIn: true })
    await add(activity.id, { name: 'Ann' })
    const page = await browser.signedIn(alice)
    await page.goto(pathOf(activity))
    const person = await openPerson(page, 'Ann')
    await person.getByRole('button', { name: 'Check in by hand' }).click()
    await person.getByText(/^Checked in \S/).waitFor()
    expect((await list(alice, activity, { checkedIn: true })).total).toBe(1)
    await person.getByRole('button', { name: 'Undo' }).click()
    await person.getByText('Not checked in').waitFor()
    expect((await list(alice, activity, { checkedIn: true })).total).toBe(0)
  })
})

describe('on a phone in Chinese', () => {
  for (const isDark of [false, true])
    test(`list, sheet and dialogs fit, ${isDark ? 'dark' : 'light'}`, async () => {
      const activity = await open('社区园艺活动', { capacity: 1 })
      for (const person of [bob, carol]) ok(await register(person, activity, { answers: { size: 'M' } }))
      const page = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN', isDark })
      const check = async (name: string) => {
        await screenshot(page, `participants-phone-${name}-${isDark ? 'dark' : 'light'}`)
        expect({ name, isTooWide: await isTooWide(page), barriers: await barriers(page) }).toEqual({
          name,
          isTooWide: false,
          barriers: [],
        })
      }
      await page.goto(pathOf(activity))
      await page.getByText('候补 · 第 1 位').waitFor()
      await check('list')
      await page.locator('li a').first().click()
      await page.getByRole('dialog').getByText('消息和通知').waitFor()
      await check('sheet')
      await page.getByRole('button', { name: '调整位次' }).click()
      await page.getByRole('textbox', { name: '候补位次' }).waitFor()
      await check('position')
    })
})

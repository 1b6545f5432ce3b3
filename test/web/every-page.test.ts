/**
 * Walks all pages of the web application and their tabs: those that the records of the areas name, with rows of every kind. Each page has a
 * heading and a title, fits a phone, shows words instead of values of the interface, and has no barriers, in English and Chinese, light and dark.
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import type { Page } from 'playwright-core'

import { pointName, points } from '#permission-points'

import { FIXTURES } from '../contract/fixtures.ts'
import openapi from '../contract/openapi.json' with { type: 'json' }
import { ok, type Person, useServer } from '../harness/index.ts'
import { isolation as push } from '../push/isolation.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

/** The parts of an area's record (src/web/areas/area.ts) that this test reads. */
interface Area {
  readonly menu?: readonly {
    readonly to: string
    readonly group: string
    readonly label: Record<'en' | 'zh', string>
  }[]
  readonly pages?: readonly { readonly path: string; readonly needs?: string }[]
}

/** The records of the areas call `part` for each page. */
const withoutParts: Bun.BunPlugin = {
  name: 'without-parts',
  setup(build) {
    build.onResolve({ filter: /\/ui\/part\.tsx$/ }, () => ({ path: 'part', namespace: 'none' }))
    build.onLoad({ filter: /./, namespace: 'none' }, () => ({ loader: 'js', contents: 'export const part = () => {}' }))
  },
}

/** Bundles the list of areas without its pages and loads it. Loading it directly would also load ten thousand icons. */
async function readAreas(): Promise<readonly Area[]> {
  const outdir = mkdtempSync(join(tmpdir(), 'tessera-areas-'))
  const { outputs } = await Bun.build({
    entrypoints: [resolve(import.meta.dir, '../../src/web/shell/areas.ts')],
    external: ['*.tsx'],
    plugins: [withoutParts],
    target: 'bun',
    // Read when the records are loaded.
    banner:
      "const window = new EventTarget(), document = { documentElement: {}, querySelector() {} }, navigator = { languages: ['en'] }",
    outdir,
  })
  const { areas } = (await import(outputs[0]!.path)) as { areas: readonly Area[] }
  rmSync(outdir, { recursive: true })
  return areas
}

/** The pages without an entry in the menu that the command palette finds. Not imported: the types of browsers are unknown here. */
const { OTHER_PAGES: otherPages } = (await import(
  resolve(import.meta.dir, '../../src/web/shell/palette/pages.ts')
)) as { OTHER_PAGES: readonly { readonly to: string }[] }
const areas = await readAreas()
const pages = areas.flatMap((area) => area.pages ?? [])
const menu = areas.flatMap((area) => area.menu ?? [])

/** Rows of the fixtures that `:id` in the paths of pages stands for. */
const ROWS: readonly (readonly [path: RegExp, row: string])[] = [
  [/^\/admin\/access\/roles\/:/, 'role'],
  [/^\/admin\/activities\/:/, 'activity'],
  [/^\/admin\/agreements\/:/, 'agreement'],
  [/^\/admin\/orgs\/:/, 'org'],
  [/^\/admin\/users\/:/, 'user'],
  [/^\/activities\/:/, 'activity'],
  [/^\/assets\/fields\/templates\/:/, 'template'],
  [/^\/assets\/inventories\/:/, 'inventory'],
  [/^\/assets\/supplies\/:/, 'supply'],
  [/^\/assets\/:/, 'asset'],
  [/^\/found\/:/, 'foundReport'],
  [/^\/chats\/with\/:/, 'chatFriend'],
  [/^\/chats\/:/, 'conversation'],
  [/^\/codes\/:/, 'code'],
  [/^\/contacts\/:/, 'contact'],
  [/^\/labels\/:/, 'label'],
  [/^\/notifications\/:/, 'notification'],
  [/^\/orgs\/:/, 'org'],
  [/^\/places\/:/, 'placeUuid'],
  [/^\/reservations\/:/, 'reservation'],
  [/^\/s\/:/, 'unknown'],
  [/^\/take\/:/, 'supplyUuid'],
]

const NAME = 'Garden club spring fair 游园会'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)
const owned: Record<string, number | string> = {}

test('the command palette leads to pages that exist', () => {
  const paths = otherPages.map(({ to }) => to.split('?')[0]!)
  expect(paths.filter((path) => !pages.some((page) => page.path === path))).toEqual([])
})

beforeAll(async () => {
  // The rows of `push` are shown on no page, and their addresses may not contain spaces.
  for (const { make } of FIXTURES.filter((fixture) => fixture !== push))
    Object.assign(owned, await make({ server, admin, victim: alice, mark: NAME, owned }))
  const params = { objectName: 'asset' } as const
  const messages = { params: { id: Number(owned['activity']) } }
  ok(await alice.call('activityMessages.create', { ...messages, body: { subject: NAME, body: NAME } }))
  owned['activityMessage'] = ok(await alice.call('activityMessages.list', messages)).data.items[0]!.id
  owned['template'] = ok(await alice.call('metadata.createTemplate', { params, body: { name: NAME } })).data.id
  owned['unknown'] = 'activity'
  const inOrg = { params: { orgId: Number(owned['org']) }, body: { name: NAME } }
  owned['placeUuid'] = ok(await alice.call('locations.create', inOrg)).data.uuid
  owned['supplyUuid'] = ok(await alice.call('supplies.get', { params: { id: Number(owned['supply']) } })).data.uuid
  owned['user'] = alice.id
  owned['agreement'] = ok(await admin.call('agreements.list')).data.items[0]!.id
  owned['role'] = ok(await admin.call('access.listRoles')).data.items[0]!.id
  // The fixture of agreements publishes some, which would otherwise be asked for on each page.
  for (const person of [admin, alice, bob])
    for (const type of ['SERVICE', 'PRIVACY'] as const) {
      const { version } = ok(await person.call('agreements.current', { query: { type } })).data
      ok(await person.call('agreements.accept', { body: { type, version } }))
    }
})

const isAdminPath = (path: string): boolean => path.startsWith('/admin')

/** The address of a page, with the id of a row. */
function addressOf(path: string): string {
  if (!path.includes(':')) return path
  const row = ROWS.find(([pattern]) => pattern.test(path))?.[1]
  if (row === undefined || owned[row] === undefined) throw new Error(`ROWS names no row of a fixture for ${path}`)
  return path.replace(':messageId', String(owned['activityMessage'])).replaceAll(/:\w+\??/g, String(owned[row]))
}

const NOWHERE = /This page does not exist|页面不存在/

/** Follows a link inside the web application, and waits until the page has its data. */
async function open(page: Page, address: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 })
  const go = (path: string) =>
    page.evaluate(`history.pushState(null, '', '/console${path}'); dispatchEvent(new PopStateEvent('popstate'))`)
  // The page before must be gone, because the new one may have the same heading.
  await go('/nowhere')
  await heading.filter({ hasText: NOWHERE }).waitFor()
  await go(address)
  await heading.filter({ hasNotText: NOWHERE }).first().waitFor()
  await settled(page)
}

/** Waits until nothing is loading or changing its colour. The policy of the page forbids the functions of Playwright that poll inside it. */
const settled = (page: Page) =>
  page.evaluate(`new Promise((resolve, reject) => {
    const started = performance.now()
    const isMoving = ({ playState, effect }) => playState === 'running' && effect.getComputedTiming().endTime !== Infinity
    const isLoading = () =>
      [...document.querySelectorAll(${JSON.stringify(LOADING)})].some((e) => e.checkVisibility()) ||
      document.getAnimations().some(isMoving)
    const look = () => {
      if (!isLoading()) resolve()
      else if (performance.now() - started > 120_000) reject(new Error('it is still loading after two minutes'))
      else setTimeout(look, 20)
    }
    look()
  })`)

const LOADING = '[role=progressbar]:not([aria-valuenow]), .MuiSkeleton-root, [aria-busy=true]'

/** Values of the interface that people should never see, such as `IN_USE`. */
const VALUES = new Set(
  JSON.stringify(openapi)
    .matchAll(/"enum":\[([^\]]*)\]/g)
    .flatMap(([, values]) => values!.match(/[A-Z][A-Z_]{3,}/g) ?? []),
)
/** Words that are values too. */
for (const word of ['JSON', 'POST', 'PATCH', 'DELETE', 'LINUX', 'MACOS', 'WINDOWS', 'SECRET']) VALUES.delete(word)

/** Texts of the page that a person would not understand. */
async function strangeTexts(page: Page): Promise<string[]> {
  const texts = await page.evaluate<string[]>(`(() => {
    const texts = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { parentElement, data } = walker.currentNode
      if (data.trim() !== '' && !parentElement.closest('code, pre, kbd, script, style, textarea') && parentElement.checkVisibility())
        texts.push(data.trim())
    }
    return texts
  })()`)
  return texts.filter(
    (text) =>
      /\b(ra|resources)\.[a-z]|\bundefined\b|\bNaN\b|\[object |Invalid Date|^null$/.test(text) ||
      text.split(/[^A-Z_]+/).some((word) => VALUES.has(word)),
  )
}

/** All that is wrong with one page and each of its tabs. */
async function findingsOf(page: Page, address: string, name: string, rules?: readonly string[]): Promise<object[]> {
  try {
    await open(page, address)
  } catch (error) {
    const shown = await page.getByRole('main').innerText()
    return [{ address, 'did not load': (error as Error).message.split('\n', 1)[0], shown: shown.slice(0, 200) }]
  }
  const found: object[] = []
  const look = async (tab: string) => {
    const wrong = await wrongWith(page, rules)
    if (wrong !== undefined) found.push({ address, tab, ...wrong })
    await screenshot(page, `${name}${`${address} ${tab}`.trimEnd().replaceAll(/\W+/g, '-')}`)
  }
  await look('')
  // A tab that is a link leads to a page of its own.
  const tabs = page.locator('#main-content [role=tab]:not(a, [aria-selected=true], :disabled)')
  for (const tab of await tabs.allInnerTexts()) {
    await page.locator('#main-content').getByRole('tab', { name: tab, exact: true }).first().click()
    await settled(page)
    await look(tab)
  }
  return found
}

/** All that is wrong with the page as it is shown now. Undefined if nothing is. */
async function wrongWith(page: Page, rules?: readonly string[]): Promise<object | undefined> {
  const headings = await page.locator('h1:visible').count()
  const found: Readonly<Record<string, readonly string[]>> = {
    barriers: await barriers(page, rules),
    'strange texts': await strangeTexts(page),
    errors: await page
      .getByRole('alert')
      .filter({ hasText: /Request ID|请求编号/i })
      .allInnerTexts(),
    others: [
      ...((await isTooWide(page)) ? ['wider than the window'] : []),
      ...(headings === 1 ? [] : [`${headings} first headings`]),
      ...((await page.title()) === 'Tessera' ? ['no title'] : []),
    ],
  }
  const wrong = Object.entries(found).filter(([, list]) => list.length > 0)
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong)
}

type Locale = 'en' | 'zh-CN'

/**
 * Of axe. The two walks differ in the colours of each device and in the words, which all have both languages by their types, so the second one
 * looks at contrast only: axe takes half of the time of a page, and contrast half of that.
 */
const RULES: Readonly<Record<Locale, readonly string[] | undefined>> = { en: undefined, 'zh-CN': ['color-contrast'] }

/** Opens all addresses on a desktop and on a phone. One of them is light, the other one dark. */
async function walk(person: Person, locale: Locale, addresses: readonly string[]): Promise<void> {
  const devices = [
    { isPhone: false, isDark: locale !== 'en' },
    { isPhone: true, isDark: locale === 'en' },
  ]
  const findings = await Promise.all(
    devices.map(async (device) => {
      const name = `${locale}-${device.isPhone ? 'phone' : 'desktop'}`
      const page = await browser.signedIn(person, { ...device, locale })
      await page.goto('/console/')
      await page.getByRole('heading', { level: 1 }).waitFor()
      const found: object[] = []
      for (const address of addresses) found.push(...(await findingsOf(page, address, name, RULES[locale])))
      return found.map((finding) => ({ on: name, ...finding }))
    }),
  )
  expect(findings.flat()).toEqual([])
}

test('each entry of the menu leads to a page', () => {
  const known = new Set(pages.map(({ path }) => path))
  expect(menu.map(({ to }) => to).filter((to) => !known.has(to))).toEqual([])
})

for (const locale of ['en', 'zh-CN'] as const)
  describe(`in ${locale === 'en' ? 'English' : 'Chinese'}`, () => {
    test('the pages of all users', async () => {
      // There is no activity with that address, and its page says so.
      browser.allow(/^\/console\/s\/activity\/activity: error: Failed to load resource: .* 404/)
      const own = pages.filter(({ path }) => !isAdminPath(path))
      const others = ['/', `/codes/print?ids=${owned['code']}`, `/assets/labels?ids=${owned['asset']}`]
      await walk(alice, locale, [...others, ...own.map(({ path }) => addressOf(path))])
    })

    test('the pages of administrators', async () => {
      const own = pages.filter(({ path }) => isAdminPath(path)).map(({ path }) => addressOf(path))
      await walk(admin, locale, own)
    })
  })

/** Signs in `bob` with a role of exactly these points, and opens the start page. */
async function withRole(name: string, permissions: readonly string[], isPhone: boolean): Promise<Page> {
  const body = { code: name, name, domain: 'PLATFORM' as const, permissions: [...permissions] }
  const { id } = ok(await admin.call('access.createRole', { body })).data
  const roles = ok(await admin.call('access.listUserRoles', { params: { userId: bob.id } })).data.items
  for (const role of roles.filter(({ domain }) => domain === 'PLATFORM'))
    ok(await admin.call('access.revokeRole', { params: { userId: bob.id, roleId: role.roleId } }))
  ok(await admin.call('access.grantRole', { params: { userId: bob.id }, body: { roleId: id } }))
  const page = await browser.signedIn(bob, { isPhone })
  await page.goto('/console/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

// A refused request appears in the console of the browser, which fails the test.
test('administrators who may only read see all tables without a refusal, and no button that changes something', async () => {
  const reading = points.filter(({ domain, action }) => domain === 'PLATFORM' && action === 'read').map(pointName)
  const page = await withRole('READER', reading, false)
  const found: object[] = []
  const isForm = (path: string) => /\/(create|:id)$/.test(path) && !path.startsWith('/admin/access')
  const own = pages.filter(({ path }) => isAdminPath(path) && !isForm(path)).map(({ path }) => addressOf(path))
  for (const address of own) {
    if (address === '/admin/words') continue // Words have one right for reading and writing, which this role does not have.
    await open(page, address)
    const main = page.locator('#main-content')
    const buttons = await main.locator('[data-create], .MuiButton-colorError, tbody [type=checkbox]').count()
    const alerts = await main.getByRole('alert').filter({ hasText: 'Request' }).count()
    if (buttons + alerts > 0) found.push({ address, buttons, alerts })
  }
  expect(found).toEqual([])
  expect(await page.getByRole('link', { name: 'Reported messages' }).count()).toBe(0)
})

test('administrators with few rights get no refusals from pages that also show other things', async () => {
  for (const [name, permissions, address] of [
    ['FIELDS', ['meta_field:read', 'meta_field:create'], '/admin/fields'],
    ['TEMPLATES', ['meta_template:read'], '/admin/templates'],
    ['ROLES', ['rbac_role:read'], '/admin/access'],
    ['NOTIFIER', ['notification:read', 'notification:send'], '/admin/notifications/create'],
    ['FOUNDER', ['org:read', 'org:create'], '/admin/orgs/create'],
  ] as const) {
    const page = await withRole(name, permissions, true)
    await open(page, address)
    // A page that is left open may ask for something that the next role does not allow.
    await page.close()
  }
})

test('administrators see only the pages that their role allows, and other addresses say so', async () => {
  const page = await withRole('RECEPTION', ['user:read', 'notification:read'], false)
  await page.goto('/console/admin/users')
  await page.getByRole('link', { name: 'alice' }).first().waitFor()
  const links = await page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href^="/console/admin/"]:not(#main-content a)')].map((link) => link.getAttribute('href'))`,
  )
  expect(links.toSorted()).toEqual(['/console/admin/notifications', '/console/admin/users'])
  await page.goto('/console/admin/orgs')
  await page
    .getByText(/not allowed|permission|access/i)
    .first()
    .waitFor()
  expect(await page.getByRole('table').count()).toBe(0)
})

test('users without a role see no entries of administrators, and their pages show nothing', async () => {
  const page = await browser.signedIn(alice)
  await page.goto('/console/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.locator('a[href*="/admin"]').count()).toBe(0)
  for (const { path } of pages.filter(({ path, needs }) => isAdminPath(path) && needs !== undefined)) {
    await open(page, addressOf(path))
    await page.getByRole('heading', { name: 'No access' }).waitFor()
    expect(await page.getByRole('row').count(), path).toBe(0)
  }
})

/** Pages that show the workspace of an organization. */

import type { Page } from 'playwright-core'

import type { Person } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import type { PageOptions, TestBrowser } from './browser.ts'

/** A page of a user who works for the organization. */
export async function openAs(
  browser: TestBrowser,
  person: Person,
  orgId: number,
  options: PageOptions = {},
): Promise<Page> {
  const page = await browser.signedIn(person, options)
  const key = `tessera.workspace.${person.id}`
  await page.evaluate(([name, value]) => localStorage.setItem(name!, value!), [key, String(orgId)])
  return page
}

/** A new organization of the user, and a page that shows its workspace. */
export async function newWorkspace(
  browser: TestBrowser,
  person: Person,
  options: PageOptions = {},
): Promise<{ orgId: number; page: Page }> {
  const org = await createOrg(person)
  return { orgId: org.id, page: await openAs(browser, person, org.id, options) }
}

/** Chooses an entry of a list that opens when it is clicked. In an open dialog, the list of the dialog. */
export async function choose(page: Page, label: string | RegExp, entry: string | RegExp): Promise<void> {
  const dialog = page.getByRole('dialog')
  const place = (await dialog.count()) > 0 ? dialog : page
  await place.getByLabel(label).first().click()
  await page.getByRole('option', { name: entry }).first().click()
}

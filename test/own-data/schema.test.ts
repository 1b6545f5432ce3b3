/** Each table that refers to users is in data exports, or is left out with a reason. A new table must decide. */

import { expect, test } from 'bun:test'

import { getTableColumns, getTableName, is, Table } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'

import { domains } from '#app'
import { dialect } from '#db/dialect.ts'
import * as schema from '#db/schema/index.ts'
import type { Domain } from '#domains/domain.ts'

const SECRET = 'It holds secrets, or hashes of them.'
const COUNTER = 'It repeats or counts rows of other tables.'
const WORK = 'It is work that waits for a job, and is empty otherwise.'
const OF_OTHERS = 'It is about other people, whose data the user does not get.'
const OF_ORGANIZATION = 'It is the history of an organization.'
const TECHNICAL = 'It makes requests or devices repeat safely, and says nothing else about the user.'

const LEFT_OUT: Readonly<Record<string, string>> = {
  verification_codes: SECRET,
  email_undos: SECRET,
  totp_secrets: SECRET,
  recovery_codes: SECRET,
  oidc_states: SECRET,
  oidc_tickets: SECRET,
  user_import_sheets: SECRET,
  required_passkeys: 'The passkeys say it.',
  oidc_memberships: 'The memberships say whether a provider gave them.',
  storage_usage: COUNTER,
  scan_record_counts: COUNTER,
  check_in_users: COUNTER,
  list_totals: COUNTER,
  list_changes: COUNTER,
  asset_numbers: COUNTER,
  supply_numbers: COUNTER,
  asset_map_cells: COUNTER,
  asset_places: COUNTER,
  asset_maintenance_dues: COUNTER,
  message_cards: COUNTER,
  asset_clean_ups: WORK,
  asset_category_clean_ups: WORK,
  asset_maintenance_work: WORK,
  category_clean_ups: WORK,
  content_erasures: WORK,
  removals: WORK,
  meta_removed_owners: WORK,
  notification_send_recipients: WORK,
  activity_batches: WORK,
  asset_imports: WORK,
  user_imports: WORK,
  file_uploads: WORK,
  webhook_scans: WORK,
  data_exports: 'The list of exports in the account shows them.',
  activity_gates: OF_ORGANIZATION,
  activity_invitations: OF_OTHERS,
  pass_issues: OF_OTHERS,
  pass_uses: OF_OTHERS,
  inventory_items: OF_ORGANIZATION,
  asset_import_snapshots: 'Former values of assets, sealed for an undo.',
  supply_import_snapshots: 'Former values of supplies, sealed for an undo.',
  notification_sends: OF_ORGANIZATION,
  app_updates: OF_ORGANIZATION,
  org_transfers: OF_ORGANIZATION,
  contact_lookups: 'Kept for a day. It only names people whom the user has looked up.',
  message_reactions: 'Messages have them.',
  message_deletions: 'The messages are left out.',
  message_keys: TECHNICAL,
  chat_cursors: TECHNICAL,
  repeat_keys: TECHNICAL,
  supply_requests: TECHNICAL,
  sync_access: TECHNICAL,
  sync_horizons: TECHNICAL,
  sync_tombstones: TECHNICAL,
  asset_digests: TECHNICAL,
  qr_slugs: 'Short links are in the rows of QR codes and labels.',
  mail_choices: 'Choices of addresses, of which there is a hash only.',
}

/** Besides foreign keys: columns that hold ids of users or owners. */
const OF_USERS = /(^|_)user_id$|^owner$|_by$|^(actor|operator|sender|uploader|invitee|inviter|candidate|custodian)_id$/

function refersToUsers(table: SQLiteTable): boolean {
  if (Object.values(getTableColumns(table)).some(({ name }) => OF_USERS.test(name))) return true
  // The schema is the same on both databases.
  if (dialect !== 'sqlite') return false
  return getTableConfig(table).foreignKeys.some((key) => getTableName(key.reference().foreignTable) === 'users')
}

test('a table that refers to users is exported, or left out with a reason', () => {
  const tables = (Object.values(schema) as unknown[]).filter((one): one is SQLiteTable => is(one, Table))
  const exported = new Set(
    (domains as readonly Domain[]).flatMap(({ dataAreas = [] }) =>
      dataAreas.flatMap((area) => area.tables.map((table) => getTableName(table))),
    ),
  )
  const needed = tables.filter(refersToUsers).map((table) => getTableName(table))
  expect(needed.length).toBeGreaterThan(60)
  expect(needed.filter((name) => !exported.has(name) && LEFT_OUT[name] === undefined)).toEqual([])
  if (dialect === 'sqlite')
    expect(Object.keys(LEFT_OUT).filter((name) => exported.has(name) || !needed.includes(name))).toEqual([])
})

test('no area has a column whose name sounds like a secret, and names are unique', () => {
  const areas = (domains as readonly Domain[]).flatMap(({ dataAreas = [] }) => dataAreas)
  const names = areas.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  const columns = areas.flatMap((area) => area.columns.map((column) => `${area.name}.${column}`))
  expect(
    columns.filter((column) => /hash|secret|token|password(?!$)|deviceKey|endpoint|cardCode/i.test(column)),
  ).toEqual(['profile.hasPassword'].filter((column) => /password(?!$)/i.test(column)))
})

/**
 * All permission points: permission domain, resource, action, and a description. 212 in all: PLATFORM 76, APP 73, ORG 63
 * (spec §2.7). `seed.ts` writes them to the database. `docs/permissions.md` shows which endpoints ask for them and which roles hold
 * them.
 *
 * - PLATFORM: the console, with the data of all users.
 * - APP: the caller's own data. Users need no point to manage their own account (password, sessions, devices, leaving an organization),
 *   so that no change of a role can lock them out.
 * - ORG: the data of one organization, for users who hold a role in it.
 *
 * Resources that only serve another one (nickname words, pass templates, asset categories, inventories) have a single point `manage` for
 * writing; the read point of the other resource covers reading.
 */

import type { PermissionDomain } from '#db/schema/access.ts'

type Table = Record<string, Record<string, string>>

/** Access `dual` asks for the ORG point if the request names an organization, and otherwise for the APP point. */
const DUAL = {
  qr_code: {
    read: 'View QR codes, their trash and their statistics',
    create: 'Create QR codes, one or several at once',
    update: 'Update, pin and restore QR codes',
    delete: 'Delete QR codes and empty the trash',
    publish: 'Make QR codes public or private',
    export: 'Export QR codes',
  },
  album: {
    read: 'View the photo album',
    create: 'Add photos to the album',
    delete: 'Delete photos from the album',
  },
  asset: {
    read: 'View assets, their categories, transfers, inventories and the map',
    create: 'Create assets',
    update: 'Update assets',
    delete: 'Delete assets',
    import: 'Import assets from a spreadsheet',
    export: 'Export assets to a spreadsheet',
    transfer: 'Transfer assets',
    scrap: 'Scrap assets',
  },
  asset_category: { manage: 'Create, update, order and delete asset categories' },
  inventory: {
    manage: 'Open, update and close inventories',
    scan: 'Scan assets for an inventory',
  },
  activity: {
    read: 'View activities and their QR codes',
    create: 'Create activities',
    update: 'Update activities and reset their invite code',
    delete: 'Delete activities',
    publish: 'Publish, end and cancel activities',
  },
  checkin: {
    create: 'Check in',
    read: 'View check-in records',
  },
  pass: {
    read: 'View issued passes, their use and their templates',
    issue: 'Issue passes',
    verify: 'Redeem passes',
    revoke: 'Revoke passes',
  },
  pass_template: { manage: 'Create, update and delete pass templates' },
} as const satisfies Table

/** The caller's own metadata in APP, the metadata of the organization in ORG. */
const META = {
  meta_field: {
    read: 'View metadata fields',
    create: 'Create metadata fields',
    update: 'Update metadata fields',
    delete: 'Delete metadata fields',
  },
  meta_template: {
    read: 'View metadata templates, their fields and the items they are bound to',
    create: 'Create and copy metadata templates',
    update: 'Update metadata templates and their fields',
    delete: 'Delete metadata templates',
    bind: 'Bind metadata templates to items and unbind them',
  },
  meta_value: {
    read: 'View metadata values and search by them',
    update: 'Update metadata values',
  },
} as const satisfies Table

const APP = {
  ...DUAL,
  ...META,
  meta_object: { read: 'View the object types that can have metadata' },
  category: {
    read: 'View QR code categories',
    create: 'Create QR code categories',
    update: 'Update, move, pin and order QR code categories',
    delete: 'Delete QR code categories',
  },
  scan_record: {
    read: 'View scan records and their statistics',
    create: 'Create scan records',
    update: 'Update scan records',
    delete: 'Delete scan records',
  },
  file: {
    read: 'View files and download them with signed links',
    upload: 'Upload files',
    delete: 'Delete files',
  },
  notification: {
    read: 'Read notifications',
    update: 'Mark notifications as read',
    delete: 'Delete notifications',
  },
  sync: {
    pull: 'Fetch changes for offline use, and list conflicts',
    push: 'Send offline changes, and resolve conflicts',
  },
  org: {
    read: 'View your organizations and invitations, and discover public organizations',
    create: 'Create organizations',
    join: 'Join organizations by organization code, application or invitation',
  },
  user: { search: 'Search for other users' },
  contact: {
    read: 'View your contacts, contact requests and contact card',
    create: 'Send and answer contact requests',
    update: 'Update contacts, the block list, the contact card code and contact privacy',
    delete: 'Delete contacts',
  },
  chat: {
    read: 'Read conversations, and pin, mute and mark them',
    send: 'Send, forward and recall messages',
    delete: 'Delete conversations and their records',
  },
  account: { delete: 'Delete your account' },
  account_link: { create: 'Link another account to yours' },
} as const satisfies Table

const ORG = {
  ...DUAL,
  ...META,
  org: {
    read: 'View the organization, its QR code and its statistics',
    update: 'Update the organization and reset its organization code',
    delete: 'Dissolve the organization',
    transfer: 'Transfer the organization to another member',
  },
  member: {
    read: 'View the members',
    update: 'Change the display names of members in the organization',
    assign_role: 'Change the roles of members',
    delete: 'Remove members',
  },
  invitation: {
    read: 'View the invitations of the organization',
    create: 'Invite users and send the join link',
    cancel: 'Cancel invitations',
  },
  join_request: {
    read: 'View join requests',
    approve: 'Approve and reject join requests',
  },
  location: {
    read: 'View the locations',
    create: 'Create locations',
    update: 'Update, pin and order locations',
    delete: 'Delete locations',
  },
  share: {
    read: 'View items shared with the organization',
    create: 'Share copies with the organization',
    delete: 'Delete shared copies',
  },
} as const satisfies Table

const PLATFORM = {
  statistics: { read: 'View the dashboard' },
  system: { read: 'View the version, load and metrics of the server' },
  user: {
    read: 'View all users, their identities and memberships',
    create: 'Create users',
    update: 'Update, disable and enable users',
  },
  org: {
    read: 'View all organizations and their members',
    create: 'Create organizations',
    update: 'Update organizations',
    delete: 'Dissolve organizations',
    transfer: 'Transfer organizations to another owner',
  },
  org_member: {
    create: 'Add users to organizations',
    update: 'Change the roles of organization members',
    delete: 'Remove members from organizations',
  },
  qr_code: {
    read: 'View all QR codes',
    delete: 'Delete any QR code',
  },
  asset: {
    read: 'View all assets and their metadata',
    scrap: 'Scrap any asset',
    delete: 'Delete any asset',
  },
  activity: {
    read: 'View all activities',
    create: 'Create activities for other users',
    update: 'Update any activity',
    delete: 'Delete any activity',
  },
  checkin: {
    read: 'View all check-in records',
    delete: 'Delete any check-in record',
  },
  pass: {
    read: 'View all passes',
    revoke: 'Revoke any pass',
    delete: 'Delete any pass',
  },
  album: {
    read: 'View all album photos',
    delete: 'Delete any album photo',
  },
  category: {
    read: 'View all QR code and asset categories',
    delete: 'Delete any QR code or asset category',
  },
  notification: {
    read: 'View sent notifications',
    send: 'Send notifications to users, an organization or everyone',
    delete: 'Delete notifications',
  },
  share: {
    read: 'View all shared copies',
    delete: 'Delete any shared copy',
  },
  setting: {
    read: 'View the business and chat settings',
    update: 'Update the business and chat settings',
  },
  admin_log: { read: 'View the operation log' },
  file: {
    read: 'View all files, their statistics and orphaned files',
    delete: 'Delete any file and clean up orphaned files',
  },
  login_record: { read: 'View the login records of all users' },
  session: {
    read: 'View the sessions of any user',
    revoke: 'Revoke any session',
  },
  account_link: {
    read: 'View all account links',
    create: 'Link accounts of other users',
    delete: 'Delete any account link',
  },
  scan_record: { read: 'View all scan records' },
  nickname_word: { manage: 'View, create, update and delete the words used for nicknames' },
  agreement: {
    read: 'View all versions of the agreements',
    publish: 'Publish agreements and reactivate older versions',
  },
  markdown: { render: 'Preview Markdown' },
  chat: { read: 'View chat statistics' },
  app_update: {
    read: 'View all app updates',
    publish: 'Publish app updates and manage publisher keys',
  },
  meta_object: {
    read: 'View the object types that can have metadata',
    create: 'Register object types that can have metadata',
    update: 'Enable and disable object types that can have metadata',
  },
  meta_field: {
    read: 'View metadata fields of every scope',
    create: 'Create metadata fields of any scope',
    update: 'Update any metadata field',
    delete: 'Delete any metadata field',
  },
  meta_template: {
    read: 'View global and organization metadata templates',
    create: 'Create global and organization metadata templates',
    update: 'Update metadata templates and their fields',
    delete: 'Delete metadata templates',
  },
  rbac_permission: {
    read: 'View the permission points',
    create: 'Create permission points',
    update: 'Enable, disable and describe permission points',
  },
  rbac_role: {
    read: 'View roles and role templates',
    create: 'Create roles',
    update: 'Update roles and their permission points',
    delete: 'Delete roles',
  },
  rbac_user_role: {
    read: 'View the roles of a user, and why a permission is granted or denied',
    grant: 'Grant roles to users, and appoint or remove administrators',
    revoke: 'Revoke roles from users',
  },
} as const satisfies Table

export interface PermissionPoint {
  readonly domain: PermissionDomain
  readonly resource: string
  readonly action: string
  /** In English. Administrators can change the copy in the database. */
  readonly description: string
}

type PointOf<T> = { [R in keyof T & string]: `${R}:${keyof T[R] & string}` }[keyof T & string]
export type PlatformPoint = PointOf<typeof PLATFORM>
export type AppPoint = PointOf<typeof APP>
export type OrgPoint = PointOf<typeof ORG>
/** Points that exist in both APP and ORG. */
export type DualPoint = PointOf<typeof DUAL> | PointOf<typeof META>

const list = (domain: PermissionDomain, table: Table): PermissionPoint[] =>
  Object.entries(table).flatMap(([resource, actions]) =>
    Object.entries(actions).map(([action, description]) => ({ domain, resource, action, description })),
  )

export const points: readonly PermissionPoint[] = [
  ...list('PLATFORM', PLATFORM),
  ...list('APP', APP),
  ...list('ORG', ORG),
]

/** `resource:action`, the name of a point in endpoints and in the API. */
export const pointName = (point: { resource: string; action: string }): string => `${point.resource}:${point.action}`

/** The names of all points of a permission domain. */
export const pointsOf = (domain: PermissionDomain): string[] => points.filter((p) => p.domain === domain).map(pointName)

/** Resources without a point `read` of their own, and those whose read point covers them. */
const READ_WITH: Readonly<Record<string, string>> = {
  asset_category: 'asset',
  inventory: 'asset',
  pass_template: 'pass',
}

/** The point that reading the rows of a point's resource requires, in the same permission domain. */
export function readPointOf(point: DualPoint): string {
  const resource = point.slice(0, point.indexOf(':'))
  return `${READ_WITH[resource] ?? resource}:read`
}

/**
 * Every permission point: domain, resource, action, and what it lets one do. 212 in all, PLATFORM 76, APP 73, ORG 63
 * (spec §2.7). `seed.ts` writes them to the database; `docs/permissions.md` shows where each is asked for and who holds it.
 *
 * - PLATFORM: the console; the rows of everybody.
 * - APP: a person's own things. Looking after one's own account (password, sessions, devices, leaving an organization) needs no
 *   point, so that no edit of a role can lock a person out.
 * - ORG: the things of one organization, for those who hold a role in it.
 *
 * A helper of another resource (nickname words, pass templates, asset categories, inventories) has one point `manage` to write it;
 * reading it goes with reading what it helps.
 */

import type { Domain } from '#db/schema/access.ts'

type Table = Record<string, Record<string, string>>

/** Asked for in the ORG domain when a request names an organization, else in the APP domain (access `dual`). */
const DUAL = {
  qr_code: {
    read: 'See QR codes, their trash and their statistics',
    create: 'Make QR codes, one or many at once',
    update: 'Change, pin and restore QR codes',
    delete: 'Delete QR codes and empty the trash',
    publish: 'Make QR codes public or private',
    export: 'Download QR codes in bulk',
  },
  album: {
    read: 'See the photo album',
    create: 'Add photos to the album',
    delete: 'Delete photos of the album',
  },
  asset: {
    read: 'See assets, their categories, transfers, inventories and the map',
    create: 'Register assets',
    update: 'Change assets',
    delete: 'Delete assets',
    import: 'Import assets from a spreadsheet',
    export: 'Export assets to a spreadsheet',
    transfer: 'Hand assets over',
    scrap: 'Scrap assets',
  },
  asset_category: { manage: 'Add, change, order and delete asset categories' },
  inventory: {
    manage: 'Open, change and close inventories',
    scan: 'Scan assets for an inventory',
  },
  activity: {
    read: 'See activities and their QR codes',
    create: 'Make activities',
    update: 'Change activities and reset their invite code',
    delete: 'Delete activities',
    publish: 'Publish, end and cancel activities',
  },
  checkin: {
    create: 'Check in',
    read: 'See who checked in',
  },
  pass: {
    read: 'See issued passes, their use and their templates',
    issue: 'Issue passes',
    verify: 'Redeem passes',
    revoke: 'Revoke passes',
  },
  pass_template: { manage: 'Add, change and delete pass templates' },
} as const satisfies Table

/** Metadata of one's own in the APP domain, of the organization in the ORG domain. */
const META = {
  meta_field: {
    read: 'See metadata fields',
    create: 'Add metadata fields',
    update: 'Change metadata fields',
    delete: 'Delete metadata fields',
  },
  meta_template: {
    read: 'See metadata templates, their fields and what they are bound to',
    create: 'Add and copy metadata templates',
    update: 'Change metadata templates and their fields',
    delete: 'Delete metadata templates',
    bind: 'Bind metadata templates to things, and unbind them',
  },
  meta_value: {
    read: 'See metadata values and search by them',
    update: 'Fill in metadata values',
  },
} as const satisfies Table

const APP = {
  ...DUAL,
  ...META,
  meta_object: { read: 'See which kinds of things carry metadata' },
  category: {
    read: 'See QR code categories',
    create: 'Add QR code categories',
    update: 'Change, move, pin and order QR code categories',
    delete: 'Delete QR code categories',
  },
  scan_record: {
    read: 'See scan records and their statistics',
    create: 'Record scans',
    update: 'Change scan records',
    delete: 'Delete scan records',
  },
  file: {
    read: 'See files and fetch them by signed links',
    upload: 'Upload files',
    delete: 'Delete files',
  },
  notification: {
    read: 'Read notifications',
    update: 'Mark notifications as read',
    delete: 'Delete notifications',
  },
  sync: {
    pull: 'Fetch changes for offline use, and the list of conflicts',
    push: 'Send changes made offline, and settle conflicts',
  },
  org: {
    read: "See one's organizations and invitations, and discover public organizations",
    create: 'Found an organization',
    join: 'Join organizations: by code, application or invitation',
  },
  user: { search: 'Search for other people' },
  contact: {
    read: "See contacts, requests and one's own card",
    create: 'Send and answer contact requests',
    update: 'Change contacts, the block list, the card code and contact privacy',
    delete: 'Delete contacts',
  },
  chat: {
    read: 'Read conversations, and pin, mute and mark them',
    send: 'Send, forward and recall messages',
    delete: 'Delete conversations and their records',
  },
  account: { delete: "Delete one's own account" },
  account_link: { create: "Link another account to one's own" },
} as const satisfies Table

const ORG = {
  ...DUAL,
  ...META,
  org: {
    read: 'See the organization, its QR code and its statistics',
    update: 'Change the settings of the organization and reset its code',
    delete: 'Dissolve the organization',
    transfer: 'Hand the organization over to another member',
  },
  member: {
    read: 'See the members',
    update: 'Change how members are named in the organization',
    assign_role: 'Change the roles of members',
    delete: 'Remove members',
  },
  invitation: {
    read: 'See the invitations of the organization',
    create: 'Invite people and send the join link',
    cancel: 'Withdraw invitations',
  },
  join_request: {
    read: 'See who asks to join',
    approve: 'Approve and reject those who ask to join',
  },
  location: {
    read: 'See the locations',
    create: 'Add locations',
    update: 'Change, pin and order locations',
    delete: 'Delete locations',
  },
  share: {
    read: 'See what is shared with the organization',
    create: 'Share copies with the organization',
    delete: 'Delete shared copies',
  },
} as const satisfies Table

const PLATFORM = {
  statistics: { read: 'See the dashboard' },
  system: { read: 'See version, load and metrics of the server' },
  user: {
    read: 'See all users, their identities and memberships',
    create: 'Create users',
    update: 'Change users, disable and enable them',
  },
  org: {
    read: 'See all organizations and their members',
    create: 'Create organizations',
    update: 'Change organizations',
    delete: 'Dissolve organizations',
    transfer: 'Hand organizations over to another owner',
  },
  org_member: {
    create: 'Add users to organizations',
    update: 'Change the roles of members of organizations',
    delete: 'Remove members from organizations',
  },
  qr_code: {
    read: 'See all QR codes',
    delete: 'Delete any QR code',
  },
  asset: {
    read: 'See all assets and their metadata',
    scrap: 'Scrap any asset',
    delete: 'Delete any asset',
  },
  activity: {
    read: 'See all activities',
    create: 'Make activities for others',
    update: 'Change any activity',
    delete: 'Delete any activity',
  },
  checkin: {
    read: 'See all check-in records',
    delete: 'Delete any check-in record',
  },
  pass: {
    read: 'See all passes',
    revoke: 'Revoke any pass',
    delete: 'Delete any pass',
  },
  album: {
    read: 'See all album photos',
    delete: 'Delete any album photo',
  },
  category: {
    read: 'See all QR code and asset categories',
    delete: 'Delete any QR code or asset category',
  },
  notification: {
    read: 'See sent notifications',
    send: 'Send notifications to users, an organization or everybody',
    delete: 'Delete notifications',
  },
  share: {
    read: 'See all shared copies',
    delete: 'Delete any shared copy',
  },
  setting: {
    read: 'See the settings of the business and of chat',
    update: 'Change the settings of the business and of chat',
  },
  admin_log: { read: 'See the operation log' },
  file: {
    read: 'See all files, their statistics and orphaned files',
    delete: 'Delete any file and clean up orphaned files',
  },
  login_record: { read: 'See the login records of everybody' },
  session: {
    read: 'See the sessions of any user',
    revoke: 'Revoke any session',
  },
  account_link: {
    read: 'See all account links',
    create: 'Link accounts of others',
    delete: 'Remove any account link',
  },
  scan_record: { read: 'See all scan records' },
  nickname_word: { manage: 'See, add, change and delete the words nicknames are made of' },
  agreement: {
    read: 'See all versions of the agreements',
    publish: 'Publish agreements and reactivate older versions',
  },
  markdown: { render: 'Preview Markdown' },
  chat: { read: 'See chat statistics' },
  app_update: {
    read: 'See all app updates',
    publish: 'Publish app updates and manage publisher keys',
  },
  meta_object: {
    read: 'See the kinds of things that carry metadata',
    create: 'Register kinds of things that carry metadata',
    update: 'Enable and disable kinds of things that carry metadata',
  },
  meta_field: {
    read: 'See metadata fields of every scope',
    create: 'Add metadata fields of any scope',
    update: 'Change any metadata field',
    delete: 'Delete any metadata field',
  },
  meta_template: {
    read: 'See global and organization metadata templates',
    create: 'Add global and organization metadata templates',
    update: 'Change metadata templates and their fields',
    delete: 'Delete metadata templates',
  },
  rbac_permission: {
    read: 'See the permission points',
    create: 'Add permission points',
    update: 'Enable, disable and describe permission points',
  },
  rbac_role: {
    read: 'See roles and role templates',
    create: 'Create roles',
    update: 'Change roles and what they hold',
    delete: 'Delete roles',
  },
  rbac_user_role: {
    read: 'See which roles a user holds, and why a permission is granted or not',
    grant: 'Grant roles to users, and make users administrators or no longer',
    revoke: 'Revoke roles of users',
  },
} as const satisfies Table

export interface PermissionPoint {
  readonly domain: Domain
  readonly resource: string
  readonly action: string
  /** English; administrators can change the stored one. */
  readonly description: string
}

type PointOf<T> = { [R in keyof T & string]: `${R}:${keyof T[R] & string}` }[keyof T & string]
export type PlatformPoint = PointOf<typeof PLATFORM>
export type AppPoint = PointOf<typeof APP>
export type OrgPoint = PointOf<typeof ORG>
/** Points that exist in both the APP and the ORG domain. */
export type DualPoint = PointOf<typeof DUAL>

const list = (domain: Domain, table: Table): PermissionPoint[] =>
  Object.entries(table).flatMap(([resource, actions]) =>
    Object.entries(actions).map(([action, description]) => ({ domain, resource, action, description })),
  )

export const points: readonly PermissionPoint[] = [
  ...list('PLATFORM', PLATFORM),
  ...list('APP', APP),
  ...list('ORG', ORG),
]

/** `resource:action`, as endpoints and clients name a point. */
export const pointName = (point: { resource: string; action: string }): string => `${point.resource}:${point.action}`

/** The names of all points of a domain. */
export const pointsOf = (domain: Domain): string[] => points.filter((p) => p.domain === domain).map(pointName)

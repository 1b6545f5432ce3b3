import { sql } from 'drizzle-orm'

import type { Locale } from '#lib/localized.ts'

import { col, descending, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'

export type OrgStatus = 'ACTIVE' | 'DISABLED'
export type OrgVisibility = 'PUBLIC' | 'INTERNAL'
export type JoinPolicy = 'FREE' | 'APPROVAL' | 'INVITE'
/** Of an invitation by mail. WAITING: for the budget of the server. QUEUED: the mail is in the outbox. SKIPPED: the address wants none by now. */
export type InviteMailState = 'WAITING' | 'QUEUED' | 'SENT' | 'FAILED' | 'SKIPPED'
export type InvitationStatus = 'PENDING' | 'ACCEPTED' | 'REJECTED' | 'CANCELLED' | 'EXPIRED'

export const organizations = table(
  'organizations',
  {
    id: col.id(),
    name: col.text('name').notNull(),
    description: col.text('description').notNull().default(''),
    /** Organization code: eight characters of an alphabet without look-alikes. */
    code: col.text('code').notNull(),
    status: col.text('status').$type<OrgStatus>().notNull().default('ACTIVE'),
    visibility: col.text('visibility').$type<OrgVisibility>().notNull(),
    joinPolicy: col.text('join_policy').$type<JoinPolicy>().notNull(),
    memberLimit: col.int('member_limit').notNull(),
    /** An IANA name: the days of its assets begin and end in this zone. NULL: that of the server. */
    timeZone: col.text('time_zone'),
    /** Members without a second factor can only leave. */
    requireSecondFactor: col.bool('require_second_factor').notNull().default(false),
    /** Number of rows in `org_members`, changed in the same write. The member limit is enforced by a condition on it. */
    memberCount: col.int('member_count').notNull(),
    /** The address of a picture: as the client gave it, or the path of an uploaded image. Shown by `avatarUrl` of the domain files. */
    avatar: col.text('avatar_url'),
    /** The owner. Transfers, leaving and removal are decided by this column; the OWNER role is kept equal to it. */
    ownerId: col
      .int('owner_id')
      .notNull()
      .references(() => users.id),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('organizations_code').on(t.code),
    // The orders of discovery: see db/search.ts.
    index('organizations_discover').on(t.visibility, t.status, t.createdAt, t.id),
    index('organizations_discover_name').on(t.visibility, t.status, t.name, t.createdAt, t.id),
    index('organizations_discover_members').on(t.visibility, t.status, t.memberCount, t.createdAt, t.id),
    index('organizations_owner').on(t.ownerId),
    // The orders of the console.
    index('organizations_created').on(t.createdAt, t.id),
    index('organizations_name').on(t.name, t.createdAt, t.id),
    index('organizations_members').on(t.memberCount, t.createdAt, t.id),
  ],
)

/** Members. Their roles are in `rbac_user_roles` only. */
export const orgMembers = table(
  'org_members',
  {
    /** Without a reference: rows of a dissolved organization are deleted after it (domains/removals). */
    orgId: col.int('org_id').notNull(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** Nickname in this organization; null for the user's own nickname. */
    nickname: col.text('nickname'),
    joinedAt: col.time('joined_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.userId] }),
    index('org_members_list').on(t.orgId, t.joinedAt, t.userId),
    index('org_members_user').on(t.userId, t.joinedAt, t.orgId),
  ],
)

/** Join requests that wait for approval. A decision deletes the row, so there can be only one decision. */
export const orgJoinRequests = table(
  'org_join_requests',
  {
    id: col.id(),
    /** Without a reference, as in `org_members`. */
    orgId: col.int('org_id').notNull(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    message: col.text('message').notNull().default(''),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('org_join_requests_applicant').on(t.orgId, t.userId),
    index('org_join_requests_list').on(t.orgId, t.id),
    index('org_join_requests_user').on(t.userId),
  ],
)

export const orgInvitations = table(
  'org_invitations',
  {
    id: col.id(),
    /** Without a reference, as in `org_members`. */
    orgId: col.int('org_id').notNull(),
    inviterId: col
      .int('inviter_id')
      .notNull()
      .references(() => users.id),
    /** Null for an invitation by mail until somebody accepts it. */
    inviteeId: col.int('invitee_id').references(() => users.id),
    /** The address of an invitation by mail, in lower case. Nobody has proved it. */
    email: col.text('email'),
    /** Hash of the token in the link of the mail. */
    tokenHash: col.text('token_hash'),
    /** The sealed token, only until the mail is in the outbox. */
    token: col.text('token'),
    language: col.text('language').$type<Locale>(),
    /** Words of the inviter in the mail. Plain text. */
    message: col.text('message').notNull().default(''),
    mailState: col.text('mail_state').$type<InviteMailState>(),
    /** The role that the invitee gets; null for MEMBER, which also takes the place of a role that was deleted. */
    roleId: col.int('role_id'),
    /** PENDING after `expiresAt` is read as EXPIRED. */
    status: col.text('status').$type<InvitationStatus>().notNull().default('PENDING'),
    expiresAt: col.time('expires_at').notNull(),
    respondedAt: col.time('responded_at'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    // One open invitation per invitee and organization. Raw SQL, because SQLite allows no table name in the condition of an index.
    uniqueIndex('org_invitations_open').on(t.orgId, t.inviteeId).where(sql.raw(`status = 'PENDING'`)),
    index('org_invitations_list').on(t.orgId, descending(t.id)),
    index('org_invitations_invitee').on(t.inviteeId, descending(t.id)),
    // One open invitation per address and organization.
    uniqueIndex('org_invitations_open_email')
      .on(t.orgId, t.email)
      .where(sql.raw(`status = 'PENDING' AND email IS NOT NULL`)),
    uniqueIndex('org_invitations_token').on(t.tokenHash).where(sql.raw('token_hash IS NOT NULL')),
    index('org_invitations_waiting').on(t.id).where(sql.raw(`mail_state = 'WAITING'`)),
    // For the deletion of addresses.
    index('org_invitations_addresses').on(t.expiresAt).where(sql.raw('email IS NOT NULL')),
  ],
)

/**
 * Offers of ownership that wait for an answer, at most one per organization. Each offer is from the owner: a new owner, an answer, the
 * withdrawal, and the end of the candidate's membership delete it. Ignored after `expiresAt`.
 */
export const orgTransfers = table(
  'org_transfers',
  {
    orgId: col
      .int('org_id')
      .notNull()
      .references(() => organizations.id),
    candidateId: col
      .int('candidate_id')
      .notNull()
      .references(() => users.id),
    expiresAt: col.time('expires_at').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.orgId] })],
)

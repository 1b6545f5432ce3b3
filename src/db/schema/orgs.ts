import { sql } from 'drizzle-orm'

import { col, descending, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'

export type OrgStatus = 'ACTIVE' | 'DISABLED'
export type OrgVisibility = 'PUBLIC' | 'INTERNAL'
export type JoinPolicy = 'FREE' | 'APPROVAL' | 'INVITE'
export type InvitationStatus = 'PENDING' | 'ACCEPTED' | 'REJECTED' | 'CANCELLED' | 'EXPIRED'

export const organizations = table(
  'organizations',
  {
    id: col.id(),
    name: col.text('name').notNull(),
    description: col.text('description').notNull().default(''),
    /** Eight characters of an unambiguous upper-case alphabet. */
    code: col.text('code').notNull(),
    status: col.text('status').$type<OrgStatus>().notNull().default('ACTIVE'),
    visibility: col.text('visibility').$type<OrgVisibility>().notNull(),
    joinPolicy: col.text('join_policy').$type<JoinPolicy>().notNull(),
    memberLimit: col.int('member_limit').notNull(),
    /** Rows of `org_members`, kept in the write that adds or removes one: the limit is decided by a condition on it. */
    memberCount: col.int('member_count').notNull(),
    avatarUrl: col.text('avatar_url'),
    /** The one OWNER: the fact that transfers, leaving and removal are decided by. The OWNER role follows it. */
    ownerId: col
      .int('owner_id')
      .notNull()
      .references(() => users.id),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('organizations_code').on(t.code),
    index('organizations_discover').on(t.visibility, t.status, t.createdAt, t.id),
    index('organizations_owner').on(t.ownerId),
  ],
)

/** What a member is called here. Which role they hold stands in `rbac_user_roles` alone. */
export const orgMembers = table(
  'org_members',
  {
    orgId: col
      .int('org_id')
      .notNull()
      .references(() => organizations.id),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** Null: as the person calls themselves. */
    nickname: col.text('nickname'),
    joinedAt: col.time('joined_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.userId] }),
    index('org_members_list').on(t.orgId, t.joinedAt, t.userId),
    index('org_members_user').on(t.userId, t.joinedAt, t.orgId),
  ],
)

/** Who waits for approval. A decision removes the row, so that there is one decision. */
export const orgJoinRequests = table(
  'org_join_requests',
  {
    id: col.id(),
    orgId: col
      .int('org_id')
      .notNull()
      .references(() => organizations.id),
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
    orgId: col
      .int('org_id')
      .notNull()
      .references(() => organizations.id),
    inviterId: col
      .int('inviter_id')
      .notNull()
      .references(() => users.id),
    inviteeId: col
      .int('invitee_id')
      .notNull()
      .references(() => users.id),
    /** PENDING past `expiresAt` means EXPIRED, wherever it is read. */
    status: col.text('status').$type<InvitationStatus>().notNull().default('PENDING'),
    expiresAt: col.time('expires_at').notNull(),
    respondedAt: col.time('responded_at'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    // One open invitation for a person and organization. Raw: SQLite takes no table name inside an index's condition.
    uniqueIndex('org_invitations_open').on(t.orgId, t.inviteeId).where(sql.raw(`status = 'PENDING'`)),
    index('org_invitations_list').on(t.orgId, descending(t.id)),
    index('org_invitations_invitee').on(t.inviteeId, descending(t.id)),
  ],
)

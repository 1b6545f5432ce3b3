/** The parts of a data export that are about the account: without hashes, secrets, and keys of devices. */

import { and, eq, sql } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import {
  accountLinks,
  identities,
  knownDevices,
  loginRecords,
  resetCodes,
  sessions,
  users,
} from '#db/schema/accounts.ts'
import { passkeys, trustedDevices } from '#db/schema/passkeys.ts'
import { deleteSome } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'

/** As `EraseContent`. */
export const eraseRecords = (_ctx: unknown, tx: Tx, userId: number, limit: number): Promise<number> =>
  deleteSome(tx, loginRecords, eq(loginRecords.userId, userId), limit)

export const accountAreas: readonly DataArea[] = [
  tableArea({
    name: 'profile',
    title: { en: 'Profile', zh: '个人资料' },
    forAdministrators: 'ROWS',
    from: users,
    columns: {
      id: users.id,
      username: users.username,
      nickname: users.nickname,
      signature: users.signature,
      hasPassword: sql<number>`case when ${users.passwordHash} is null then 0 else 1 end`,
      createdByAdministrator: users.createdByAdmin,
      lastLoginAt: users.lastLoginAt,
      createdAt: users.createdAt,
      updatedAt: users.updatedAt,
    },
    where: (userId) => eq(users.id, userId),
    key: [users.id],
    show: (row) => ({ ...row, hasPassword: Boolean(row['hasPassword']) }),
  }),
  tableArea({
    name: 'identities',
    title: { en: 'Ways to sign in', zh: '登录方式' },
    forAdministrators: 'ROWS',
    from: identities,
    columns: {
      provider: identities.provider,
      // Those of devices and OpenID providers are hashes.
      credential: sql<
        string | null
      >`case when ${identities.provider} in ('DEVICE', 'OIDC') then null else ${identities.credential} end`,
      issuer: identities.issuer,
      verified: identities.verified,
      lastUsedAt: identities.lastUsedAt,
      createdAt: identities.createdAt,
    },
    where: (userId) => eq(identities.userId, userId),
    key: [identities.id],
  }),
  tableArea({
    name: 'passkeys',
    title: { en: 'Passkeys', zh: '通行密钥' },
    forAdministrators: 'ROWS',
    from: passkeys,
    columns: {
      id: passkeys.id,
      name: passkeys.name,
      transports: passkeys.transports,
      backedUp: passkeys.backedUp,
      suspect: passkeys.suspect,
      lastUsedAt: passkeys.lastUsedAt,
      createdAt: passkeys.createdAt,
    },
    where: (userId) => eq(passkeys.userId, userId),
    key: [passkeys.id],
  }),
  tableArea({
    name: 'reset-codes',
    title: { en: 'Codes to reset the password', zh: '重置密码的代码' },
    forAdministrators: 'ROWS',
    from: resetCodes,
    columns: {
      kind: resetCodes.kind,
      tries: resetCodes.tries,
      expiresAt: resetCodes.expiresAt,
      createdAt: resetCodes.createdAt,
    },
    where: (userId) => eq(resetCodes.userId, userId),
    key: [resetCodes.userId],
  }),
  tableArea({
    name: 'sessions',
    title: { en: 'Sessions', zh: '会话' },
    forAdministrators: 'ROWS',
    from: sessions,
    columns: {
      id: sessions.id,
      deviceName: sessions.deviceName,
      loginType: sessions.loginType,
      ipAddress: sessions.ipAddress,
      city: sessions.city,
      status: sessions.status,
      lastActiveAt: sessions.lastActiveAt,
      expiredAt: sessions.expiredAt,
      createdAt: sessions.createdAt,
    },
    where: (userId) => eq(sessions.userId, userId),
    key: [sessions.id],
  }),
  tableArea({
    name: 'devices',
    title: { en: 'Known devices', zh: '已知设备' },
    from: knownDevices,
    joins: [
      {
        table: sessions,
        on: and(eq(sessions.userId, knownDevices.userId), eq(sessions.deviceKey, knownDevices.deviceKey))!,
      },
      {
        table: trustedDevices,
        on: and(eq(trustedDevices.userId, knownDevices.userId), eq(trustedDevices.deviceKey, knownDevices.deviceKey))!,
      },
    ],
    columns: {
      deviceName: sessions.deviceName,
      firstSeenAt: knownDevices.firstSeenAt,
      lastSeenAt: knownDevices.lastSeenAt,
      trustedUntil: trustedDevices.trustedUntil,
      removedAt: knownDevices.removedAt,
    },
    where: (userId) => eq(knownDevices.userId, userId),
    key: [knownDevices.deviceKey],
  }),
  tableArea({
    name: 'login-records',
    title: { en: 'Login records', zh: '登录记录' },
    forAdministrators: 'ROWS',
    from: loginRecords,
    columns: {
      id: loginRecords.id,
      loginType: loginRecords.loginType,
      status: loginRecords.status,
      failureReason: loginRecords.failureReason,
      deviceName: loginRecords.deviceName,
      ipAddress: loginRecords.ipAddress,
      city: loginRecords.city,
      reportedByClient: loginRecords.isReported,
      createdAt: loginRecords.createdAt,
    },
    where: (userId) => eq(loginRecords.userId, userId),
    key: [loginRecords.id],
  }),
  tableArea({
    name: 'linked-accounts',
    title: { en: 'Linked accounts', zh: '关联账号' },
    from: accountLinks,
    joins: [{ table: users, on: eq(users.id, accountLinks.linkedUserId) }],
    columns: {
      userId: accountLinks.linkedUserId,
      nickname: users.nickname,
      status: accountLinks.status,
      createdAt: accountLinks.createdAt,
    },
    where: (userId) => eq(accountLinks.ownerUserId, userId),
    key: [accountLinks.id],
  }),
]

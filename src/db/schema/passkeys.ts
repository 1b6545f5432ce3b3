/** Passkeys (WebAuthn) of users, and the devices that are spared the second factor. */

import { col, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'

export const passkeys = table(
  'passkeys',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    name: col.text('name').notNull(),
    /** As the authenticator chose it, base64url. */
    credentialId: col.text('credential_id').notNull(),
    /** The id of the user that the authenticator keeps with the passkey, base64url. It says nothing about the user. */
    userHandle: col.text('user_handle').notNull(),
    /** COSE key, base64url. */
    publicKey: col.text('public_key').notNull(),
    /** Signatures that the authenticator has counted; 0 if it counts none. */
    counter: col.int('counter').notNull().default(0),
    /** How a browser reaches the authenticator: `internal`, `usb`, `hybrid` … */
    transports: col.json<string[]>('transports').notNull(),
    backedUp: col.bool('backed_up').notNull().default(false),
    /** Whether the authenticator checked its user (PIN, finger, face) at registration or later. */
    userVerified: col.bool('user_verified').notNull().default(false),
    /** Its counter did not grow, so there may be a copy of it. It opens nothing and can only be removed. */
    suspect: col.bool('suspect').notNull().default(false),
    /** Key of the device on which a signed-in user registered it. */
    createdOn: col.text('created_on').notNull(),
    createdAt: col.time('created_at').notNull(),
    lastUsedAt: col.time('last_used_at'),
  },
  (t) => [uniqueIndex('passkeys_credential').on(t.credentialId), index('passkeys_user').on(t.userId)],
)

/** Users whose passkeys are a second factor that every sign-in asks for. */
export const requiredPasskeys = table('required_passkeys', {
  userId: col
    .int('user_id')
    .primaryKey()
    .references(() => users.id),
  since: col.time('since').notNull(),
})

/** Challenges that were used. Open ones need no row, because each carries a keyed hash of its purpose. */
export const usedChallenges = table(
  'used_challenges',
  {
    /** 32 random bytes, base64url. */
    challenge: col.text('challenge').primaryKey(),
    /** When it could no longer be used anyway, so that the row can be deleted. */
    expiresAt: col.time('expires_at').notNull(),
  },
  (t) => [index('used_challenges_expiry').on(t.expiresAt)],
)

/** Devices that are spared the second factor of a user. */
export const trustedDevices = table(
  'trusted_devices',
  {
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    deviceKey: col.text('device_key').notNull(),
    trustedUntil: col.time('trusted_until').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.deviceKey] }), index('trusted_devices_expiry').on(t.trustedUntil)],
)

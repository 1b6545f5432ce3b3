import { col, table } from '../dialect.ts'

/** The certificate authority for machines of a private network. All processes use the same, so there is one row. */
export const localAuthority = table('local_authority', {
  /** Always 1. */
  id: col.int('id').primaryKey(),
  /** PEM. */
  certificate: col.text('certificate').notNull(),
  /** PKCS #8, sealed. */
  sealedKey: col.text('sealed_key').notNull(),
  /** The DNS names for which it may issue certificates. */
  names: col.json<readonly string[]>('names').notNull(),
  createdAt: col.time('created_at').notNull(),
})

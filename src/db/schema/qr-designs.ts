import { sql } from 'drizzle-orm'

import type { Level } from '#lib/qr/spec.ts'

import { col, index, table, uniqueIndex } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'

/** The look of the picture of a QR code. Colours are six hex digits in lower case. */
export interface QrLook {
  fg: string
  bg: string
  /** Width of the quiet zone, in modules. */
  margin: number
  /** Null: chosen by what the picture holds. */
  level: Level | null
  modules: 'SQUARE' | 'ROUNDED' | 'DOTS'
  eyes: 'SQUARE' | 'ROUNDED' | 'CIRCLE'
  eyeColor: string | null
  /** From `fg` to `to`; `angle` in degrees. */
  gradient: { type: 'LINEAR' | 'RADIAL'; to: string; angle: number } | null
  /** `size` in per cent of the width of the symbol. */
  logo: { fileId: number; size: number; plate: 'NONE' | 'SQUARE' | 'CIRCLE' } | null
  /** `text` says what the picture `textFileId` shows. Without a picture the frame is a plain bar. `color` null: `fg`. */
  frame: { position: 'BELOW' | 'ABOVE'; text: string; textFileId: number | null; color: string | null } | null
}

/** Designs of pictures, which codes can have instead of their plain style. */
export const qrDesigns = table(
  'qr_designs',
  {
    id: col.id(),
    owner: col.int('owner').$type<OwnerKey>().notNull(),
    name: col.text('name').notNull(),
    look: col.json<QrLook>('look').notNull(),
    /** Rises with each change of `look`. */
    lookVersion: col.int('look_version').notNull().default(1),
    isDefault: col.bool('is_default').notNull().default(false),
    version: col.int('version').notNull().default(1),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    index('qr_designs_list').on(t.owner, t.name, t.id),
    uniqueIndex('qr_designs_default')
      .on(t.owner)
      .where(sql`${t.isDefault}`),
  ],
)

/** The columns of a code that decide what its pictures hold. */
export interface PictureSource {
  isDynamic: boolean
  uuid: string
  slug: string | null
  content: string
}

/**
 * The pictures of codes that have a design, as they were when their address was made. A change of code or design makes another one; the address that it
 * replaces works for 30 days more.
 */
export const qrPictures = table(
  'qr_pictures',
  {
    /** Unguessable part of the address. */
    key: col.text('key').primaryKey(),
    qrCodeId: col.int('qr_code_id').notNull(),
    designId: col.int('design_id').notNull(),
    /** Of the design. */
    lookVersion: col.int('look_version').notNull(),
    source: col.json<PictureSource>('source').notNull(),
    look: col.json<QrLook>('look').notNull(),
    replacedAt: col.time('replaced_at'),
  },
  (t) => [
    index('qr_pictures_code').on(t.qrCodeId),
    // Finds the codes of a design, and those whose picture is older than its design.
    index('qr_pictures_design')
      .on(t.designId, t.lookVersion, t.qrCodeId)
      .where(sql`${t.replacedAt} is null`),
    index('qr_pictures_replaced')
      .on(t.replacedAt)
      .where(sql`${t.replacedAt} is not null`),
  ],
)

import { eq } from 'drizzle-orm'

import { nicknameWords, type WordKind } from '#db/schema/accounts.ts'
import { serverState } from '#db/schema/settings.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Locale } from '#lib/localized.ts'

export interface Word {
  readonly locale: Locale
  readonly kind: WordKind
  readonly word: string
}

export const allWords = (db: Db): Promise<Word[]> =>
  db.select({ locale: nicknameWords.locale, kind: nicknameWords.kind, word: nicknameWords.word }).from(nicknameWords)

const KEY = 'accounts.nicknamesSeeded'

export async function isSeeded(db: Db): Promise<boolean> {
  return (await db.select({ key: serverState.key }).from(serverState).where(eq(serverState.key, KEY))).length > 0
}

/** Runs once in the lifetime of a database, so that words which an administrator deletes are not inserted again. */
export async function seedWords(tx: Tx, words: readonly Word[], now: number): Promise<void> {
  const marked = await tx
    .insert(serverState)
    .values({ key: KEY, value: 'yes' })
    .onConflictDoNothing({ target: serverState.key })
    .returning({ key: serverState.key })
  if (marked.length === 0) return
  await tx
    .insert(nicknameWords)
    .values(words.map((word) => ({ ...word, createdAt: now })))
    .onConflictDoNothing()
}

import { and, count, desc, eq, ne, notExists, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { lowered, loweredText } from '#db/dialect.ts'
import { type Page, pageOf } from '#db/paging.ts'
import { nicknameWords, type WordKind } from '#db/schema/accounts.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Locale } from '#lib/localized.ts'

import type { WordsQuery } from './nicknames.admin.model.ts'

export type WordRow = typeof nicknameWords.$inferSelect

const equal = (word: string) => eq(lowered(nicknameWords.word), loweredText(sql`cast(${word} as text)`))
const ofKind = (kind: WordKind, locale: Locale) => and(eq(nicknameWords.kind, kind), eq(nicknameWords.locale, locale))

/** Newest first. */
export const wordsPage = (db: Db, kind: WordKind, query: WordsQuery): Promise<Page<WordRow>> =>
  pageOf(db, nicknameWords, {
    where: and(
      eq(nicknameWords.kind, kind),
      query.locale === undefined ? undefined : eq(nicknameWords.locale, query.locale),
      query.keyword ? contains(nicknameWords.word, query.keyword) : undefined,
    ),
    orderBy: [desc(nicknameWords.id)],
    page: query,
  })

export async function countWords(tx: Tx, kind: WordKind, locale: Locale): Promise<number> {
  const [row] = await tx.select({ n: count() }).from(nicknameWords).where(ofKind(kind, locale))
  return row!.n
}

/** Undefined if the kind and language have the word already. */
export async function insertWord(
  tx: Tx,
  word: Pick<WordRow, 'kind' | 'locale' | 'word'>,
): Promise<WordRow | undefined> {
  const rows = await tx
    .insert(nicknameWords)
    .values({ ...word, createdAt: tx.stamp })
    .onConflictDoNothing()
    .returning()
  return rows[0]
}

export async function findWord(tx: Tx, kind: WordKind, id: number): Promise<WordRow | undefined> {
  const rows = await tx
    .select()
    .from(nicknameWords)
    .where(and(eq(nicknameWords.id, id), eq(nicknameWords.kind, kind)))
  return rows[0]
}

/** Undefined if the kind and language have the word already. */
export async function updateWord(tx: Tx, { id, kind, locale }: WordRow, word: string): Promise<WordRow | undefined> {
  const other = tx
    .select({ id: nicknameWords.id })
    .from(nicknameWords)
    .where(and(ofKind(kind, locale), equal(word), ne(nicknameWords.id, id)))
  const rows = await tx
    .update(nicknameWords)
    .set({ word })
    .where(and(eq(nicknameWords.id, id), notExists(other)))
    .returning()
  return rows[0]
}

export async function deleteWord(tx: Tx, kind: WordKind, id: number): Promise<WordRow | undefined> {
  const rows = await tx
    .delete(nicknameWords)
    .where(and(eq(nicknameWords.id, id), eq(nicknameWords.kind, kind)))
    .returning()
  return rows[0]
}

/** The words from which nicknames are generated, for administrators. */

import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import type { WordKind } from '#db/schema/accounts.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'

import { nicknameWordExists, tooManyNicknameWords } from '../accounts.errors.ts'
import { type CreateWord, MAX_WORDS, type WordsQuery, type WordView } from './nicknames.admin.model.ts'
import * as store from './nicknames.admin.store.ts'
import { nicknameWordsChanged } from './nicknames.service.ts'

const toView = ({ id, word, locale, createdAt }: store.WordRow): WordView => ({ id, word, locale, createdAt })

export const listWords = async (ctx: AppContext, kind: WordKind, query: WordsQuery): Promise<Page<WordView>> =>
  mapPage(await store.wordsPage(ctx.db.read, kind, query), toView)

const languageOf = (word: string): Locale => (/\p{Script=Han}/u.test(word) ? 'zh' : 'en')

export async function createWord(actor: LoggedActor, kind: WordKind, input: CreateWord): Promise<WordView> {
  const { word, locale = languageOf(word) } = input
  return actor.write('accounts.createNicknameWord', async (tx) => {
    if ((await store.countWords(tx, kind, locale)) >= MAX_WORDS) throw tooManyNicknameWords(MAX_WORDS)
    const row = await store.insertWord(tx, { kind, locale, word })
    if (row === undefined) throw nicknameWordExists()
    nicknameWordsChanged(tx)
    return { result: toView(row), logged: { targetId: row.id, targetName: word, after: { kind, locale, word } } }
  })
}

export async function updateWord(actor: LoggedActor, kind: WordKind, id: number, word: string): Promise<WordView> {
  return actor.write('accounts.updateNicknameWord', async (tx) => {
    const before = await store.findWord(tx, kind, id)
    if (before === undefined) throw notFound()
    if (before.word === word) return { result: toView(before), logged: 'unchanged' }
    const row = await store.updateWord(tx, before, word)
    if (row === undefined) throw nicknameWordExists()
    nicknameWordsChanged(tx)
    return {
      result: toView(row),
      logged: { targetId: id, targetName: before.word, before: { word: before.word }, after: { word } },
    }
  })
}

export async function deleteWord(actor: LoggedActor, kind: WordKind, id: number): Promise<void> {
  await actor.write('accounts.deleteNicknameWord', async (tx) => {
    const row = await store.deleteWord(tx, kind, id)
    if (row === undefined) throw notFound()
    nicknameWordsChanged(tx)
    const { locale, word } = row
    return { result: undefined, logged: { targetId: id, targetName: word, before: { kind, locale, word } } }
  })
}

import { keywordFilter } from '#domains/admin/index.ts'
import { Enum, Id, Line, Model, Named, PageOf, PageQuery, type Static, Text, Time, Type } from '#http/schema.ts'

/** Words of one kind in one language. Every process keeps all words in memory, about 100 bytes each. */
export const MAX_WORDS = 5000

const Language = Named('NicknameLanguage', Enum(['en', 'zh'], { examples: ['en'] }))
const Word = (example: string) =>
  Line(20, 1, {
    description:
      'Unique among the words of its kind and language; letters from A to Z are compared without case, all others exactly',
    examples: [example],
  })

export const WordsQuery = PageQuery({ locale: Type.Optional(Language), ...keywordFilter('the words') })
export type WordsQuery = Static<typeof WordsQuery>

export const CreateWord = Model('CreateNicknameWord', {
  word: Word('Dapper'),
  locale: Type.Optional({
    ...Language,
    description: 'By default zh for a word with a Chinese character, otherwise en',
  }),
})
export type CreateWord = Static<typeof CreateWord>

export const UpdateWord = Model('UpdateNicknameWord', { word: Word('Sturdy') })
export type UpdateWord = Static<typeof UpdateWord>

export const WordView = Model('NicknameWord', {
  id: Id,
  word: Text('Dapper'),
  locale: Language,
  createdAt: Time,
})
export type WordView = Static<typeof WordView>
export const WordPage = PageOf(WordView)

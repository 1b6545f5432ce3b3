import { expect, test } from 'bun:test'

import { mentionsIn, mentionsOf, nameAtCaret } from '../../src/web/areas/chats/mentions.ts'

const members = [
  { userId: 1, nickname: 'Ann' },
  { userId: 2, nickname: 'Anna Maria' },
  { userId: 3, nickname: '王小' },
  { userId: 4, nickname: '王小明' },
  { userId: 5, nickname: 'Bob' },
  { userId: 6, nickname: 'Bob' },
  { userId: 7, nickname: 'O’Neill (7b)' },
]
const mentions = (text: string, ...chosen: number[]) => mentionsIn(text, members, new Set(chosen))

test('A text mentions members by their whole names, in any case', () => {
  expect(mentions('@Ann, look')).toEqual([1])
  expect(mentions('hello @ann')).toEqual([1])
  expect(mentions('@Anna Maria and @Ann')).toEqual([2, 1])
  expect(mentions('@O’Neill (7b)!')).toEqual([7])
  expect(mentions('Ann')).toEqual([])
})

test('A name is not found inside a longer one, or in an address', () => {
  expect(mentions('@Anna')).toEqual([])
  expect(mentions('@Annabel @Ann2 @Ann_x')).toEqual([])
  expect(mentions('ann@Ann.example')).toEqual([])
  expect(mentions('@王小明在吗')).toEqual([4])
})

test('A Chinese name needs no spaces around it', () => {
  expect(mentions('请@王小看一下')).toEqual([3])
  expect(mentions('@王小明@王小')).toEqual([4, 3])
  expect(mentions('请@Ann看一下')).toEqual([1])
})

test('Of members with the same name those who were chosen are meant, otherwise all', () => {
  expect(mentions('@Bob')).toEqual([5, 6])
  expect(mentions('@Bob', 6)).toEqual([6])
})

test('All members are mentioned by a name in either language, if the user may', () => {
  expect(mentionsOf('@all, lunch', members, true)).toEqual({ mentionsAll: true })
  expect(mentionsOf('请@所有人和@王小明注意', members, true)).toEqual({ mentions: [4], mentionsAll: true })
  expect(mentionsOf('@all and @Ann', members, false)).toEqual({ mentions: [1] })
  expect(mentionsOf('@allison', members, true)).toEqual({})
})

test('The name at the caret is offered members, but not an address or a later line', () => {
  expect(nameAtCaret('hello @An', 9)).toEqual({ at: 6, name: 'An' })
  expect(nameAtCaret('请@王', 3)).toEqual({ at: 1, name: '王' })
  expect(nameAtCaret('ann@example', 11)).toBeUndefined()
  expect(nameAtCaret('@Ann\nhello', 10)).toBeUndefined()
  expect(nameAtCaret('hello', 5)).toBeUndefined()
})

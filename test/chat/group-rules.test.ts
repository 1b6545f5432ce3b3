import { describe, expect, test } from 'bun:test'

import { mayManage, mayRemove } from '#domains/chat/groups/groups.rules.ts'
import { emojiOf } from '#domains/chat/reactions/reactions.service.ts'

describe('roles of groups', () => {
  const ROLES = ['OWNER', 'ADMIN', 'MEMBER', null] as const

  test('let the owner and administrators change the group', () => {
    expect(ROLES.map(mayManage)).toEqual([true, true, false, false])
  })

  test('let the owner remove all others, administrators remove members, and members nobody', () => {
    const targets = ['OWNER', 'ADMIN', 'MEMBER'] as const
    expect(ROLES.map((role) => targets.map((target) => mayRemove(role, target)))).toEqual([
      [false, true, true],
      [false, false, true],
      [false, false, false],
      [false, false, false],
    ])
  })
})

describe('a reaction', () => {
  for (const emoji of ['👍', '👍🏽', '❤️', '👨‍👩‍👧‍👦', '🇨🇳', '1️⃣', '🫠'])
    test(`can be ${emoji}`, () => expect(emojiOf(emoji)).toBe(emoji))

  test('becomes the emoji if it is the text symbol of one', () => {
    expect(emojiOf('❤')).toBe('❤\uFE0F')
  })

  for (const text of ['', 'a', '1', '好', '👍👍', '👍 ', ' 👍', '<b>', '\u200D', '👍\u200D', '🇨'])
    test(`cannot be ${JSON.stringify(text)}`, () => expect(emojiOf(text)).toBeUndefined())
})

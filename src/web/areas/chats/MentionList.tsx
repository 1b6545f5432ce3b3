/** The members who are offered while a name is written after "@". The keys of the field choose one. */

import { MenuItem, MenuList, Paper } from '@mui/material'
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react'

import type { Conversation, GroupMember } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { ALL, mentionsOf, nameAtCaret } from './mentions.ts'

const words = texts({
  en: { members: 'Members', all: 'all' },
  zh: { members: '成员', all: '所有人' },
})

/** Names that are shown at a time. */
const SHOWN = 6

interface Offer {
  readonly userId: number
  readonly nickname: string
}

/** Whether the user may mention everybody in the conversation. */
const mayMentionAll = (conversation: Conversation | undefined): boolean =>
  conversation?.group != null && (conversation.group.role !== 'MEMBER' || conversation.group.membersMentionAll)

export interface Mentioning {
  readonly offers: readonly Offer[]
  readonly current: number
  /** Returns whether the key was one of the list. */
  onKey: (event: KeyboardEvent) => boolean
  /** After each change of the text. */
  onCaret: (caret: number) => void
  choose: (offer: Offer) => void
  contentOf: (text: string) => ReturnType<typeof mentionsOf>
}

export function useMentioning(
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
  setText: (text: string) => void,
  members: readonly GroupMember[],
  conversation: Conversation | undefined,
): Mentioning {
  const t = useTexts(words)
  const { user } = useSession()
  const [caret, setCaret] = useState<number>()
  const [current, setCurrent] = useState(0)
  // Of several members with one name, those who were chosen from the list are meant.
  const chosen = useRef(new Set<number>())
  const maysAll = mayMentionAll(conversation)
  const written = caret === undefined ? undefined : nameAtCaret(text, caret)
  const everybody = maysAll ? [{ userId: ALL, nickname: t.all }] : []
  const others = members.filter(({ userId }) => userId !== user.id)
  const offers: readonly Offer[] =
    written === undefined || others.length === 0
      ? []
      : [...everybody, ...others]
          .filter(({ nickname }) => nickname.toLocaleLowerCase().includes(written.name.toLocaleLowerCase()))
          .slice(0, SHOWN)
  const choose = ({ userId, nickname }: Offer) => {
    if (written === undefined) return
    chosen.current.add(userId)
    const before = `${text.slice(0, written.at)}@${nickname} `
    setText(before + text.slice(caret))
    setCaret(undefined)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(before.length, before.length)
    })
  }
  return {
    offers,
    current: Math.min(current, offers.length - 1),
    choose,
    onCaret(next) {
      setCaret(next)
      setCurrent(0)
    },
    onKey({ key, nativeEvent }) {
      if (offers.length === 0 || nativeEvent.isComposing) return false
      if (key === 'ArrowDown') setCurrent((current + 1) % offers.length)
      else if (key === 'ArrowUp') setCurrent((current + offers.length - 1) % offers.length)
      else if (key === 'Enter' || key === 'Tab') choose(offers[Math.min(current, offers.length - 1)]!)
      else if (key === 'Escape') setCaret(undefined)
      else return false
      return true
    },
    contentOf: (sent) => mentionsOf(sent, members, maysAll, chosen.current),
  }
}

export function MentionList({ offers, current, choose }: Mentioning) {
  const t = useTexts(words)
  if (offers.length === 0) return null
  return (
    <Paper variant="outlined" sx={{ mx: 1, mt: 0.5 }}>
      <MenuList dense aria-label={t.members}>
        {offers.map((offer, index) => (
          <MenuItem
            key={offer.userId}
            tabIndex={-1}
            selected={index === current}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(offer)}
          >
            @{offer.nickname}
          </MenuItem>
        ))}
      </MenuList>
    </Paper>
  )
}

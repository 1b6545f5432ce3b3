/** The list of contacts with search, tags and blocked people. */

import { Chat, ContactsOutlined, PersonAdd, SearchOff } from '@mui/icons-material'
import { Button, Chip, FormControlLabel, IconButton, Link as MuiLink, Stack, Switch } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { usePages } from '../../api/pages.ts'
import type { Contact } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { EmptyState } from '../../ui/Answer.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { Section } from '../../ui/parts.tsx'
import { Named } from '../../ui/Portrait.tsx'
import { usePresence } from '../../ui/presence.ts'
import { Row, Rows } from '../../ui/Rows.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { useFilters } from '../../ui/use-filters.ts'

const words = texts({
  en: {
    people: 'People',
    search: 'Search by name',
    order: 'Order',
    orders: { name: 'Name', '-createdAt': 'Newest first' },
    blocked: 'Blocked only',
    isBlocked: 'Blocked',
    oneWay: 'Does not have you as a contact',
    chat: (name: string) => `Write to ${name}`,
    empty: 'No contacts yet',
    emptyText:
      'Contacts can write to each other. Show your card to somebody, or add a person by their card, address or number.',
    add: 'Add contact',
    nothing: 'Nothing found',
    nothingText: 'No contact has this name or tag.',
    tag: (name: string) => `Tag: ${name}`,
  },
  zh: {
    people: '联系人',
    search: '按名称搜索',
    order: '排序',
    orders: { name: '名称', '-createdAt': '最新添加' },
    blocked: '仅已拉黑',
    isBlocked: '已拉黑',
    oneWay: '对方未将你加为联系人',
    chat: (name: string) => `给“${name}”发消息`,
    empty: '还没有联系人',
    emptyText: '联系人之间可以互发消息。请出示你的名片，或通过对方的名片、邮箱或手机号添加。',
    add: '添加联系人',
    nothing: '没有找到',
    nothingText: '没有此名称或标签的联系人。',
    tag: (name: string) => `标签：${name}`,
  },
})

type Order = 'name' | '-createdAt'

/** The name that the user gave the contact, otherwise that of the account. */
export const shownName = ({ remark, nickname }: Pick<Contact, 'remark' | 'nickname'>): string => remark || nickname

export function ContactList() {
  const t = useTexts(words)
  const may = useMay()
  const { filters, set, query: chosen } = useFilters({ keyword: '', tag: '', blocked: false })
  const { keyword, tag, blocked } = filters
  const [sort, setSort] = useState<Order>('name')
  const query = usePages('contacts.list', { query: { sort, ...chosen } })
  const presence = usePresence(query.items?.map(({ userId }) => userId) ?? [])
  const isFiltered = Object.keys(chosen).length > 0
  if (!isFiltered && query.items?.length === 0)
    return (
      <EmptyState
        icon={ContactsOutlined}
        title={t.empty}
        text={t.emptyText}
        action={
          may('contacts.request') && (
            <Button variant="contained" startIcon={<PersonAdd />} component={Link} to="/contacts/add">
              {t.add}
            </Button>
          )
        }
      />
    )
  return (
    <Section>
      <Stack direction="row" useFlexGap sx={{ flexWrap: 'wrap', gap: 1.5, mb: 1, alignItems: 'center' }}>
        <SearchField
          label={t.search}
          value={keyword}
          onSearch={(text) => set({ keyword: text })}
          sx={{ flex: '1 1 220px' }}
        />
        <ChoiceField
          label={t.order}
          value={sort}
          onChange={setSort}
          sx={{ minWidth: 140 }}
          choices={Object.entries(t.orders).map(([id, name]) => ({ id, name }))}
        />
        <FormControlLabel
          control={<Switch checked={blocked} onChange={({ target }) => set({ blocked: target.checked })} />}
          label={t.blocked}
        />
        {tag !== '' && <Chip color="primary" label={t.tag(tag)} onDelete={() => set({ tag: '' })} />}
      </Stack>
      <Rows
        query={query}
        label={t.people}
        keyOf={({ id }) => id}
        empty={<EmptyState icon={SearchOff} title={t.nothing} text={t.nothingText} />}
      >
        {(contact) => (
          <ContactRow contact={contact} presence={presence(contact.userId)} onTag={(next) => set({ tag: next })} />
        )}
      </Rows>
    </Section>
  )
}

interface ContactRowProps {
  contact: Contact
  /** Empty if it is not known. */
  presence: string
  onTag: (tag: string) => void
}

function ContactRow({ contact, presence, onTag }: ContactRowProps) {
  const t = useTexts(words)
  const may = useMay()
  const { id, userId, nickname, avatarUrl, remark, tags, blocked, twoWay } = contact
  const name = shownName(contact)
  const state = blocked ? t.isBlocked : twoWay ? '' : t.oneWay
  return (
    <Row
      title={
        <Named
          name={name}
          url={avatarUrl}
          details={[remark === '' ? '' : nickname, state, presence].filter((part) => part !== '').join(' · ')}
        >
          <MuiLink component={Link} to={`/contacts/${id}`} sx={{ display: 'inline-block', py: 0.5 }}>
            {name}
          </MuiLink>
          {tags.map((tag) => (
            <Chip
              key={tag}
              size="small"
              variant="outlined"
              label={tag}
              onClick={() => onTag(tag)}
              sx={{ ml: 1, my: 0.25 }}
            />
          ))}
        </Named>
      }
      actions={
        !blocked &&
        may('messages.send') && (
          <IconButton
            component={Link}
            to={`/chats/with/${userId}`}
            aria-label={t.chat(name)}
            sx={{ width: 44, height: 44 }}
          >
            <Chat />
          </IconButton>
        )
      }
    />
  )
}

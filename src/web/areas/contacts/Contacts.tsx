/** The page of contacts with its tabs: list, requests, own card, privacy. */

import { PersonAdd } from '@mui/icons-material'
import { Button } from '@mui/material'
import { useCallback } from 'react'
import { Link } from 'react-router'

import { useCall, useRefresh } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useLive } from '../../session/live.ts'
import { useMay } from '../../session/session.ts'
import { ContactPrivacy } from '../../ui/ContactPrivacy.tsx'
import { TabbedPage } from '../../ui/TabbedPage.tsx'
import { ContactList } from './ContactList.tsx'
import { MyCard } from './MyCard.tsx'
import { Requests } from './Requests.tsx'

const words = texts({
  en: {
    title: 'Contacts',
    list: 'People',
    requests: 'Requests',
    requestsOf: (n: number) => `Requests (${n})`,
    card: 'My card',
    privacy: 'Privacy',
    add: 'Add contact',
  },
  zh: {
    title: '联系人',
    list: '联系人',
    requests: '申请',
    requestsOf: (n: number) => `申请（${n}）`,
    card: '我的名片',
    privacy: '隐私',
    add: '添加联系人',
  },
})

export default function Contacts() {
  const t = useTexts(words)
  const may = useMay()
  const refresh = useRefresh()
  const waiting = useCall('contacts.pendingCount').data?.count ?? 0
  useLive(
    'contact.request',
    // oxlint-disable-next-line react/exhaustive-deps -- `refresh` is a new function each time and always does the same
    useCallback(() => void refresh('contacts'), []),
  )
  return (
    <TabbedPage
      title={t.title}
      actions={
        may('contacts.request') && (
          <Button variant="contained" startIcon={<PersonAdd />} component={Link} to="/contacts/add" data-create>
            {t.add}
          </Button>
        )
      }
      tabs={[
        { key: 'list', label: t.list, content: <ContactList /> },
        { key: 'requests', label: waiting > 0 ? t.requestsOf(waiting) : t.requests, content: <Requests /> },
        { key: 'card', label: t.card, content: <MyCard /> },
        { key: 'privacy', label: t.privacy, content: <ContactPrivacy /> },
      ]}
    />
  )
}

/** The frame of the pages about the account: title, tabs, and cards below them. */

import { Tab, Tabs } from '@mui/material'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { texts, useTexts } from '../../i18n/words.ts'
import { Page } from '../../ui/Page.tsx'

const words = texts({
  en: {
    title: 'Account',
    profile: 'Profile',
    security: 'Security',
    devices: 'Devices',
    history: 'History',
    links: 'Linked accounts',
    webhooks: 'Webhooks',
    storage: 'Storage and sync',
    privacy: 'Privacy',
    data: 'Your data',
  },
  zh: {
    title: '账号',
    profile: '个人资料',
    security: '安全',
    devices: '设备',
    history: '登录记录',
    links: '关联账号',
    webhooks: 'Webhook',
    storage: '存储与同步',
    privacy: '隐私',
    data: '你的数据',
  },
})

const TABS = ['profile', 'security', 'devices', 'history', 'links', 'webhooks', 'storage', 'privacy', 'data'] as const
export type AccountTab = (typeof TABS)[number]

export function AccountPage({ tab, children }: { tab: AccountTab; children: ReactNode }) {
  const t = useTexts(words)
  return (
    <Page title={t.title}>
      <Tabs
        value={tab}
        variant="scrollable"
        aria-label={t.title}
        sx={{ mb: 2, borderBottom: 1, borderColor: 'divider', maxWidth: { xs: 'calc(100vw - 24px)', sm: 'none' } }}
      >
        {TABS.map((each) => (
          <Tab
            key={each}
            value={each}
            label={t[each]}
            component={Link}
            to={each === 'profile' ? '/account' : `/account/${each}`}
          />
        ))}
      </Tabs>
      {children}
    </Page>
  )
}

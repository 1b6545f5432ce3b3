/** The page of one row: heading, actions, and tabs whose name is in the address (`?tab=history`). */

import { Box, Tab, Tabs } from '@mui/material'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'

import { leave } from '../browser/unsaved.ts'
import { Page, type PageProps } from './Page.tsx'
import { useIsPhone } from './use-is-phone.ts'

export interface TabOfPage {
  readonly key: string
  readonly label: string
  /** Drawn when the tab is open. */
  readonly content: ReactNode
  /** False: the user may not see it. */
  readonly isShown?: boolean
}

export function TabbedPage({
  tabs,
  head,
  actions,
  ...page
}: Omit<PageProps, 'children'> & { tabs: readonly TabOfPage[]; head?: ReactNode }) {
  const [search, setSearch] = useSearchParams()
  const isPhone = useIsPhone()
  const shown = tabs.filter(({ isShown }) => isShown !== false)
  const open = shown.find(({ key }) => key === search.get('tab')) ?? shown[0]
  return (
    <Page {...page} actions={isPhone ? undefined : actions}>
      {head}
      {isPhone && actions && <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mb: 1 }}>{actions}</Box>}
      <Tabs
        value={open?.key ?? false}
        onChange={(_, key: string) => leave(() => setSearch({ tab: key }, { replace: true }))}
        variant="scrollable"
        aria-label={page.title}
        sx={{ mb: 2, borderBottom: 1, borderColor: 'divider', maxWidth: { xs: 'calc(100vw - 24px)', sm: 'none' } }}
      >
        {shown.map(({ key, label }) => (
          <Tab key={key} value={key} label={label} id={`tab-${key}`} aria-controls={`panel-${key}`} />
        ))}
      </Tabs>
      {open !== undefined && (
        <Box role="tabpanel" id={`panel-${open.key}`} aria-labelledby={`tab-${open.key}`}>
          {open.content}
        </Box>
      )}
    </Page>
  )
}

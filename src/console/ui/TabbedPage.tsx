/** The page of one row: heading, actions, and tabs whose name is in the address (`?tab=history`). Also facts as a list of names and values. */

import { Box, Card, CardContent, Tab, Tabs, type Theme, Typography, useMediaQuery } from '@mui/material'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'

import { Page, type PageProps } from './Page.tsx'

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
  const isPhone = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'))
  const shown = tabs.filter(({ isShown }) => isShown !== false)
  const open = shown.find(({ key }) => key === search.get('tab')) ?? shown[0]
  return (
    <Page {...page} actions={isPhone ? undefined : actions}>
      {head}
      {isPhone && actions && <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mb: 1 }}>{actions}</Box>}
      <Tabs
        value={open?.key ?? false}
        onChange={(_, key: string) => setSearch({ tab: key }, { replace: true })}
        variant="scrollable"
        scrollButtons="auto"
        allowScrollButtonsMobile
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

/** A card with a heading and buttons at its right. */
export function Section({ title, actions, children }: { title?: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <Card sx={{ mb: 2 }}>
      <CardContent sx={{ '&:last-child': { pb: 2 } }}>
        {(title !== undefined || actions) && (
          <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 1.5 }}>
            <Typography variant="h2" sx={{ flex: 1, minWidth: 140 }}>
              {title}
            </Typography>
            {actions}
          </Box>
        )}
        {children}
      </CardContent>
    </Card>
  )
}

/** Names and values; entries without a value are left out. */
export function Facts({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: 'grid',
        gridTemplateColumns: { xs: '1fr', sm: 'minmax(140px, max-content) 1fr' },
        columnGap: 3,
      }}
    >
      {items.map(([name, value]) =>
        value === null || value === undefined || value === '' ? null : (
          <Box key={name} sx={{ display: 'contents' }}>
            <Typography component="dt" color="text.secondary" variant="body2" sx={{ pt: 0.75 }}>
              {name}
            </Typography>
            <Typography component="dd" sx={{ m: 0, pb: 0.75, pt: { sm: 0.5 }, minWidth: 0, overflowWrap: 'anywhere' }}>
              {value}
            </Typography>
          </Box>
        ),
      )}
    </Box>
  )
}

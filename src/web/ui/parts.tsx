/** Parts of pages: a card with a heading, names and values, and numbers in cards. */

import { Box, Card, CardContent, Typography } from '@mui/material'
import type { ReactNode } from 'react'

export interface SectionProps {
  title?: string
  /** Below the title. */
  text?: string
  /** Buttons at the right of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** A card with a heading. */
export function Section({ title, text, actions, children }: SectionProps) {
  return (
    <Card variant="outlined" sx={{ mb: 2 }}>
      <CardContent sx={{ '&:last-child': { pb: 2 } }}>
        {(title !== undefined || actions) && (
          <Box
            sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: text === undefined ? 2 : 0.5 }}
          >
            <Typography variant="h2" {...(title === undefined && { component: 'div' })} sx={{ flex: 1, minWidth: 140 }}>
              {title}
            </Typography>
            {actions}
          </Box>
        )}
        {text !== undefined && (
          <Typography variant="body2" color="text.secondary" sx={{ mb: 2 }}>
            {text}
          </Typography>
        )}
        {children}
      </CardContent>
    </Card>
  )
}

/** A name and its value. */
export type Item = readonly [name: string, value: ReactNode]

/** Names and values, one below the other. Items without a value are left out. */
export function Facts({ items }: { items: readonly Item[] }) {
  const given = items.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: 'grid',
        gridTemplateColumns: 'fit-content(40%) 1fr',
        columnGap: 2,
        rowGap: 1,
      }}
    >
      {given.map(([name, value]) => (
        <Box key={name} sx={{ display: 'contents' }}>
          <Typography component="dt" variant="body2" color="text.secondary" sx={{ minWidth: { xs: 72, sm: 120 } }}>
            {name}
          </Typography>
          <Typography
            component="dd"
            variant="body2"
            sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}
          >
            {value}
          </Typography>
        </Box>
      ))}
    </Box>
  )
}

/** Numbers with their names, in a row of cards. */
export function Figures({ items }: { items: readonly Item[] }) {
  return (
    <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: 'repeat(auto-fit, minmax(130px, 1fr))', mb: 2 }}>
      {items.map(([name, value]) => (
        <Card key={name} variant="outlined" sx={{ p: 2 }}>
          <Typography variant="body2" color="text.secondary">
            {name}
          </Typography>
          <Typography sx={{ fontSize: '1.375rem', fontWeight: 650 }}>{value}</Typography>
        </Card>
      ))}
    </Box>
  )
}

/** A card with the rows of one kind of an activity. It explains their purpose and offers to add one, also while there are none. */

import { Card, CardContent, Stack, type SvgIcon, Typography } from '@mui/material'
import type { ReactNode } from 'react'

import { EmptyState } from '../../ui/Answer.tsx'
import { Rows, type RowsProps } from '../../ui/Rows.tsx'

interface RowsCardProps<Item> extends Omit<RowsProps<Item>, 'empty' | 'label'> {
  icon: typeof SvgIcon
  words: { label: string; about: string; empty: string; emptyText: string }
  /** The button that adds a row, for those who may. */
  create: ReactNode
}

export function RowsCard<Item>({ icon, words, create, query, ...rows }: RowsCardProps<Item>) {
  const { label, about, empty, emptyText } = words
  return (
    <Card variant="outlined">
      <CardContent>
        {query.items?.length !== 0 && (
          <Stack direction="row" spacing={1} useFlexGap sx={{ mb: 1, flexWrap: 'wrap', alignItems: 'center' }}>
            <Typography variant="body2" color="text.secondary" sx={{ flex: '1 1 240px' }}>
              {about}
            </Typography>
            {create}
          </Stack>
        )}
        <Rows
          query={query}
          label={label}
          empty={<EmptyState icon={icon} title={empty} text={`${emptyText} ${about}`} action={create || undefined} />}
          {...rows}
        />
      </CardContent>
    </Card>
  )
}

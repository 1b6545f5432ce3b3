/** The search and the choice of a status above a list of registrations or passes. */

import { Stack } from '@mui/material'
import type { ReactNode } from 'react'

import { texts, useTexts } from '../../i18n/words.ts'
import { ChoiceField, type ChoiceFieldProps } from '../../ui/fields.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import type { Filters } from '../../ui/use-filters.ts'
import { activityWords } from './words.ts'

const words = texts({
  en: { status: 'Status', all: 'All' },
  zh: { status: '状态', all: '全部' },
})

interface Values<Status> {
  keyword: string
  status: Status | null
}

export interface SearchAndStatusProps<Status extends string> extends Pick<Filters<Values<Status>>, 'filters' | 'set'> {
  statuses: ChoiceFieldProps<Status>['choices']
  /** A button beside them. */
  action?: ReactNode
}

export function SearchAndStatus<Status extends string>({
  filters,
  set,
  statuses,
  action,
}: SearchAndStatusProps<Status>) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ mb: 1, flexWrap: 'wrap' }}>
      <SearchField
        label={shared.search}
        sx={{ flex: 1, minWidth: 160 }}
        value={filters.keyword}
        onSearch={(keyword) => set({ keyword })}
      />
      <ChoiceField
        label={t.status}
        value={filters.status}
        onChange={(status) => set({ status })}
        choices={statuses}
        none={t.all}
        sx={{ minWidth: 130 }}
      />
      {action}
    </Stack>
  )
}

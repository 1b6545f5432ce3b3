/** The movements of all supplies of the workspace, with filters and as a file. */

import { Box, Card, CardContent, TextField } from '@mui/material'
import { useSearchParams } from 'react-router'

import type { QueryOf, SupplyMovementType } from '../../../api/types.ts'
import { useChoices } from '../../../i18n/enums.ts'
import { timeZone } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ownerQuery, useOwner } from '../../../session/session.ts'
import { ExportMenu } from '../../../ui/ExportMenu.tsx'
import { ChoiceField } from '../../../ui/fields.tsx'
import { Page } from '../../../ui/Page.tsx'
import { LocationPicker, PersonPicker } from '../inputs.tsx'
import { MovementRows } from './MovementRows.tsx'
import { words as shared } from './supply-words.ts'

const words = texts({
  en: {
    title: 'Movements of supplies',
    type: 'Kind',
    all: 'All',
    person: 'Person',
    from: 'From',
    to: 'Until',
  },
  zh: { title: '出入库记录', type: '类型', all: '全部', person: '领用人', from: '开始日期', to: '结束日期' },
})

const DAY = 86_400_000
/** The day begins where the user is. */
const startOf = (day: string): number => new Date(`${day}T00:00:00`).getTime()

export default function Movements() {
  const t = useTexts(words)
  const s = useTexts(shared)
  const [params, setParams] = useSearchParams()
  const types = useChoices('supplyMovement')
  const owner = useOwner()
  const set = (name: string, value: string | number | null) =>
    setParams(
      (now) => {
        if (value === null || value === '') now.delete(name)
        else now.set(name, String(value))
        return now
      },
      { replace: true },
    )
  const id = (name: string) => Number(params.get(name)) || null
  const [type, from, to] = [params.get('type'), params.get('from'), params.get('to')]
  const filters: Partial<QueryOf<'supplies.movements'>> = {
    ...(type !== null && { type: type as SupplyMovementType }),
    ...(id('userId') !== null && { userId: id('userId')! }),
    ...(id('locationId') !== null && { locationId: id('locationId')! }),
    ...(from !== null && { from: startOf(from) }),
    ...(to !== null && { to: startOf(to) + DAY }),
  }
  const dayField = (name: 'from' | 'to', label: string, value: string | null) => (
    <TextField
      type="date"
      label={label}
      value={value ?? ''}
      onChange={({ target }) => set(name, target.value)}
      slotProps={{ inputLabel: { shrink: true } }}
    />
  )
  return (
    <Page
      title={t.title}
      back="/assets/supplies"
      actions={
        <ExportMenu
          operation="supplies.movements"
          input={{ query: { ...ownerQuery(), ...filters, tz: timeZone() } }}
          name="supply-movements"
        />
      }
    >
      <Box
        sx={{ display: 'grid', gap: 1, mb: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 160px), 1fr))' }}
      >
        <ChoiceField label={t.type} value={type} none={t.all} choices={types} onChange={(next) => set('type', next)} />
        {owner !== null && (
          <>
            <PersonPicker label={t.person} value={id('userId')} onChange={(next) => set('userId', next)} />
            <LocationPicker label={s.location} value={id('locationId')} onChange={(next) => set('locationId', next)} />
          </>
        )}
        {dayField('from', t.from, from)}
        {dayField('to', t.to, to)}
      </Box>
      <Card variant="outlined">
        <CardContent>
          <MovementRows filters={filters} />
        </CardContent>
      </Card>
    </Page>
  )
}

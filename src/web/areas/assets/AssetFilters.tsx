/** The filters of the list of assets. They are in the address of the page, so that the way back and bookmarks keep them. */

import { Box, Button, Card, CardContent, TextField } from '@mui/material'
import { useState } from 'react'

import type { QueryOf } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { useChoices } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useSession } from '../../session/session.ts'
import { ChoiceField } from '../../ui/fields.tsx'
import type { FieldSpec } from './fields/model.ts'
import { useAllFields } from './fields/useFields.ts'
import { CategoryPicker, LocationPicker, PersonPicker } from './inputs.tsx'

const words = texts({
  en: {
    ...common.en,
    category: 'Category',
    noCategory: 'Without category',
    location: 'Location',
    noLocation: 'Without location',
    custodian: 'Custodian',
    status: 'Status',
    any: 'Any',
    warrantyFrom: 'Warranty ends from',
    warrantyTo: 'Warranty ends until',
    purchaseFrom: 'Bought from',
    purchaseTo: 'Bought until',
    maintenanceTo: 'Maintenance due until',
    countTo: 'To be counted until',
    field: 'Filter by another field',
    from: (name: string) => `${name}: from`,
    to: (name: string) => `${name}: until`,
    filled: 'Filled',
    open: 'Empty',
    clear: 'Remove all filters',
  },
  zh: {
    ...common.zh,
    category: '分类',
    noCategory: '未分类',
    location: '位置',
    noLocation: '无位置',
    custodian: '保管人',
    status: '状态',
    any: '不限',
    warrantyFrom: '保修到期（起）',
    warrantyTo: '保修到期（止）',
    purchaseFrom: '购买日期（起）',
    purchaseTo: '购买日期（止）',
    maintenanceTo: '维护到期（止）',
    countTo: '应盘点（止）',
    field: '按其他字段筛选',
    from: (name: string) => `${name}（起）`,
    to: (name: string) => `${name}（止）`,
    filled: '已填写',
    open: '未填写',
    clear: '清除所有筛选',
  },
})

const NAMES = [
  'categoryId',
  'locationId',
  'custodianId',
  'status',
  'warrantyFrom',
  'warrantyTo',
  'purchaseFrom',
  'purchaseTo',
  'maintenanceTo',
  'countTo',
] as const
const DAYS = ['warrantyFrom', 'warrantyTo', 'purchaseFrom', 'purchaseTo', 'maintenanceTo', 'countTo'] as const

const isFilter = (name: string) => (NAMES as readonly string[]).includes(name) || name.startsWith('field.')

/** How many filters the address has, beside search and order. */
export const countFilters = (params: URLSearchParams): number => [...params.keys()].filter(isFilter).length

/** The query of lists, exports and maps of assets for an address. */
export function filtersOf(params: URLSearchParams): Partial<QueryOf<'assets.list'>> {
  const given = [...params].filter(([name]) => isFilter(name) || name === 'keyword' || name === 'sort')
  return { ...Object.fromEntries(given), ...ownerQuery() }
}

interface Filters {
  params: URLSearchParams
  set: (name: string, value: string) => void
}

export function AssetFilters({ params, set }: Filters) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const statuses = useChoices('assetStatus')
  const fields = useAllFields().filter((spec) => spec.column === null)
  const [added, setAdded] = useState<readonly number[]>([])
  const idOf = (name: string) => (params.has(name) ? Number(params.get(name)) : null)
  const setId = (name: string) => (id: number | null) => set(name, id === null ? '' : String(id))
  const shown = fields.filter(
    ({ fieldId }) =>
      added.includes(fieldId) || [...params.keys()].some((name) => name.split('.')[1] === String(fieldId)),
  )
  return (
    <Card variant="outlined" sx={{ mb: 1 }}>
      <CardContent
        sx={{
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: {
            xs: 'minmax(0, 1fr)',
            sm: 'repeat(2, minmax(0, 1fr))',
            md: 'repeat(4, minmax(0, 1fr))',
          },
        }}
      >
        <CategoryPicker
          label={t.category}
          value={idOf('categoryId')}
          onChange={setId('categoryId')}
          none={t.noCategory}
        />
        {workspace !== null && (
          <>
            <LocationPicker
              label={t.location}
              value={idOf('locationId')}
              onChange={setId('locationId')}
              none={t.noLocation}
            />
            <PersonPicker label={t.custodian} value={idOf('custodianId')} onChange={setId('custodianId')} />
          </>
        )}
        <ChoiceField
          label={t.status}
          value={params.get('status')}
          choices={statuses}
          none={t.any}
          onChange={(status) => set('status', status ?? '')}
        />
        {DAYS.map((name) => (
          <TextField
            key={name}
            type="date"
            label={t[name]}
            value={params.get(name) ?? ''}
            onChange={(event) => set(name, event.target.value)}
            slotProps={{ inputLabel: { shrink: true } }}
          />
        ))}
        {shown.map((spec) => (
          <FieldFilter key={spec.fieldId} spec={spec} params={params} set={set} />
        ))}
        {fields.length > shown.length && (
          <ChoiceField
            label={t.field}
            value=""
            choices={fields
              .filter((spec) => !shown.includes(spec))
              .map(({ fieldId, name }) => ({ id: String(fieldId), name }))}
            onChange={(id) => setAdded((now) => [...now, Number(id)])}
          />
        )}
        {countFilters(params) > 0 && (
          <Box sx={{ gridColumn: '1 / -1' }}>
            <Button
              size="small"
              onClick={() => {
                for (const name of params.keys().filter(isFilter).toArray()) set(name, '')
                setAdded([])
              }}
            >
              {t.clear}
            </Button>
          </Box>
        )}
      </CardContent>
    </Card>
  )
}

/** The filter by one metadata field, by its type (docs/metadata.md, "Search"). */
function FieldFilter({ spec, params, set }: Filters & { spec: FieldSpec }) {
  const t = useTexts(words)
  const name = `field.${spec.fieldId}`
  const value = params.get(name) ?? ''
  const { type, config } = spec
  const choice = (choices: { id: string; name: string }[]) => (
    <ChoiceField
      label={spec.name}
      value={value || null}
      none={t.any}
      choices={choices}
      onChange={(chosen) => set(name, chosen ?? '')}
    />
  )
  if (type === 'BOOLEAN')
    return choice([
      { id: 'true', name: config.trueLabel ?? t.yes },
      { id: 'false', name: config.falseLabel ?? t.no },
    ])
  if (config.options !== undefined)
    return choice(config.options.map((option) => ({ id: option.value, name: option.label })))
  if (type === 'GEO' || type === 'PHOTO' || type === 'ATTACHMENT')
    return choice([
      { id: 'true', name: t.filled },
      { id: 'false', name: t.open },
    ])
  const isDay = type === 'DATE' || type === 'DATETIME' || (type === 'COMPUTED' && config.resultType === 'DATE')
  if (isDay || type === 'NUMBER' || (type === 'COMPUTED' && config.resultType === 'NUMBER'))
    return (['min', 'max'] as const).map((end) => (
      <TextField
        key={end}
        type={isDay ? 'date' : 'number'}
        label={(end === 'min' ? t.from : t.to)(spec.name)}
        value={params.get(`${name}.${end}`)?.slice(0, isDay ? 10 : undefined) ?? ''}
        onChange={(event) => set(`${name}.${end}`, event.target.value)}
        slotProps={isDay ? { inputLabel: { shrink: true } } : {}}
      />
    ))
  return <TextField label={spec.name} value={value} onChange={(event) => set(name, event.target.value)} />
}

/** The filters of tables: one record for each, whose kind decides its input. Those that are not `always` shown are added from a menu. */

import { CheckBox, CheckBoxOutlineBlank, Clear, FilterList, RemoveCircleOutlineOutlined } from '@mui/icons-material'
import {
  Autocomplete,
  Box,
  Button,
  Divider,
  IconButton,
  ListItemIcon,
  ListItemText,
  Menu,
  MenuItem,
  TextField,
} from '@mui/material'
import { useState } from 'react'

import type { PagedId } from '../../api/pages.ts'
import type { QueryOf } from '../../api/types.ts'
import { type EnumName, useChoices } from '../../i18n/enums.ts'
import { inputTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { OrgPicker, UserPicker } from '../pickers.tsx'
import { SearchField } from '../SearchField.tsx'
import { useTyping } from '../use-typing.ts'

const words = texts({
  en: {
    add: 'Add filter',
    remove: 'Remove this filter',
    removeAll: 'Remove all filters',
    search: 'Search',
    any: 'Any',
  },
  zh: { add: '添加筛选', remove: '移除此筛选', removeAll: '移除所有筛选', search: '搜索', any: '不限' },
})

export interface Choice {
  readonly id: string
  readonly name: string
}

type Kind =
  | { readonly kind: 'search' }
  | { readonly kind: 'text' }
  | { readonly kind: 'enum'; readonly of: EnumName }
  /** Many choices are searched, a few are a list. */
  | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
  /** In the address as `2026-11-23T06:05Z`, for the operation as epoch milliseconds. */
  | { readonly kind: 'time' }
  /** `2026-11-23` */
  | { readonly kind: 'day' }
  | { readonly kind: 'number' }
  /** Offered to administrators who may list users or organizations. */
  | { readonly kind: 'user' }
  | { readonly kind: 'org' }

interface AnyFilter {
  readonly source: string
  /** By default the label of `source` in i18n/fields.ts. */
  readonly label?: string
  /** Is shown from the beginning. */
  readonly always?: true
}

/** A filter of the query of an operation. */
export type Filter<Id extends PagedId> = AnyFilter & Kind & { readonly source: keyof QueryOf<Id> & string }

export type LabelledFilter = AnyFilter & Kind & { readonly label: string }

/** Filters that most tables have. */
export const searchFilter = { source: 'keyword', kind: 'search', always: true } as const
export const timeFilters = [
  { source: 'from', kind: 'time' },
  { source: 'to', kind: 'time' },
] as const

/** The values for the query of the operation. Times that cannot be read are left out. */
export const queryOf = (
  filters: readonly LabelledFilter[],
  values: Readonly<Record<string, string>>,
): Record<string, string | number> =>
  Object.fromEntries(
    filters.flatMap<[string, string | number]>(({ source, kind }) => {
      const value = values[source]
      if (value === undefined) return []
      if (kind !== 'time') return [[source, value]]
      const time = Date.parse(value)
      return Number.isNaN(time) ? [] : [[source, time]]
    }),
  )

/** Whether the user may use a filter. */
export function useMayFilter(): (filter: AnyFilter & Kind) => boolean {
  const may = useMay()
  return ({ kind }) => {
    if (kind === 'user') return may('admin.users.list') && may('admin.users.get')
    return kind !== 'org' || (may('admin.orgs.list') && may('admin.orgs.get'))
  }
}

interface InputProps {
  filter: LabelledFilter
  value: string
  onChange: (value: string) => void
}

function FilterInput({ filter, value, onChange }: InputProps) {
  const t = useTexts(words)
  const { label, kind } = filter
  switch (kind) {
    case 'search':
      return <SearchField label={t.search} isCompact value={value} onSearch={onChange} />
    case 'text':
      return <TextInput label={label} value={value} onChange={onChange} />
    case 'enum':
      return <EnumInput label={label} of={filter.of} value={value} onChange={onChange} />
    case 'choice':
      return <ChoiceInput label={label} choices={filter.choices} value={value} onChange={onChange} />
    case 'user':
    case 'org': {
      const Picker = kind === 'user' ? UserPicker : OrgPicker
      return (
        <Box sx={WIDE}>
          <Picker label={label} value={Number(value) || null} onChange={(id) => onChange(String(id ?? ''))} />
        </Box>
      )
    }
    case 'number':
      return <NumberInput label={label} value={value} onChange={onChange} />
    default:
      return <MomentInput label={label} isDay={kind === 'day'} value={value} onChange={onChange} />
  }
}

type ValueProps = Pick<InputProps, 'value' | 'onChange'> & { label: string }

const EnumInput = ({ of, ...props }: ValueProps & { of: EnumName }) => (
  <ChoiceInput {...props} choices={useChoices(of)} />
)

const WIDE = { width: '100%', minWidth: { xs: 0, sm: 220 } }

/** More choices than fit into a list. */
const MANY = 15

function ChoiceInput({ label, choices, value, onChange }: ValueProps & { choices: readonly Choice[] }) {
  const t = useTexts(words)
  const chosen = choices.find(({ id }) => id === value)
  if (choices.length > MANY)
    return (
      <Autocomplete
        value={chosen ?? null}
        options={choices}
        getOptionLabel={({ name }) => name}
        getOptionKey={({ id }) => id}
        isOptionEqualToValue={(a, b) => a.id === b.id}
        onChange={(_, choice) => onChange(choice?.id ?? '')}
        renderInput={(params) => <TextField {...params} label={label} />}
        sx={WIDE}
      />
    )
  return (
    <TextField select label={label} value={chosen?.id ?? ''} onChange={({ target }) => onChange(target.value)}>
      <MenuItem value="">{t.any}</MenuItem>
      {choices.map(({ id, name }) => (
        <MenuItem key={id} value={id}>
          {name}
        </MenuItem>
      ))}
    </TextField>
  )
}

function TextInput({ label, value, onChange }: ValueProps) {
  const [typed, type] = useTyping(value, onChange)
  return <TextField label={label} value={typed} onChange={({ target }) => type(target.value)} />
}

function NumberInput({ label, value, onChange }: ValueProps) {
  const [typed, type] = useTyping(value, onChange)
  return (
    <TextField
      label={label}
      value={typed}
      onChange={({ target }) => type(target.value.replaceAll(/\D/g, ''))}
      slotProps={{ htmlInput: { inputMode: 'numeric', maxLength: 15 } }}
    />
  )
}

function MomentInput({ label, isDay, value, onChange }: ValueProps & { isDay: boolean }) {
  const time = Date.parse(value)
  const shown = isDay ? value : inputTime(Number.isNaN(time) ? null : time)
  const [typed, type] = useTyping(shown, (text) =>
    onChange(isDay || text === '' ? text : `${new Date(text).toISOString().slice(0, 16)}Z`),
  )
  return (
    <TextField
      type={isDay ? 'date' : 'datetime-local'}
      label={label}
      value={typed}
      // Browsers report a date that is only typed in part as empty.
      onChange={({ target }) => target.validity.badInput || type(target.value)}
      slotProps={{ inputLabel: { shrink: true }, htmlInput: { max: isDay ? '9999-12-31' : '9999-12-31T23:59' } }}
    />
  )
}

export interface FilterBarProps {
  /** The filters whose inputs are shown. */
  shown: readonly LabelledFilter[]
  values: Readonly<Record<string, string>>
  onChange: (source: string, value: string) => void
  /** Takes away an input that is not always shown. */
  onRemove: (source: string) => void
}

export function FilterBar({ shown, values, onChange, onRemove }: FilterBarProps) {
  const t = useTexts(words)
  return (
    <Box sx={BAR}>
      {shown.map((filter) => (
        <Box key={filter.source} data-filter={filter.source} {...(filter.kind === 'search' && { 'data-search': true })}>
          <FilterInput
            filter={filter}
            value={values[filter.source] ?? ''}
            onChange={(value) => onChange(filter.source, value)}
          />
          {!filter.always && (
            <IconButton size="small" aria-label={t.remove} title={t.remove} onClick={() => onRemove(filter.source)}>
              <RemoveCircleOutlineOutlined />
            </IconButton>
          )}
        </Box>
      ))}
    </Box>
  )
}

/** Two filters share a row on phones. */
const BAR = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 1,
  mb: 1.5,
  '& > div': { display: 'flex', alignItems: 'center', flex: { xs: '1 1 45%', sm: 'none' }, minWidth: 0 },
  '& .MuiFormControl-root': { width: { xs: '100%', sm: 'auto' }, minWidth: { xs: 0, sm: 160 } },
}

function focusFilter(source: string | undefined): void {
  if (source === undefined) return
  document.querySelector<HTMLElement>(`[data-filter="${source}"] :is([role=combobox], input)`)?.focus()
}

export interface FilterButtonProps extends Pick<FilterBarProps, 'shown' | 'onRemove'> {
  filters: readonly LabelledFilter[]
  hasValues: boolean
  onAdd: (source: string) => void
  onClear: () => void
  isPhone: boolean
}

/** The menu of the filters that are not always shown. */
export function FilterButton({ filters, shown, hasValues, onAdd, onRemove, onClear, isPhone }: FilterButtonProps) {
  const t = useTexts(words)
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const [added, setAdded] = useState<string>()
  const optional = filters.filter(({ always }) => !always)
  if (optional.length === 0 && !hasValues) return null
  const choose = (action: () => void) => () => {
    setAdded(undefined)
    setAnchor(null)
    action()
  }
  const opener = {
    'aria-haspopup': 'menu',
    onClick: ({ currentTarget }: { currentTarget: HTMLElement }) => setAnchor(currentTarget),
  } as const
  return (
    <>
      {isPhone ? (
        <IconButton color="primary" aria-label={t.add} {...opener} sx={{ width: 44, height: 44 }}>
          <FilterList />
        </IconButton>
      ) : (
        <Button size="small" startIcon={<FilterList />} {...opener}>
          {t.add}
        </Button>
      )}
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={() => setAnchor(null)}
        // The input that was added gets the focus, which the menu has given back to its button.
        slotProps={{ transition: { onExited: () => focusFilter(added) } }}
      >
        {optional.map(({ source, label }) => {
          const isShown = shown.some((one) => one.source === source)
          return (
            <MenuItem
              key={source}
              onClick={choose(() => {
                if (isShown) return onRemove(source)
                setAdded(source)
                onAdd(source)
              })}
            >
              <ListItemIcon>
                {isShown ? <CheckBox fontSize="small" /> : <CheckBoxOutlineBlank fontSize="small" />}
              </ListItemIcon>
              <ListItemText>{label}</ListItemText>
            </MenuItem>
          )
        })}
        {hasValues && [
          <Divider key="line" />,
          <MenuItem key="all" onClick={choose(onClear)}>
            <ListItemIcon>
              <Clear fontSize="small" />
            </ListItemIcon>
            <ListItemText>{t.removeAll}</ListItemText>
          </MenuItem>,
        ]}
      </Menu>
    </>
  )
}

/** Inputs that find a user or an organization by name. */

import { Autocomplete, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../api/hooks.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'
import { useSettled } from './use-settled.ts'

const words = texts({
  en: {
    user: 'User',
    org: 'Organization',
    nobody: 'No user has this name.',
    none: 'No organization has this name.',
    loading: 'Searching…',
    number: (label: string) => `${label} (number)`,
  },
  zh: {
    user: '用户',
    org: '组织',
    nobody: '没有这个名称的用户。',
    none: '没有这个名称的组织。',
    loading: '正在搜索…',
    number: (label: string) => `${label}（编号）`,
  },
})

interface Choice {
  readonly id: number
  readonly name: string
  /** Distinguishes rows with the same name. */
  readonly detail: string
}

export interface PickerProps {
  value: number | null
  onChange: (id: number | null) => void
  label?: string
  /** The message of the server about this field. */
  error?: string | undefined
  required?: boolean
  autoFocus?: boolean
}

/** Finds a user by username, nickname, phone or e-mail. */
export function UserPicker(props: PickerProps) {
  const t = useTexts(words)
  const [keyword, setKeyword] = useState('')
  const searched = useSettled(keyword.trim())
  const { value } = props
  const may = useMay()
  const mayList = may('admin.users.list')
  const found = useCall(
    'admin.users.list',
    { query: { size: 20, ...(searched && { keyword: searched }) } },
    { keepPrevious: true, enabled: mayList },
  )
  const chosen = useCall(
    'admin.users.get',
    { params: { userId: value ?? 0 } },
    { enabled: value !== null && may('admin.users.get') },
  )
  if (!mayList) return <ById {...props} label={props.label ?? t.user} />
  const choice = ({ id, nickname, username }: { id: number; nickname: string; username: string | null }): Choice => ({
    id,
    name: nickname || username || String(id),
    detail: username ?? `ID ${id}`,
  })
  return (
    <Picker
      {...props}
      label={props.label ?? t.user}
      none={t.nobody}
      isLoading={found.isFetching}
      choices={found.data?.items.map(choice) ?? []}
      chosen={chosen.data && choice(chosen.data)}
      onSearch={setKeyword}
    />
  )
}

/** Finds an organization by name or code. */
export function OrgPicker(props: PickerProps) {
  const t = useTexts(words)
  const [keyword, setKeyword] = useState('')
  const searched = useSettled(keyword.trim())
  const { value } = props
  const may = useMay()
  const mayList = may('admin.orgs.list')
  const found = useCall(
    'admin.orgs.list',
    { query: { size: 20, ...(searched && { keyword: searched }) } },
    { keepPrevious: true, enabled: mayList },
  )
  const chosen = useCall(
    'admin.orgs.get',
    { params: { orgId: value ?? 0 } },
    { enabled: value !== null && may('admin.orgs.get') },
  )
  if (!mayList) return <ById {...props} label={props.label ?? t.org} />
  const choice = ({ id, name, code }: { id: number; name: string; code: string }): Choice => ({
    id,
    name,
    detail: code,
  })
  return (
    <Picker
      {...props}
      label={props.label ?? t.org}
      none={t.none}
      isLoading={found.isFetching}
      choices={found.data?.items.map(choice) ?? []}
      chosen={chosen.data && choice(chosen.data)}
      onSearch={setKeyword}
    />
  )
}

/** For administrators who may choose but may not search: the number of the row. */
function ById({ value, onChange, label, error, required, autoFocus }: PickerProps & { label: string }) {
  const t = useTexts(words)
  return (
    <TextField
      type="number"
      label={t.number(label)}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? null : Number(target.value))}
      required={required ?? false}
      autoFocus={autoFocus ?? false}
      error={error !== undefined}
      helperText={error}
      slotProps={{ htmlInput: { min: 1 } }}
    />
  )
}

interface PickerViewProps extends PickerProps {
  label: string
  none: string
  isLoading: boolean
  choices: readonly Choice[]
  chosen: Choice | undefined
  onSearch: (keyword: string) => void
}

function Picker(props: PickerViewProps) {
  const { value, onChange, label, error, required, autoFocus, none, isLoading, choices, chosen, onSearch } = props
  const t = useTexts(words)
  // A choice that was just made is not read from the server again before it is shown.
  const [last, setLast] = useState<Choice | null>(null)
  const shown = value === null ? null : (chosen ?? (last?.id === value ? last : null))
  return (
    <Autocomplete
      value={shown}
      options={choices}
      filterOptions={(all) => all}
      getOptionLabel={({ name }) => name}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(a, b) => a.id === b.id}
      loading={isLoading}
      loadingText={t.loading}
      noOptionsText={isLoading ? t.loading : none}
      onChange={(_, choice) => {
        setLast(choice)
        onChange(choice?.id ?? null)
      }}
      onInputChange={(_, text, reason) => onSearch(reason === 'input' ? text : '')}
      renderOption={({ key, ...rest }, { name, detail }) => (
        <li key={key} {...rest}>
          <span>
            {name}
            <Typography component="span" variant="caption" color="text.secondary" sx={{ display: 'block' }}>
              {detail}
            </Typography>
          </span>
        </li>
      )}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          required={required ?? false}
          autoFocus={autoFocus ?? false}
          error={error !== undefined}
          helperText={error}
        />
      )}
    />
  )
}

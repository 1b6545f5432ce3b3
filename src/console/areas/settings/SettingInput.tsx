/** The input for the value of one setting, by its type. */

import { Autocomplete, FormControlLabel, MenuItem, Switch, TextField } from '@mui/material'

import type { Setting } from '../../api/types.ts'
import { bytes, number } from '../../i18n/format.ts'
import { useTexts } from '../../i18n/words.ts'
import { settingWords } from './words.ts'

export type Value = Setting['value']
type Words = (typeof settingWords)['en']

/** Settings of type STRING with a few possible values. */
const CHOICES: Readonly<Record<string, readonly ('OFF' | 'DAILY' | 'WEEKLY')[]>> = {
  'backup.schedule': ['OFF', 'DAILY', 'WEEKLY'],
}

const isSize = (key: string): boolean => /Bytes$|_size$|^quota\.storage$/.test(key)

/** The value in words: `1.1 GB (1073741824)`. */
export function shownValue({ key }: Setting, value: Value, t: Words): string {
  if (typeof value === 'boolean') return value ? t.on : t.off
  if (typeof value === 'number') return isSize(key) && value > 0 ? `${bytes(value)} (${value})` : String(value)
  if (Array.isArray(value)) return value.join(', ') || t.empty
  if (CHOICES[key] !== undefined) return t[value as 'OFF' | 'DAILY' | 'WEEKLY'] ?? value
  return value || t.empty
}

/** `0–365`; undefined for settings without a range. */
export function rangeOf({ min, max }: Setting, t: Words): string | undefined {
  if (min === null && max === null) return undefined
  if (max === null || max >= Number.MAX_SAFE_INTEGER) return t.atLeast(number(min ?? 0))
  return `${number(min ?? 0)}–${number(max)}`
}

export interface SettingInputProps {
  setting: Setting
  value: Value
  disabled: boolean
  problem: string | undefined
  onChange: (value: Value) => void
}

export function SettingInput({ setting, value, disabled, problem, onChange }: SettingInputProps) {
  const t = useTexts(settingWords)
  const { key, type, min, max, label } = setting
  const common = {
    fullWidth: true,
    disabled,
    error: problem !== undefined,
    slotProps: { htmlInput: { 'aria-label': label, 'aria-describedby': `help-${key}` } },
  }
  if (type === 'BOOLEAN')
    return (
      <FormControlLabel
        disabled={disabled}
        control={
          <Switch
            checked={value === true}
            onChange={({ target }) => onChange(target.checked)}
            slotProps={{ input: { 'aria-label': label, 'aria-describedby': `help-${key}` } }}
          />
        }
        label={value === true ? t.on : t.off}
      />
    )
  if (type === 'LIST')
    return (
      <Autocomplete
        multiple
        freeSolo
        disabled={disabled}
        options={setting.default as string[]}
        value={value as string[]}
        onChange={(_, chosen) => onChange(chosen)}
        filterSelectedOptions
        slotProps={{ chip: { size: 'small' } }}
        renderInput={(params) => (
          <TextField {...params} label={label} error={problem !== undefined} helperText={problem} />
        )}
      />
    )
  if (type === 'INTEGER')
    return (
      <TextField
        {...common}
        type="number"
        value={value}
        helperText={problem ?? (isSize(key) && Number(value) > 0 ? bytes(Number(value)) : undefined)}
        onChange={({ target }) => onChange(target.value === '' ? '' : Number(target.value))}
        slotProps={{
          htmlInput: {
            ...common.slotProps.htmlInput,
            ...(min !== null && { min }),
            ...(max !== null && max < Number.MAX_SAFE_INTEGER && { max }),
            step: 1,
          },
        }}
      />
    )
  const choices = CHOICES[key]
  if (choices !== undefined)
    return (
      <TextField
        {...common}
        select
        value={value}
        helperText={problem}
        onChange={({ target }) => onChange(target.value)}
        slotProps={{ select: { inputProps: { 'aria-label': label } } }}
      >
        {choices.map((choice) => (
          <MenuItem key={choice} value={choice}>
            {t[choice]}
          </MenuItem>
        ))}
      </TextField>
    )
  return (
    <TextField
      {...common}
      value={value}
      helperText={problem}
      multiline={key === 'app.release_notes'}
      maxRows={6}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

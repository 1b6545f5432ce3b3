/** The input for the value of one setting, by its type. */

import { Autocomplete, FormControlLabel, InputAdornment, MenuItem, Switch, TextField } from '@mui/material'

import type { Setting } from '../../api/types.ts'
import { bytes, number } from '../../i18n/format.ts'
import { useTexts } from '../../i18n/words.ts'
import { settingWords } from './words.ts'

/** The document names no type of `value` and `default`, because generated clients cannot read unions. */
export type Value = boolean | number | string | string[]
type Words = (typeof settingWords)['en']

const isSize = (key: string): boolean => /Bytes$|^quota\.storage$/.test(key)
const MEGABYTE = 1024 * 1024

function choiceWord(key: string, value: string, t: Words): string {
  const choices: Readonly<Record<string, string>> = t.choices
  return choices[`${key}.${value}`] ?? choices[value] ?? value
}

/** The value in words: `1 GB`. */
export function shownValue({ key, choices }: Setting, value: Value, t: Words): string {
  if (typeof value === 'boolean') return value ? t.on : t.off
  if (typeof value === 'number') return isSize(key) && value > 0 ? bytes(value) : number(value)
  if (Array.isArray(value)) return value.join(', ') || t.empty
  return (choices === null ? value : choiceWord(key, value, t)) || t.empty
}

/** `0–365`; undefined for settings without a range. */
export function rangeOf({ key, min, max }: Setting, t: Words): string | undefined {
  if (min === null || max === null) return undefined
  const shown = isSize(key) ? bytes : number
  return max >= Number.MAX_SAFE_INTEGER ? t.atLeast(number(min)) : `${shown(min)}–${shown(max)}`
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
  const { key, type, min, max, choices, label } = setting
  const common = {
    fullWidth: true,
    disabled,
    error: problem !== undefined,
    slotProps: {
      htmlInput: {
        'aria-label': label,
        'aria-describedby': `help-${key}${problem === undefined ? '' : ` problem-${key}`}`,
      },
      formHelperText: { id: `problem-${key}` },
    },
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
        freeSolo={choices === null}
        disabled={disabled}
        options={choices ?? (setting.default as string[])}
        value={value as string[]}
        onChange={(_, chosen) => onChange(chosen)}
        filterSelectedOptions
        slotProps={{ chip: { size: 'small' } }}
        renderInput={(params) => (
          <TextField {...params} label={label} error={problem !== undefined} helperText={problem} />
        )}
      />
    )
  if (type === 'INTEGER') {
    const unit = isSize(key) ? MEGABYTE : 1
    return (
      <TextField
        {...common}
        type="number"
        value={value === '' ? '' : Number((Number(value) / unit).toFixed(3))}
        helperText={problem}
        onChange={({ target }) => onChange(target.value === '' ? '' : Math.round(Number(target.value) * unit))}
        slotProps={{
          ...common.slotProps,
          htmlInput: {
            ...common.slotProps.htmlInput,
            ...(min !== null && { min: Math.floor(min / unit) }),
            ...(max !== null && max < Number.MAX_SAFE_INTEGER && { max: max / unit }),
            step: unit === 1 ? 1 : 'any',
          },
          input: { endAdornment: unit !== 1 && <InputAdornment position="end">MB</InputAdornment> },
        }}
      />
    )
  }
  if (choices !== null)
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
            {choiceWord(key, choice, t)}
          </MenuItem>
        ))}
      </TextField>
    )
  return <TextField {...common} value={value} helperText={problem} onChange={({ target }) => onChange(target.value)} />
}

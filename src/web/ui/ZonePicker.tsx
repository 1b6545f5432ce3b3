/** Finds a time zone by its city, its name or its offset. */

import { Autocomplete, TextField, Typography } from '@mui/material'
import { useMemo, useState } from 'react'

import { timeZone } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { zoneName } from '../i18n/zones.ts'

const words = texts({
  en: { none: 'No time zone has this name.' },
  zh: { none: '没有这个时区。' },
})

export interface ZonePickerProps {
  label: string
  value: string
  onChange: (zone: string) => void
  /** The moment for which names and offsets are shown. */
  at: number
  error?: string | undefined
}

const textOf = (zone: string): string => zone.replaceAll('_', ' ')

export function ZonePicker({ label, value, onChange, at, error }: ZonePickerProps) {
  const t = useTexts(words)
  const [isOpen, setOpen] = useState(false)
  // The chosen one and that of the browser come first.
  const zones = useMemo(() => [...new Set([value, timeZone(), ...Intl.supportedValuesOf('timeZone')])], [value])
  // All names take some 50 ms, so they are made when the list opens.
  const names = useMemo(
    () => new Map(isOpen ? zones.map((zone) => [zone, zoneName(at, zone)]) : []),
    [isOpen, zones, at],
  )
  return (
    <Autocomplete
      fullWidth
      disableClearable
      blurOnSelect
      options={zones}
      value={value}
      onChange={(_, zone) => onChange(zone)}
      onOpen={() => setOpen(true)}
      onClose={() => setOpen(false)}
      getOptionLabel={textOf}
      filterOptions={(options, { inputValue }) => {
        const parts = inputValue === textOf(value) ? [] : inputValue.toLowerCase().split(/\s+/)
        return options.filter((zone) => {
          const text = `${textOf(zone)} ${names.get(zone) ?? ''}`.toLowerCase()
          return parts.every((part) => text.includes(part))
        })
      }}
      noOptionsText={t.none}
      // Half of a phone's screen is its keyboard.
      slotProps={{ listbox: { sx: { maxHeight: '40vh' } } }}
      renderOption={({ key, ...rest }, zone) => (
        <li key={key} {...rest}>
          <span>
            {textOf(zone)}
            <Typography component="span" variant="caption" color="text.secondary" sx={{ display: 'block' }}>
              {names.get(zone)}
            </Typography>
          </span>
        </li>
      )}
      renderInput={(params) => (
        <TextField {...params} label={label} error={error !== undefined} helperText={error ?? zoneName(at, value)} />
      )}
    />
  )
}

/** A choice among a few words, drawn as chips: a group of radio buttons, which is one stop of the Tab key. */

import { Chip, Stack } from '@mui/material'
import { useId } from 'react'

export interface ChipFieldProps<T extends string> {
  label: string
  value: T
  onChange: (value: T) => void
  /** Values and their words. */
  choices: readonly (readonly [value: T, word: string])[]
}

export function ChipField<T extends string>({ label, value, onChange, choices }: ChipFieldProps<T>) {
  const name = useId()
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }} role="radiogroup" aria-label={label}>
      {choices.map(([each, word]) => (
        <Chip
          key={each}
          component="label"
          label={
            <>
              {word}
              <input
                type="radio"
                name={name}
                checked={each === value}
                onChange={() => onChange(each)}
                style={{ position: 'absolute', inset: 0, margin: 0, opacity: 0, cursor: 'pointer' }}
              />
            </>
          }
          color={each === value ? 'primary' : 'default'}
          variant={each === value ? 'filled' : 'outlined'}
          sx={{
            position: 'relative',
            height: 44,
            borderRadius: 22,
            px: 0.5,
            '&:has(:focus-visible)': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: '2px' },
            '&:hover': { borderColor: 'primary.main' },
          }}
        />
      ))}
    </Stack>
  )
}

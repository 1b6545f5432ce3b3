/** A drop-down list of things of which several are chosen, by their ids. */

import { Checkbox, ListItemText, MenuItem, TextField } from '@mui/material'

import type { FieldProps } from '../../ui/use-form.tsx'

export interface ManyFieldProps extends FieldProps<number[]> {
  choices: readonly { readonly id: number; readonly name: string }[]
}

export function ManyField({ value, onChange, error, help, choices, ...rest }: ManyFieldProps) {
  const nameOf = (id: number): string => choices.find((one) => one.id === id)?.name ?? `#${id}`
  // Those that were deleted meanwhile can be taken out.
  const unknown = value.filter((id) => choices.every((one) => one.id !== id))
  return (
    <TextField
      {...rest}
      select
      value={value}
      onChange={({ target }) => onChange(target.value as unknown as number[])}
      error={error !== undefined}
      helperText={error ?? help}
      slotProps={{
        select: { multiple: true, renderValue: (ids) => (ids as number[]).map((id) => nameOf(id)).join(', ') },
      }}
    >
      {[...choices.map(({ id }) => id), ...unknown].map((id) => (
        <MenuItem key={id} value={id} sx={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
          <Checkbox checked={value.includes(id)} size="small" sx={{ py: 0 }} tabIndex={-1} disableRipple />
          <ListItemText primary={nameOf(id)} />
        </MenuItem>
      ))}
    </TextField>
  )
}

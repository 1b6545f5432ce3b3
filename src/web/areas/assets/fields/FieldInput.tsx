/** The input of a metadata field, by its type. */

import {
  Autocomplete,
  Box,
  Checkbox,
  FormControl,
  FormControlLabel,
  FormGroup,
  FormHelperText,
  FormLabel,
  InputAdornment,
  MenuItem,
  Radio,
  RadioGroup,
  TextField,
} from '@mui/material'
import { useState } from 'react'

import { common } from '../../../i18n/common.ts'
import { inputTime } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { PositionButton } from '../../../ui/PositionButton.tsx'
import { FieldValueText } from './FieldValueText.tsx'
import { FilesInput } from './FilesInput.tsx'
import type { FieldSpec, FileItem, Option, Position, Reference } from './model.ts'
import { ReferenceInput } from './ReferenceInput.tsx'

const words = texts({
  en: {
    ...common.en,
    none: 'No choice',
    latitude: 'Latitude',
    longitude: 'Longitude',
    address: 'Address',
    computed: 'Calculated when you save',
  },
  zh: {
    ...common.zh,
    none: '不选择',
    latitude: '纬度',
    longitude: '经度',
    address: '地址',
    computed: '保存后自动计算',
  },
})

export interface FieldInputProps {
  spec: FieldSpec
  value: unknown
  onChange: (change: (value: unknown) => unknown) => void
  error?: string | undefined
  disabled?: boolean
}

export function FieldInput({ spec, value, onChange, error, disabled = false }: FieldInputProps) {
  const t = useTexts(words)
  const { type, name, config, required } = spec
  const set = (next: unknown) => onChange(() => next)
  const text = {
    label: name,
    required,
    disabled,
    fullWidth: true,
    error: error !== undefined,
    helperText: error ?? config.help,
    placeholder: config.placeholder ?? '',
  }
  const unit =
    config.unit === undefined
      ? {}
      : { input: { endAdornment: <InputAdornment position="end">{config.unit}</InputAdornment> } }
  const options = (config.options ?? []).filter((option) => !option.disabled || isChosen(option, value))

  switch (type) {
    case 'TEXTAREA':
      return <TextField {...text} multiline minRows={3} value={asText(value)} onChange={(e) => set(e.target.value)} />
    case 'NUMBER':
      return (
        <TextField
          {...text}
          value={asText(value)}
          onChange={(e) => set(e.target.value)}
          slotProps={{ htmlInput: { inputMode: 'decimal' }, ...unit }}
        />
      )
    case 'DATE':
      return (
        <TextField
          {...text}
          type="date"
          value={asText(value)}
          onChange={(e) => set(e.target.value)}
          slotProps={{ inputLabel: { shrink: true }, htmlInput: { min: config.min, max: config.max } }}
        />
      )
    case 'DATETIME':
      return (
        <TextField
          {...text}
          type="datetime-local"
          value={inputTime(typeof value === 'number' ? value : null)}
          onChange={(e) => set(e.target.value === '' ? null : new Date(e.target.value).getTime())}
          slotProps={{ inputLabel: { shrink: true } }}
        />
      )
    case 'BOOLEAN':
      return (
        <TextField
          {...text}
          select
          value={value === true ? 'true' : value === false ? 'false' : ''}
          onChange={(e) => set(e.target.value === '' ? null : e.target.value === 'true')}
        >
          {!required && <MenuItem value="">{t.none}</MenuItem>}
          <MenuItem value="true">{config.trueLabel ?? t.yes}</MenuItem>
          <MenuItem value="false">{config.falseLabel ?? t.no}</MenuItem>
        </TextField>
      )
    case 'SELECT':
      return (
        <TextField {...text} select value={asText(value)} onChange={(e) => set(e.target.value)}>
          {!required && <MenuItem value="">{t.none}</MenuItem>}
          {options.map((option) => (
            <MenuItem key={option.value} value={option.value} disabled={option.disabled ?? false}>
              {option.label}
            </MenuItem>
          ))}
        </TextField>
      )
    case 'RADIO':
      return (
        <FormControl required={required} disabled={disabled} error={error !== undefined}>
          <FormLabel id={`field-${spec.fieldId}`}>{name}</FormLabel>
          <RadioGroup
            aria-labelledby={`field-${spec.fieldId}`}
            row={options.length < 5}
            value={asText(value)}
            onChange={(e) => set(e.target.value)}
          >
            {options.map((option) => (
              <FormControlLabel key={option.value} value={option.value} control={<Radio />} label={option.label} />
            ))}
            {!required && <FormControlLabel value="" control={<Radio />} label={t.none} />}
          </RadioGroup>
          <FormHelperText>{error ?? config.help}</FormHelperText>
        </FormControl>
      )
    case 'MULTI_SELECT': {
      const chosen = asList(value)
      return (
        <Autocomplete
          multiple
          disableCloseOnSelect
          disabled={disabled}
          options={options as Option[]}
          value={options.filter((option) => chosen.includes(option.value))}
          onChange={(_, next) => set(next.map((option) => option.value))}
          getOptionLabel={(option) => option.label}
          getOptionKey={(option) => option.value}
          isOptionEqualToValue={(a, b) => a.value === b.value}
          renderInput={(input) => <TextField {...input} label={name} error={text.error} helperText={text.helperText} />}
        />
      )
    }
    case 'CHECKBOX': {
      const chosen = asList(value)
      return (
        <FormControl component="fieldset" required={required} disabled={disabled} error={error !== undefined}>
          <FormLabel component="legend">{name}</FormLabel>
          <FormGroup row={options.length < 5}>
            {options.map((option) => (
              <FormControlLabel
                key={option.value}
                label={option.label}
                control={
                  <Checkbox
                    checked={chosen.includes(option.value)}
                    onChange={(_, isOn) =>
                      onChange((now) =>
                        isOn ? [...asList(now), option.value] : asList(now).filter((one) => one !== option.value),
                      )
                    }
                  />
                }
              />
            ))}
          </FormGroup>
          <FormHelperText>{error ?? config.help}</FormHelperText>
        </FormControl>
      )
    }
    case 'ATTACHMENT':
    case 'PHOTO':
      return (
        <FilesInput
          label={required ? `${name} *` : name}
          value={(value ?? []) as FileItem[]}
          onChange={(change) => onChange((now) => change((now ?? []) as FileItem[]))}
          isPhotos={type === 'PHOTO'}
          max={Number(config.max ?? (type === 'PHOTO' ? 5 : 10))}
          accept={config.accept === undefined ? undefined : [config.accept].flat().join(',')}
          disabled={disabled}
          error={error}
          help={config.help}
        />
      )
    case 'GEO':
      return <PositionInput {...text} value={(value ?? null) as Position | null} onChange={set} />
    case 'REF':
      return (
        <ReferenceInput
          label={name}
          target={config.target ?? 'ASSET'}
          value={(value ?? null) as Reference | null}
          onChange={set}
          error={error}
          help={config.help}
          required={required}
        />
      )
    case 'COMPUTED':
      return (
        <Box>
          <FormLabel component="p">{name}</FormLabel>
          {value === null || value === undefined ? t.computed : <FieldValueText spec={spec} value={value} />}
        </Box>
      )
    default:
      return (
        <TextField
          {...text}
          value={asText(value)}
          onChange={(e) => set(e.target.value)}
          slotProps={{ htmlInput: { maxLength: config.maxLength ?? 1000 }, ...unit }}
        />
      )
  }
}

const asText = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
const asList = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : [])
const isChosen = (option: Option, value: unknown) => value === option.value || asList(value).includes(option.value)

interface PositionInputProps {
  label: string
  required: boolean
  disabled: boolean
  helperText: string | undefined
  error: boolean
  value: Position | null
  onChange: (value: unknown) => void
}

/** Latitude, longitude and address. The typed texts are kept, so that incomplete numbers are not lost. */
function PositionInput({ label, required, disabled, helperText, error, value, onChange }: PositionInputProps) {
  const t = useTexts(words)
  const [latitude, setLatitude] = useState(asText(value?.latitude))
  const [longitude, setLongitude] = useState(asText(value?.longitude))
  const update = (lat: string, long: string, address = value?.address ?? '', accuracy?: number) => {
    setLatitude(lat)
    setLongitude(long)
    if (lat.trim() === '' && long.trim() === '') onChange(null)
    else
      onChange({
        latitude: Number(lat.replace(',', '.')),
        longitude: Number(long.replace(',', '.')),
        ...(address !== '' && { address }),
        ...(accuracy !== undefined && { accuracy }),
      })
  }
  return (
    <FormControl component="fieldset" required={required} disabled={disabled} error={error} fullWidth>
      <FormLabel component="legend" sx={{ mb: 1 }}>
        {label}
      </FormLabel>
      <Box sx={{ display: 'grid', gap: 1, gridTemplateColumns: { xs: '1fr 1fr', sm: '1fr 1fr auto' } }}>
        <TextField
          label={t.latitude}
          value={latitude}
          disabled={disabled}
          onChange={(e) => update(e.target.value, longitude)}
          slotProps={{ htmlInput: { inputMode: 'decimal' } }}
        />
        <TextField
          label={t.longitude}
          value={longitude}
          disabled={disabled}
          onChange={(e) => update(latitude, e.target.value)}
          slotProps={{ htmlInput: { inputMode: 'decimal' } }}
        />
        <PositionButton
          disabled={disabled}
          onPosition={(found) =>
            update(`${found.latitude}`, `${found.longitude}`, undefined, Math.round(found.accuracy))
          }
        />
        <TextField
          label={t.address}
          value={value?.address ?? ''}
          disabled={disabled || value === null}
          sx={{ gridColumn: '1 / -1' }}
          onChange={(e) => update(latitude, longitude, e.target.value)}
        />
      </Box>
      <FormHelperText error={error}>{helperText}</FormHelperText>
    </FormControl>
  )
}

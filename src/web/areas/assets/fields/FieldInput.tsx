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

import { common } from '../../../i18n/common.ts'
import { useLabels } from '../../../i18n/fields.ts'
import { inputTime } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { NumberField } from '../../../ui/fields.tsx'
import { PositionButton } from '../../../ui/PositionButton.tsx'
import { FieldValueText } from './FieldValueText.tsx'
import { FilesInput } from './FilesInput.tsx'
import type { FieldSpec, FileItem, Option, Position, Reference } from './model.ts'
import { ReferenceInput } from './ReferenceInput.tsx'

const words = texts({
  en: {
    ...common.en,
    none: 'No choice',
    computed: 'Calculated when you save',
  },
  zh: {
    ...common.zh,
    none: '不选择',
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

export function FieldInput(props: FieldInputProps) {
  const { spec, value, onChange, error, disabled = false } = props
  const t = useTexts(words)
  const { type, name, config, required } = spec
  const set = (next: unknown) => onChange(() => next)
  switch (type) {
    case 'RADIO':
    case 'MULTI_SELECT':
    case 'CHECKBOX':
      return <OptionsInput {...props} />
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
      return <PositionInput {...props} />
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
      return <LineInput {...props} />
  }
}

/** The options that can be chosen. A disabled one stays where it was chosen before. */
const optionsOf = ({ config }: FieldSpec, value: unknown): readonly Option[] =>
  (config.options ?? []).filter((option) => !option.disabled || isChosen(option, value))

/** Types whose input is a `<TextField>`. */
function LineInput({ spec, value, onChange, error, disabled = false }: FieldInputProps) {
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
    value: asText(value),
    onChange: ({ target }: { target: { value: string } }) => set(target.value),
  }
  const unit =
    config.unit === undefined
      ? {}
      : { input: { endAdornment: <InputAdornment position="end">{config.unit}</InputAdornment> } }
  const none = !required && <MenuItem value="">{t.none}</MenuItem>
  switch (type) {
    case 'TEXTAREA':
      return <TextField {...text} multiline minRows={3} />
    case 'NUMBER':
      return <TextField {...text} slotProps={{ htmlInput: { inputMode: 'decimal' }, ...unit }} />
    case 'DATE':
      return (
        <TextField
          {...text}
          type="date"
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
          {none}
          <MenuItem value="true">{config.trueLabel ?? t.yes}</MenuItem>
          <MenuItem value="false">{config.falseLabel ?? t.no}</MenuItem>
        </TextField>
      )
    case 'SELECT':
      return (
        <TextField {...text} select>
          {none}
          {optionsOf(spec, value).map((option) => (
            <MenuItem key={option.value} value={option.value} disabled={option.disabled ?? false}>
              {option.label}
            </MenuItem>
          ))}
        </TextField>
      )
    default:
      return <TextField {...text} slotProps={unit} />
  }
}

/** Radio buttons, check boxes, and a list of which several can be chosen. */
function OptionsInput({ spec, value, onChange, error, disabled = false }: FieldInputProps) {
  const t = useTexts(words)
  const { type, name, config, required } = spec
  const options = optionsOf(spec, value)
  const chosen = asList(value)
  const help = error ?? config.help
  const state = { required, disabled, error: error !== undefined }
  if (type === 'RADIO')
    return (
      <FormControl {...state}>
        <FormLabel id={`field-${spec.fieldId}`}>{name}</FormLabel>
        <RadioGroup
          aria-labelledby={`field-${spec.fieldId}`}
          row={options.length < 5}
          value={asText(value)}
          onChange={(e) => onChange(() => e.target.value)}
        >
          {options.map((option) => (
            <FormControlLabel key={option.value} value={option.value} control={<Radio />} label={option.label} />
          ))}
          {!required && <FormControlLabel value="" control={<Radio />} label={t.none} />}
        </RadioGroup>
        <FormHelperText>{help}</FormHelperText>
      </FormControl>
    )
  if (type === 'MULTI_SELECT')
    return (
      <Autocomplete
        multiple
        disableCloseOnSelect
        disabled={disabled}
        options={options}
        value={options.filter((option) => chosen.includes(option.value))}
        onChange={(_, next) => onChange(() => next.map((option) => option.value))}
        getOptionLabel={(option) => option.label}
        getOptionKey={(option) => option.value}
        isOptionEqualToValue={(a, b) => a.value === b.value}
        renderInput={(input) => <TextField {...input} label={name} error={state.error} helperText={help} />}
      />
    )
  const toggle = (option: string, isOn: boolean) =>
    onChange((now) => (isOn ? [...asList(now), option] : asList(now).filter((one) => one !== option)))
  return (
    <FormControl component="fieldset" {...state}>
      <FormLabel component="legend">{name}</FormLabel>
      <FormGroup row={options.length < 5}>
        {options.map((option) => (
          <FormControlLabel
            key={option.value}
            label={option.label}
            control={
              <Checkbox checked={chosen.includes(option.value)} onChange={(_, isOn) => toggle(option.value, isOn)} />
            }
          />
        ))}
      </FormGroup>
      <FormHelperText>{help}</FormHelperText>
    </FormControl>
  )
}

const asText = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
const asList = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : [])
const isChosen = (option: Option, value: unknown) => value === option.value || asList(value).includes(option.value)

/** A position of which a part may be missing while it is typed. */
type Typed = { readonly [Part in 'latitude' | 'longitude']: number | null } & Pick<Position, 'address'>

/** Latitude, longitude and address. */
function PositionInput({ spec, value, onChange, error, disabled = false }: FieldInputProps) {
  const labelOf = useLabels()
  const position = (value ?? { latitude: null, longitude: null }) as Typed
  // Typed numbers have no accuracy.
  const update = ({ latitude, longitude, address }: Typed, accuracy?: number) =>
    onChange(() =>
      latitude === null && longitude === null
        ? null
        : { latitude, longitude, ...(address && { address }), ...(accuracy !== undefined && { accuracy }) },
    )
  const part = (name: 'latitude' | 'longitude') => (
    <NumberField
      name={name}
      label={labelOf(name)}
      value={position[name]}
      onChange={(number) => update({ ...position, [name]: number })}
      error={undefined}
      help={undefined}
      required={false}
      disabled={disabled}
    />
  )
  return (
    <FormControl
      component="fieldset"
      required={spec.required}
      disabled={disabled}
      error={error !== undefined}
      fullWidth
    >
      <FormLabel component="legend" sx={{ mb: 1 }}>
        {spec.name}
      </FormLabel>
      <Box sx={{ display: 'grid', gap: 1, gridTemplateColumns: { xs: '1fr 1fr', sm: '1fr 1fr auto' } }}>
        {part('latitude')}
        {part('longitude')}
        <PositionButton
          disabled={disabled}
          onPosition={({ latitude, longitude, accuracy }) =>
            update({ ...position, latitude, longitude }, Math.round(accuracy))
          }
        />
        <TextField
          label={labelOf('address')}
          value={position.address ?? ''}
          disabled={disabled || value == null}
          sx={{ gridColumn: '1 / -1' }}
          onChange={(e) => update({ ...position, address: e.target.value })}
        />
      </Box>
      <FormHelperText error={error !== undefined}>{error ?? spec.config.help}</FormHelperText>
    </FormControl>
  )
}

/** The parts of a field's configuration that belong to its type only: limits, options, target, formula. */

import { Add, ArrowDownward, ArrowUpward, Delete } from '@mui/icons-material'
import { Box, Button, Checkbox, FormControlLabel, FormHelperText, Stack, TextField, Typography } from '@mui/material'

import type { MetaField } from '../../../api/types.ts'
import { useChoices } from '../../../i18n/enums.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ChoiceField, NumberField } from '../../../ui/fields.tsx'
import type { Form } from '../../../ui/use-form.tsx'
import { Action } from '../parts.tsx'
import type { FieldConfig, FieldValues, Option } from './model.ts'

const words = texts({
  en: {
    unit: 'Unit',
    minLength: 'Fewest characters',
    maxLength: 'Most characters',
    pattern: 'Pattern (regular expression)',
    patternHelp: 'The whole text must match, for example [A-Z]{2}-\\d+',
    min: 'Smallest value',
    max: 'Largest value',
    minDay: 'Earliest day',
    maxDay: 'Latest day',
    minChoices: 'Fewest choices',
    maxChoices: 'Most choices',
    maxFiles: 'Most files',
    precision: 'Decimals',
    trueLabel: 'Word for yes',
    falseLabel: 'Word for no',
    accept: 'File types',
    acceptHelp: 'For example image/*, .pdf',
    target: 'Links to',
    formula: 'Formula',
    formulaHelp: 'For example round({price} * 1.19, 2)',
    keys: 'Keys of other fields:',
    result: 'Result',
    options: 'Choices',
    option: (n: number) => `Choice ${n}`,
    addOption: 'Add a choice',
    offered: 'Offered',
    up: (n: number) => `Move choice ${n} up`,
    down: (n: number) => `Move choice ${n} down`,
    remove: (n: number) => `Remove choice ${n}`,
  },
  zh: {
    unit: '单位',
    minLength: '最少字数',
    maxLength: '最多字数',
    pattern: '格式（正则表达式）',
    patternHelp: '须匹配整个文本，例如 [A-Z]{2}-\\d+',
    min: '最小值',
    max: '最大值',
    minDay: '最早日期',
    maxDay: '最晚日期',
    minChoices: '最少选择',
    maxChoices: '最多选择',
    maxFiles: '最多文件数',
    precision: '小数位数',
    trueLabel: '“是”的文字',
    falseLabel: '“否”的文字',
    accept: '文件类型',
    acceptHelp: '例如 image/*, .pdf',
    target: '引用对象',
    formula: '公式',
    formulaHelp: '例如 round({price} * 1.19, 2)',
    keys: '其他字段的键：',
    result: '结果类型',
    options: '选项',
    option: (n: number) => `选项 ${n}`,
    addOption: '添加选项',
    offered: '可选',
    up: (n: number) => `上移选项 ${n}`,
    down: (n: number) => `下移选项 ${n}`,
    remove: (n: number) => `移除选项 ${n}`,
  },
})

type FieldTarget = NonNullable<FieldConfig['target']>
type ResultType = NonNullable<FieldConfig['resultType']>

interface ConfigProps {
  form: Form<FieldValues>
  /** Whose keys formulas can name. */
  siblings: readonly MetaField[]
}

/** A function for the properties of the input of a part of the configuration. */
export function configInputs({ values: { config }, set, problem }: Form<FieldValues>) {
  const change = (part: Partial<FieldConfig>) => set((now) => ({ config: { ...now.config, ...part } }))
  return {
    change,
    text: (key: keyof FieldConfig, label: string, help?: string) => {
      const error = problem(`config.${key}`)
      return {
        label,
        value: [config[key] ?? ''].flat().join(', '),
        onChange: ({ target }: { target: { value: string } }) => change({ [key]: target.value }),
        error: error !== undefined,
        helperText: error ?? help,
      }
    },
    pick: <T,>(key: keyof FieldConfig, label: string) => ({
      name: `config.${key}`,
      label,
      value: (config[key] ?? null) as T | null,
      onChange: (value: T | null) => change({ [key]: value ?? undefined }),
      error: problem(`config.${key}`),
      help: undefined,
      required: false,
    }),
  }
}

export function ConfigInputs({ form, siblings }: ConfigProps) {
  const t = useTexts(words)
  const targets = useChoices('fieldTarget')
  const results = useChoices('resultType')
  const { type, config } = form.values
  const inputs = configInputs(form)
  const line = (key: keyof FieldConfig, label: string, help?: string) => (
    <TextField key={key} {...inputs.text(key, label, help)} />
  )
  const count = (key: keyof FieldConfig, label: string) => (
    <NumberField
      key={key}
      {...inputs.pick<number>(key, label)}
      type="number"
      slotProps={{ htmlInput: { step: 'any' } }}
    />
  )
  const day = (key: 'min' | 'max', label: string) => (
    <TextField key={key} {...inputs.text(key, label)} type="date" slotProps={{ inputLabel: { shrink: true } }} />
  )
  const options = (
    <OptionsInput
      key="options"
      options={config.options ?? []}
      error={form.problem('config.options')}
      onChange={(list) => inputs.change({ options: list })}
    />
  )
  switch (type) {
    case 'TEXT':
      return [
        count('minLength', t.minLength),
        count('maxLength', t.maxLength),
        line('pattern', t.pattern, t.patternHelp),
        line('unit', t.unit),
      ]
    case 'TEXTAREA':
      return [count('minLength', t.minLength), count('maxLength', t.maxLength)]
    case 'NUMBER':
      return [count('min', t.min), count('max', t.max), count('precision', t.precision), line('unit', t.unit)]
    case 'BOOLEAN':
      return [line('trueLabel', t.trueLabel), line('falseLabel', t.falseLabel)]
    case 'DATE':
      return [day('min', t.minDay), day('max', t.maxDay)]
    case 'SELECT':
    case 'RADIO':
      return options
    case 'MULTI_SELECT':
    case 'CHECKBOX':
      return [options, count('min', t.minChoices), count('max', t.maxChoices)]
    case 'ATTACHMENT':
    case 'PHOTO':
      return [
        count('max', t.maxFiles),
        <TextField
          key="accept"
          {...inputs.text('accept', t.accept, t.acceptHelp)}
          onChange={({ target }) => inputs.change({ accept: target.value.split(/\s*,\s*/) })}
        />,
      ]
    case 'REF':
      return <ChoiceField {...inputs.pick<FieldTarget>('target', t.target)} choices={targets} />
    case 'COMPUTED':
      return [
        <Box key="formula" sx={{ gridColumn: '1 / -1' }}>
          <TextField {...inputs.text('formula', t.formula, t.formulaHelp)} required fullWidth multiline />
          <Typography variant="body2" color="text.secondary" sx={{ mt: 0.5, overflowWrap: 'anywhere' }}>
            {t.keys} {siblings.map(({ key }) => `{${key}}`).join(' ')}
          </Typography>
        </Box>,
        <ChoiceField
          key="resultType"
          {...inputs.pick<ResultType>('resultType', t.result)}
          value={config.resultType ?? 'NUMBER'}
          choices={results}
        />,
        count('precision', t.precision),
        line('unit', t.unit),
      ]
    default:
      return null
  }
}

interface OptionsProps {
  options: readonly Option[]
  onChange: (options: readonly Option[]) => void
  error: string | undefined
}

/** The choices of a field. The stored value of a new choice is its label; that of an old one stays when the label changes. */
function OptionsInput({ options, onChange, error }: OptionsProps) {
  const t = useTexts(words)
  const change = (i: number, part: Partial<Option>) => onChange(options.with(i, { ...options[i]!, ...part }))
  const rename = (i: number, label: string) => {
    const { value, label: before } = options[i]!
    change(i, value === before ? { label, value: label } : { label })
  }
  const swap = (i: number, j: number) => onChange(options.with(i, options[j]!).with(j, options[i]!))
  return (
    <Box component="fieldset" sx={{ gridColumn: '1 / -1', border: 0, p: 0, m: 0, minWidth: 0 }}>
      <Typography component="legend" variant="body2" color="text.secondary" sx={{ p: 0, mb: 1 }}>
        {t.options}
      </Typography>
      <Stack spacing={1}>
        {options.map((option, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- value and label change while somebody types
          <Stack key={i} direction="row" useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
            <TextField
              label={t.option(i + 1)}
              value={option.label}
              required
              sx={{ flex: '1 1 180px' }}
              onChange={(event) => rename(i, event.target.value)}
            />
            <FormControlLabel
              label={t.offered}
              sx={{ ml: 0.5, mr: 0 }}
              control={
                <Checkbox checked={option.disabled !== true} onChange={(_, isOn) => change(i, { disabled: !isOn })} />
              }
            />
            <Action icon={ArrowUpward} label={t.up(i + 1)} isOff={i === 0} onClick={() => swap(i, i - 1)} />
            <Action
              icon={ArrowDownward}
              label={t.down(i + 1)}
              isOff={i === options.length - 1}
              onClick={() => swap(i, i + 1)}
            />
            <Action icon={Delete} label={t.remove(i + 1)} onClick={() => onChange(options.toSpliced(i, 1))} />
          </Stack>
        ))}
      </Stack>
      <Button startIcon={<Add />} onClick={() => onChange([...options, { value: '', label: '' }])} sx={{ mt: 1 }}>
        {t.addOption}
      </Button>
      {error !== undefined && <FormHelperText error>{error}</FormHelperText>}
    </Box>
  )
}

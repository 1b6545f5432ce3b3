/** The configuration of a field: which keys its type has, their words, and the inputs for them. */

import { FormControlLabel, MenuItem, Switch, TextField } from '@mui/material'

import type { MetaField } from '../../api/types.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'

const words = texts({
  en: {
    keys: {
      required: 'Required',
      default: 'Suggested value',
      placeholder: 'Example in the empty input',
      help: 'Help below the input',
      group: 'Heading above it in forms',
      minLength: 'Shortest text',
      maxLength: 'Longest text',
      pattern: 'Pattern (RE2)',
      unit: 'Unit',
      min: 'Smallest value',
      max: 'Greatest value',
      precision: 'Decimals',
      trueLabel: 'Word for yes',
      falseLabel: 'Word for no',
      options: 'Options, one a line',
      accept: 'Kinds of files',
      target: 'Links to',
      formula: 'Formula',
      resultType: 'Kind of result',
    },
    targets: { ASSET: 'Asset', USER: 'User', LOCATION: 'Location', ACTIVITY: 'Activity' },
    results: { NUMBER: 'Number', TEXT: 'Text', DATE: 'Date', BOOLEAN: 'Yes or no' },
    optionsHelp: 'To store another value than the one shown: value = label',
    formulaHelp: 'Other fields by their names: {price} * {count}',
    yes: 'Yes',
    no: 'No',
  },
  zh: {
    keys: {
      required: '必填',
      default: '建议值',
      placeholder: '输入框示例',
      help: '输入框下方说明',
      group: '表单中的分组标题',
      minLength: '最短长度',
      maxLength: '最大长度',
      pattern: '格式（RE2）',
      unit: '单位',
      min: '最小值',
      max: '最大值',
      precision: '小数位数',
      trueLabel: '“是”的文字',
      falseLabel: '“否”的文字',
      options: '选项，每行一个',
      accept: '文件类型',
      target: '引用对象',
      formula: '公式',
      resultType: '结果类型',
    },
    targets: { ASSET: '资产', USER: '用户', LOCATION: '位置', ACTIVITY: '活动' },
    results: { NUMBER: '数字', TEXT: '文本', DATE: '日期', BOOLEAN: '是否' },
    optionsHelp: '如需保存与显示不同的值：值 = 显示名称',
    formulaHelp: '用名称引用其他字段：{price} * {count}',
    yes: '是',
    no: '否',
  },
})

type Key = keyof (typeof words)['en']['keys']
type FieldType = MetaField['type']

const KEYS: Readonly<Record<FieldType, readonly Key[]>> = {
  TEXT: ['minLength', 'maxLength', 'pattern', 'unit'],
  TEXTAREA: ['minLength', 'maxLength'],
  NUMBER: ['min', 'max', 'precision', 'unit'],
  BOOLEAN: ['trueLabel', 'falseLabel'],
  DATE: ['min', 'max'],
  DATETIME: [],
  SELECT: ['options'],
  RADIO: ['options'],
  MULTI_SELECT: ['options', 'min', 'max'],
  CHECKBOX: ['options', 'min', 'max'],
  ATTACHMENT: ['max'],
  PHOTO: ['max'],
  GEO: [],
  REF: ['target'],
  COMPUTED: ['formula', 'resultType', 'precision', 'unit'],
}
const TEXT_KEYS: readonly Key[] = [
  'pattern',
  'unit',
  'trueLabel',
  'falseLabel',
  'help',
  'group',
  'placeholder',
  'formula',
]

export type Config = Record<string, unknown>
interface Option {
  value: string
  label: string
}

/** Words for the keys and values of a configuration, for details. */
export function useConfigLabels() {
  const t = useTexts(words)
  return {
    label: (key: string): string => (t.keys as Readonly<Record<string, string>>)[key] ?? key,
    shown(value: unknown): string {
      if (typeof value === 'boolean') return value ? t.yes : t.no
      if (typeof value === 'number' && value > 1e12) return dateTime(value)
      if (Array.isArray(value)) return value.map((one: unknown) => lineOf(one)).join('\n')
      if (typeof value === 'string')
        return (
          (t.targets as Readonly<Record<string, string>>)[value] ??
          (t.results as Readonly<Record<string, string>>)[value] ??
          value
        )
      return value === null || value === undefined ? '' : JSON.stringify(value)
    },
  }
}

function lineOf(option: unknown): string {
  if (typeof option !== 'object' || option === null) return String(option)
  const { value, label } = option as Option
  return value === label ? label : `${value} = ${label}`
}

/** One option a line. Options keep the colour and the mark that they had. */
function optionsOf(text: string, before: unknown): unknown[] {
  const known = new Map(Array.isArray(before) ? before.map((one: Option) => [one.value, one]) : [])
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [value, label] = /^(.+?) = (.+)$/.exec(line)?.slice(1) ?? [line, line]
      return { ...known.get(value!), value, label }
    })
}

/** The inputs as texts: options one a line, the others as they are. */
export const textsOf = (config: Config): Record<string, string> =>
  Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) =>
      key === 'options'
        ? [[key, Array.isArray(value) ? value.map(lineOf).join('\n') : '']]
        : typeof value === 'string' || typeof value === 'number'
          ? [[key, String(value)]]
          : [],
    ),
  )

/** The configuration from the inputs. Keys without an input stay as they were. */
export function configOf(type: FieldType, values: Record<string, string>, isRequired: boolean, before: Config): Config {
  const config: Config = { ...before, required: isRequired }
  for (const key of [...KEYS[type], 'help', 'group'] as const) {
    const text = values[key]?.trim() ?? ''
    if (key === 'options') config[key] = optionsOf(text, before['options'])
    else if (text === '') delete config[key]
    else if (TEXT_KEYS.includes(key) || key === 'target' || key === 'resultType' || type === 'DATE') config[key] = text
    else config[key] = Number(text)
  }
  return config
}

export interface ConfigInputsProps {
  type: FieldType
  values: Record<string, string>
  isRequired: boolean
  onChange: (values: Record<string, string>, isRequired: boolean) => void
  problem: (field: string) => string | undefined
}

export function ConfigInputs({ type, values, isRequired, onChange, problem }: ConfigInputsProps) {
  const t = useTexts(words)
  const input = (key: Key) => {
    const message = problem(`config.${key}`)
    const help = key === 'options' ? t.optionsHelp : key === 'formula' ? t.formulaHelp : undefined
    const choices = key === 'target' ? t.targets : key === 'resultType' ? t.results : undefined
    const isNumber = !TEXT_KEYS.includes(key) && key !== 'options' && type !== 'DATE' && choices === undefined
    return (
      <TextField
        key={key}
        label={t.keys[key]}
        value={values[key] ?? ''}
        select={choices !== undefined}
        multiline={key === 'options' || key === 'formula'}
        {...(key === 'options' && { minRows: 4 })}
        type={isNumber ? 'number' : type === 'DATE' && (key === 'min' || key === 'max') ? 'date' : 'text'}
        required={key === 'options' || key === 'target' || key === 'formula'}
        error={message !== undefined}
        helperText={message ?? help}
        onChange={({ target }) => onChange({ ...values, [key]: target.value }, isRequired)}
        slotProps={{
          ...(type === 'DATE' && { inputLabel: { shrink: true } }),
          htmlInput: isNumber ? { step: 'any' } : {},
        }}
      >
        {choices &&
          Object.entries(choices).map(([id, name]) => (
            <MenuItem key={id} value={id}>
              {name}
            </MenuItem>
          ))}
      </TextField>
    )
  }
  return (
    <>
      {KEYS[type].map(input)}
      {type !== 'COMPUTED' && (
        <FormControlLabel
          control={<Switch checked={isRequired} onChange={(_, checked) => onChange(values, checked)} />}
          label={t.keys.required}
        />
      )}
      {input('help')}
      {input('group')}
    </>
  )
}

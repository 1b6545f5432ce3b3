/** Metadata fields in forms: which ones a new asset has, and how values are sent. */

import type { FieldValue, MetaField } from '../../../api/types.ts'

export type FieldType = MetaField['type']

/** An option of a choice. */
export interface Option {
  readonly value: string
  readonly label: string
  readonly color?: string
  readonly disabled?: boolean
}

/** `config` of a field; docs/metadata.md lists the keys of each type. */
export interface FieldConfig {
  readonly required?: boolean
  readonly default?: unknown
  readonly placeholder?: string
  readonly help?: string
  readonly group?: string
  readonly unit?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly min?: number | string
  readonly max?: number | string
  readonly precision?: number
  readonly pattern?: string
  readonly trueLabel?: string
  readonly falseLabel?: string
  readonly options?: readonly Option[]
  readonly accept?: string | readonly string[]
  readonly target?: 'ASSET' | 'USER' | 'LOCATION' | 'ACTIVITY'
  readonly formula?: string
  readonly resultType?: 'NUMBER' | 'TEXT' | 'DATE' | 'BOOLEAN'
}

/** The values in the form of a field. */
export interface FieldValues {
  readonly name: string
  readonly type: FieldType
  readonly key: string
  readonly description: string
  readonly config: FieldConfig
}

/** A field as forms and pages show it. */
export interface FieldSpec {
  readonly fieldId: number
  readonly key: string
  readonly name: string
  readonly type: FieldType
  readonly config: FieldConfig
  readonly column: string | null
  readonly group: string
  readonly required: boolean
  readonly writable: boolean
  /** Whether a template in force contains it. */
  readonly inForce: boolean
}

export interface FileItem {
  readonly fileId: number
  readonly name?: string
  readonly mime?: string
  readonly size?: number
  readonly url: string
  readonly thumbnailUrl: string | null
}

export interface Position {
  readonly latitude: number
  readonly longitude: number
  readonly address?: string
  readonly accuracy?: number
}

export interface Reference {
  readonly id: number
  readonly title: string | null
}

export const specOfValue = (value: FieldValue): FieldSpec => ({
  fieldId: value.fieldId,
  key: value.key,
  name: value.name,
  type: value.type,
  config: (value.config ?? {}) as FieldConfig,
  column: value.entityColumn,
  group: value.group,
  required: value.required,
  writable: value.writable && value.type !== 'COMPUTED',
  inForce: value.templateId !== null,
})

export const specOfField = (
  field: MetaField,
  { group = '', required = false, inForce = false }: { group?: string; required?: boolean; inForce?: boolean } = {},
): FieldSpec => {
  const config = field.config as FieldConfig
  return {
    fieldId: field.id,
    key: field.key,
    name: field.name,
    type: field.type,
    config,
    column: field.entityColumn,
    group: group || (config.group ?? ''),
    required: required || config.required === true,
    writable: field.type !== 'COMPUTED',
    inForce,
  }
}

/** Values as people edit them: numbers are texts until they are sent, files and references have their titles. */
export type Values = Readonly<Record<number, unknown>>

export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** The value as requests contain it. */
export function toRequest({ type }: FieldSpec, value: unknown): unknown {
  if (isEmpty(value)) return null
  switch (type) {
    case 'REF':
      return (value as Reference).id
    case 'ATTACHMENT':
    case 'PHOTO':
      return (value as FileItem[]).map(({ fileId }) => fileId)
    case 'NUMBER':
      return String(value).trim()
    default:
      return value
  }
}

/** The values that differ from those before. */
export function changedValues(
  specs: readonly FieldSpec[],
  before: Values,
  after: Values,
): { fieldId: number; value: unknown }[] {
  return specs.flatMap((spec) => {
    if (!spec.writable || !(spec.fieldId in after)) return []
    const value = toRequest(spec, after[spec.fieldId])
    const old = toRequest(spec, before[spec.fieldId])
    return JSON.stringify(value) === JSON.stringify(old) ? [] : [{ fieldId: spec.fieldId, value }]
  })
}

/** Fields under their headings, in the order in which the headings appear. */
export function grouped<T extends { readonly group: string }>(specs: readonly T[]): [string, T[]][] {
  const groups = new Map<string, T[]>()
  for (const spec of specs) groups.set(spec.group, [...(groups.get(spec.group) ?? []), spec])
  return [...groups]
}

/** The owner of fields and templates, in forms, tables and filters, and the object types that they are for. */

import { MenuItem, TextField } from '@mui/material'

import { useAll } from '../../api/pages.ts'
import { common } from '../../i18n/common.ts'
import { enums, useChoices, useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime } from '../../i18n/format.ts'
import { useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { OrgById, UserById } from '../../ui/named.tsx'
import { OrgPicker, UserPicker } from '../../ui/pickers.tsx'

export interface Scoped {
  scope: 'GLOBAL' | 'ORG' | 'USER'
  orgId: number | null
  userId: number | null
}

/** "For everybody", or the organization or user that has the row. */
export function ScopeCell({ row }: { row: Scoped }) {
  const scopeOf = useEnum('metaScope')
  if (row.orgId !== null) return <OrgById id={row.orgId} />
  if (row.userId !== null) return <UserById id={row.userId} />
  return <>{scopeOf(row.scope)}</>
}

/** The filters by owner of a table of fields or templates. */
export const SCOPE_FILTERS = [
  { source: 'scope', kind: 'enum', of: 'metaScope' },
  { source: 'orgId', kind: 'org' },
  { source: 'userId', kind: 'user' },
] as const

export const SCOPE_COLUMN = {
  source: 'scope',
  kind: 'enum',
  of: 'metaScope',
  render: (row: Scoped) => <ScopeCell row={row} />,
} as const

/** The object type as a filter and as a column. */
export function useObjectParts() {
  const objectOf = useObjectName()
  const text = ({ objectName }: { objectName: string }) => objectOf(objectName)
  return {
    filter: { source: 'objectName', kind: 'choice', choices: useObjectChoices(), always: true },
    column: { source: 'objectName', render: text, text },
  } as const
}

/** Not read by administrators who may not list them. */
const useAllObjects = () => useAll('metadata.allObjects', undefined, { enabled: useMay()('metadata.allObjects') })

/** The name of a kind of things: a word for those that every server has, otherwise the label it was registered with. */
export function useObjectName(): (name: string) => string {
  const wordOf = useEnum('objectType')
  const { data } = useAllObjects()
  return (name) => (name in enums.objectType ? wordOf(name) : (data?.find((one) => one.name === name)?.label ?? name))
}

export function useObjectChoices(): { id: string; name: string }[] {
  const nameOf = useObjectName()
  const { data } = useAllObjects()
  // Until the object types are read, the choices are those that every server has, so that a form can be sent at once.
  const names = data?.map(({ name }) => name) ?? Object.keys(enums.objectType)
  return names.map((name) => ({ id: name, name: nameOf(name) }))
}

/** A value of a field's configuration in words: options one a line. */
export function useConfigValue(): (key: string, value: unknown) => string {
  const t = useTexts(common)
  const targetOf = useEnum('fieldTarget')
  const resultOf = useEnum('resultType')
  return (key, value) => {
    if (typeof value === 'boolean') return value ? t.yes : t.no
    if (typeof value === 'number' && value > 1e12) return dateTime(value)
    if (Array.isArray(value)) return value.map(lineOf).join('\n')
    if (key === 'target') return targetOf(value as string)
    if (key === 'resultType') return resultOf(value as string)
    return value === null || value === undefined ? '' : String(value)
  }
}

function lineOf(option: unknown): string {
  if (typeof option !== 'object' || option === null) return String(option)
  const { value, label } = option as { value: string; label: string }
  return value === label ? label : `${value} = ${label}`
}

export interface ScopeInputProps {
  value: Scoped
  onChange: (value: Scoped) => void
  problem: (field: string) => string | undefined
}

/** Who a new field or template is for. */
export function ScopeInput({ value, onChange, problem }: ScopeInputProps) {
  const f = useLabels()
  const scopes = useChoices('metaScope')
  return (
    <>
      <TextField
        select
        label={f('scope')}
        value={value.scope}
        onChange={({ target }) => onChange({ scope: target.value as Scoped['scope'], orgId: null, userId: null })}
        error={problem('scope') !== undefined}
        helperText={problem('scope')}
      >
        {scopes.map(({ id, name }) => (
          <MenuItem key={id} value={id}>
            {name}
          </MenuItem>
        ))}
      </TextField>
      {value.scope === 'ORG' && (
        <OrgPicker
          value={value.orgId}
          onChange={(orgId) => onChange({ ...value, orgId })}
          error={problem('orgId')}
          required
        />
      )}
      {value.scope === 'USER' && (
        <UserPicker
          value={value.userId}
          onChange={(userId) => onChange({ ...value, userId })}
          error={problem('userId')}
          required
        />
      )}
    </>
  )
}

/** A choice among the object types, in forms. */
export function ObjectInput({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const f = useLabels()
  const choices = useObjectChoices()
  return (
    <TextField
      select
      label={f('objectName')}
      value={choices.some(({ id }) => id === value) ? value : ''}
      onChange={({ target }) => onChange(target.value)}
      required
    >
      {choices.map(({ id, name }) => (
        <MenuItem key={id} value={id}>
          {name}
        </MenuItem>
      ))}
    </TextField>
  )
}

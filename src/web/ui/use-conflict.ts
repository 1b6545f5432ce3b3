/**
 * The part of `useForm` that keeps two tabs, or two people, from overwriting each other. The server refuses a save if the row has another
 * version than the one from which the form was filled in, and answers with the row as it is now.
 */

import { useState } from 'react'

import { common } from '../i18n/common.ts'
import { useLabels } from '../i18n/fields.ts'
import { useTexts } from '../i18n/words.ts'
import type { Conflict } from './Conflict.tsx'

/** The version of a row, and the values of the form for the row as it is later. */
export interface From<Values> {
  readonly version: number
  readonly values: (row: never) => Values | Promise<Values>
}

/** How a field shows its value. */
interface Shown {
  readonly label: string | undefined
  readonly word?: (value: unknown) => string
}

interface Options<Values> {
  from: From<Values> | undefined
  names: Readonly<Partial<Record<keyof Values, (id: number) => string>>> | undefined
  /** The values of the beginning. */
  first: Values
  values: Values
  isBusy: boolean
  /** Others have changed the row. */
  onChanged: () => Promise<void>
  /** The form begins with `first` and the version now, and has the values `next`. */
  onSettled: (first: Values, next: Values, version: number) => void
  send: (values: Values) => void
}

export function useConflict<Values extends object>(options: Options<Values>) {
  const { from, names, first, values, isBusy, onChanged, onSettled, send } = options
  const t = useTexts(common)
  const labelOf = useLabels()
  const [changed, setChanged] = useState<{ readonly theirs: Values; readonly version: number }>()
  /** Filled in when the fields are drawn. */
  const shown = new Map<string, Shown>()

  /** After a refusal because the row has another version. */
  const compare = async (sent: Values, row: unknown): Promise<void> => {
    const { version } = row as { version: number }
    const theirs = await from!.values(row as never)
    if (Object.keys(theirs).every((name) => isSame(at(theirs, name), at(first, name)))) {
      // Nothing that the form shows was changed, so nothing of others is overwritten.
      onSettled(theirs, sent, version)
      send(sent)
      return
    }
    setChanged({ theirs, version })
    await onChanged()
  }
  const settle = (next: Values) => {
    onSettled(changed!.theirs, next, changed!.version)
    setChanged(undefined)
  }
  const isUntouched = (name: string) => isSame(at(values, name), at(first, name))
  const wordFor = (name: string, value: unknown) => {
    const nameOf = names?.[name as keyof Values]
    if (nameOf !== undefined)
      return [value ?? []]
        .flat()
        .map((id) => nameOf(id as number))
        .join(', ')
    return shown.get(name)?.word?.(value) ?? describe(value, t)
  }
  const conflict: Conflict | undefined = changed && {
    differences: () =>
      Object.keys(changed.theirs)
        .filter((name) => !isSame(at(changed.theirs, name), at(values, name)))
        .map((name) => ({
          label: shown.get(name)?.label ?? labelOf(name),
          now: wordFor(name, at(changed.theirs, name)),
          yours: isUntouched(name) ? undefined : wordFor(name, at(values, name)),
        })),
    isBusy,
    onKeep() {
      const mine = Object.fromEntries(Object.entries(values).filter(([name]) => !isUntouched(name)))
      const next = { ...changed.theirs, ...mine }
      settle(next)
      send(next)
    },
    onTake: () => settle(changed.theirs),
    onClose: () => setChanged(undefined),
  }
  return { conflict, compare, shown }
}

/** A value by its name. */
export const at = (values: object, name: string): unknown => (values as Readonly<Record<string, unknown>>)[name]

/** Whether two values of a form are the same. */
export const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a === 'object' &&
    typeof b === 'object' &&
    !(a instanceof Blob) &&
    JSON.stringify(a, withSets) === JSON.stringify(b, withSets))

const withSets = (_: string, value: unknown): unknown => (value instanceof Set ? [...value].toSorted() : value)

/** A value of a form in words: of a list and of an object those of its parts. */
export function describe(value: unknown, t: { yes: string; no: string }): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? t.yes : t.no
  if (typeof value !== 'object') return String(value)
  const { name, label, field } = value as Readonly<Record<string, unknown>>
  const known = name ?? label ?? (field as { name?: string } | undefined)?.name
  if (known !== undefined) return String(known)
  return Object.values(value)
    .map((part) => describe(part, t))
    .filter((part) => part !== '')
    .join(', ')
}

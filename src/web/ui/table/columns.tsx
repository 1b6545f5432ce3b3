/** The columns of tables. Each kind has its cell, its value in the exported file, and its alignment. */

import { Box, Stack } from '@mui/material'
import type { ReactNode } from 'react'

import { type EnumName, wordOf } from '../../i18n/enums.ts'
import { bytes, dateTime, number } from '../../i18n/format.ts'
import { csvTime, type CsvValue } from '../csv.tsx'
import { EnumStatus, isState } from '../Status.tsx'
import { UserLink, type UserLinkProps } from '../UserLink.tsx'

type Kind<Row> =
  /** A text with a dot of its colour or a small picture before it. Without a kind: the value as text. */
  | {
      readonly kind?: 'name'
      readonly color?: (row: Row) => string
      readonly picture?: (row: Row) => string | null
    }
  | { readonly kind: 'enum'; readonly of: EnumName }
  /** Epoch milliseconds. */
  | { readonly kind: 'time' }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'count' }
  | { readonly kind: 'user'; readonly user: (row: Row) => UserLinkProps }

export type Column<Row> = Kind<Row> & {
  /** Property of the row. */
  readonly source: keyof Row & string
  /** By default the label of `source` in i18n/fields.ts. */
  readonly label?: string
  /** The list can be sorted by `source`, or by what the operation calls so. */
  readonly sortable?: true | string
  /** The content of the cell, if it is not that of the kind. */
  readonly render?: (row: Row) => ReactNode
  /** The value in the exported file, if it is not that of the kind. `null`: the column is not exported. */
  readonly text?: ((row: Row) => CsvValue) | null
  /** On phones the first column is the heading of the card; this column is left out. */
  readonly phone?: 'hidden'
  /** Is in the exported file only. */
  readonly exportOnly?: true
}

export type Labelled<Row> = Column<Row> & { readonly label: string }

/** The name by which the operation sorts the column; undefined if it cannot. */
export const sortOf = <Row,>({ source, sortable }: Column<Row>): string | undefined =>
  sortable === true ? source : sortable

export const alignOf = <Row,>({ kind }: Column<Row>): 'right' | 'left' =>
  kind === 'bytes' || kind === 'count' ? 'right' : 'left'

export function cellOf<Row>(row: Row, column: Column<Row>): ReactNode {
  if (column.render !== undefined) return column.render(row)
  const value: unknown = row[column.source]
  if (column.kind === 'user') return <UserLink {...column.user(row)} />
  if (value === null || value === undefined || value === '') return null
  switch (column.kind) {
    case 'enum':
      return isState(column.of) ? <EnumStatus of={column.of} value={String(value)} /> : wordOf(column.of, String(value))
    case 'time':
      return dateTime(value as number)
    case 'bytes':
      return bytes(value as number)
    case 'count':
      return number(value as number)
    default: {
      const picture = column.picture?.(row)
      if (picture) return <Thumbnail url={picture} name={String(value)} />
      return column.color ? <ColoredName name={String(value)} color={column.color(row)} /> : String(value)
    }
  }
}

export function csvOf<Row>(row: Row, column: Column<Row>): CsvValue {
  if (column.text) return column.text(row)
  const value: unknown = row[column.source]
  if (column.kind === 'enum') return wordOf(column.of, value as string | null)
  if (column.kind === 'time') return csvTime(value as number | null)
  if (column.kind === 'user') {
    const { id, nickname, username } = column.user(row)
    return nickname || username || id
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CsvValue)
}

/** A name behind a dot of its colour. */
const ColoredName = ({ name, color }: { name: string; color: string }) => (
  <Stack component="span" direction="row" spacing={1} sx={{ alignItems: 'center', display: 'inline-flex' }}>
    <Box
      component="span"
      sx={{ width: 12, height: 12, borderRadius: '50%', bgcolor: color || 'text.disabled', flexShrink: 0 }}
    />
    <span>{name}</span>
  </Stack>
)

/** A small picture before its name. */
const Thumbnail = ({ url, name }: { url: string; name: string }) => (
  <Stack component="span" direction="row" spacing={1} sx={{ alignItems: 'center', display: 'inline-flex' }}>
    <Box
      component="img"
      src={url}
      alt=""
      loading="lazy"
      sx={{ width: 44, height: 44, objectFit: 'cover', borderRadius: 1, bgcolor: 'action.hover', flexShrink: 0 }}
    />
    <span>{name}</span>
  </Stack>
)

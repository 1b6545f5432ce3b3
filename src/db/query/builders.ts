/**
 * Runs drizzle's query builders on our own connections: binds parameters, maps rows, and compiles queries that run often.
 *
 * drizzle's own sessions are not used: the one for bun:sqlite compiles every statement again, the one for Bun.SQL puts all
 * parameters into the messages of its errors, and neither knows when a write has ended.
 */

import { fillPlaceholders, is, Param, Placeholder, type Query } from 'drizzle-orm'

import type { Builders } from '../store.ts'
import {
  builderClass,
  decoderOf,
  type JoinedTables,
  mapResultRow,
  type PreparedQuery,
  preparedQueryOf,
  type SelectedField,
} from './drizzle-internals.ts'

export type Rows = unknown[][]
export type Values = Record<string, unknown>

/** Runs one statement. Rows are arrays in the order of the selected columns; without RETURNING there are none. */
export interface Runner {
  rows(sql: string, params: unknown[]): Rows | Promise<Rows>
}

/** Turns one row of values into the object that the builder's type promises. */
type RowMapper = (row: unknown[]) => unknown

function rowMapper(fields: readonly SelectedField[], joined: JoinedTables): RowMapper {
  if (fields.some(({ path }) => path.length > 1)) return (row) => mapResultRow(fields, row, joined)
  const keys = fields.map(({ path }) => path[0]!)
  const decoders = fields.map(({ field }) => decoderOf(field))
  return (row) => {
    const object: Values = {}
    for (let i = 0; i < keys.length; i++) {
      const value = row[i]
      const decoder = decoders[i]
      object[keys[i]!] = decoder === undefined || value === null ? value : decoder.mapFromDriverValue(value)
    }
    return object
  }
}

/**
 * The same for a query that runs often: an object literal as generated code, which is twice as fast as a loop that assigns to
 * computed keys (19 columns: 0.13 instead of 0.30 µs). Generating it takes longer than mapping a few pages, so other queries use the loop.
 */
function compiledRowMapper(fields: readonly SelectedField[], joined: JoinedTables): RowMapper {
  if (fields.some(({ path }) => path.length > 1)) return rowMapper(fields, joined)
  const decoders = fields.map(({ field }) => decoderOf(field))
  const properties = fields.map(({ path }, i) => {
    const value =
      decoders[i] === undefined
        ? `row[${i}]`
        : `row[${i}] === null ? null : decoders[${i}].mapFromDriverValue(row[${i}])`
    return `${JSON.stringify(path[0])}: ${value}`
  })
  // oxlint-disable-next-line no-new-func -- made of numbers and JSON strings only
  return new Function('decoders', `return (row) => ({ ${properties.join(', ')} })`)(decoders) as RowMapper
}

/** A query compiled once, to run many times with other values (prepared.ts). */
export interface Compiled {
  readonly sql: string
  bind(values: Values): unknown[]
  map(rows: Rows): unknown[]
}

/** One query of a builder, bound to the runner of that builder. */
class BoundQuery implements PreparedQuery {
  joinsNotNullableMap: JoinedTables

  constructor(
    readonly runner: Runner,
    readonly query: Query,
    readonly fields: readonly SelectedField[] | undefined,
  ) {}

  all(values: Values = {}): unknown[] | Promise<unknown[]> {
    const rows = this.runner.rows(this.query.sql, fillPlaceholders(this.query.params, values))
    const map = this.#mapper(rowMapper)
    return rows instanceof Promise ? rows.then(map) : map(rows)
  }

  run(values?: Values): unknown[] | Promise<unknown[]> {
    return this.all(values)
  }

  execute(values?: Values): unknown[] | Promise<unknown[]> {
    return this.all(values)
  }

  setToken(): this {
    return this
  }

  compile(): Compiled {
    return { sql: this.query.sql, bind: binder(this.query.params), map: this.#mapper(compiledRowMapper) }
  }

  #mapper(mapperOf: typeof rowMapper): Compiled['map'] {
    if (this.fields === undefined) return (rows) => rows
    const mapRow = mapperOf(this.fields, this.joinsNotNullableMap)
    return (rows) => rows.map(mapRow)
  }
}

function binder(params: unknown[]): Compiled['bind'] {
  const parts = params.map((param) => {
    if (is(param, Placeholder)) return { name: param.name as string, encoder: undefined, value: undefined }
    if (is(param, Param) && is(param.value, Placeholder))
      return { name: param.value.name as string, encoder: param.encoder, value: undefined }
    return { name: undefined, encoder: undefined, value: param }
  })
  return (values) => {
    const bound = new Array<unknown>(parts.length)
    for (let i = 0; i < parts.length; i++) {
      const { name, encoder, value } = parts[i]!
      if (name === undefined) bound[i] = value
      else {
        const given = values[name]
        if (given === undefined) throw new Error(`no value for the placeholder "${name}"`)
        // drizzle's own binding would encode null in boolean and JSON columns; here null is always NULL.
        bound[i] = encoder === undefined || given === null ? given : encoder.mapToDriverValue(given)
      }
    }
    return bound
  }
}

const DrizzleBuilders = builderClass<Runner>((runner, query, fields) => new BoundQuery(runner, query, fields))

/** drizzle's builders of this process's dialect, running on `runner`. TypeScript sees SQLite's (see dialect.ts). */
export const BuildersOn = class extends DrizzleBuilders {
  constructor(readonly runner: Runner) {
    super(runner)
  }
} as unknown as new (runner: Runner) => Builders & { readonly runner: Runner }

/** Builders whose queries can be compiled but not run. */
const compileOnly = new BuildersOn({
  rows() {
    throw new Error('this handle only compiles')
  },
})

/** Compiles the query that `build` returns; its placeholders get their values at each run. */
export const compile = (build: (db: Builders) => unknown): Compiled =>
  (preparedQueryOf(build(compileOnly)) as BoundQuery).compile()

/** react-admin's access to the tables of administrators, through the operations that each table names. */

import type { DataProvider, RaRecord } from 'react-admin'

import { callWith } from './client.ts'
import type { OperationId } from './types.ts'

/** The operations behind a table of administrators. Missing operations are not offered. */
export interface TableOperations {
  readonly list: OperationId
  readonly get?: OperationId
  readonly create?: OperationId
  readonly update?: OperationId
  readonly delete?: OperationId
  /** The name of the id in the paths of `get`, `update` and `delete`; `id` by default. */
  readonly param?: string
}

/** A table of administrators. */
export interface Table {
  readonly name: string
  readonly operations: TableOperations
  /** The property that identifies a row; `id` by default. */
  readonly key?: string
}

interface Rows {
  items: RaRecord[]
  total: number
}

export function createDataProvider(tables: readonly Table[]): DataProvider {
  const byName = new Map(tables.map((table) => [table.name, table]))

  const tableOf = (name: string): Table => {
    const found = byName.get(name)
    if (found === undefined) throw new Error(`No area declares the table ${name}`)
    return found
  }
  const withId = (name: string, row: unknown): RaRecord => {
    const record = row as Record<string, unknown>
    return { ...record, id: record[tableOf(name).key ?? 'id'] as RaRecord['id'] }
  }
  const operation = (name: string, kind: Exclude<keyof TableOperations, 'param'>): OperationId => {
    const id = tableOf(name).operations[kind]
    if (id === undefined) throw new Error(`${name} has no operation for ${kind}`)
    return id
  }
  const pathOf = (name: string, id: unknown) => ({ [tableOf(name).operations.param ?? 'id']: id as string | number })

  async function list(name: string, query: Record<string, unknown>, signal?: AbortSignal) {
    const { items, total } = (await callWith(operation(name, 'list'), { query }, signal ? { signal } : {})) as Rows
    return { data: items.map((row) => withId(name, row)), total: total ?? items.length }
  }
  async function one(name: string, id: unknown, signal?: AbortSignal): Promise<RaRecord> {
    return withId(name, await callWith(operation(name, 'get'), { params: pathOf(name, id) }, signal ? { signal } : {}))
  }
  async function remove(name: string, id: unknown): Promise<void> {
    await callWith(operation(name, 'delete'), { params: pathOf(name, id) }, {})
  }

  // react-admin's type lets the caller choose the type of the records.
  const provider = {
    supportAbortSignal: true,
    async getList(name: string, { pagination, sort, filter, signal }: Parameters<DataProvider['getList']>[1]) {
      return await list(name, { ...filter, ...pageOf(pagination), ...sortOf(sort) }, signal)
    },
    async getOne(name: string, { id, signal }: Parameters<DataProvider['getOne']>[1]) {
      return { data: await one(name, id, signal) }
    },
    async getMany(name: string, { ids, signal }: Parameters<DataProvider['getMany']>[1]) {
      const found = await Promise.allSettled(ids.map((id) => one(name, id, signal)))
      return { data: found.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])) }
    },
    async getManyReference(
      name: string,
      { target, id, pagination, sort, filter, signal }: Parameters<DataProvider['getManyReference']>[1],
    ) {
      return await list(name, { ...filter, [target]: id, ...pageOf(pagination), ...sortOf(sort) }, signal)
    },
    async create(name: string, { data }: { data: object }) {
      const made = await callWith(operation(name, 'create'), { body: data }, {})
      return { data: withId(name, made) }
    },
    /** Sends only the fields that were changed: the server leaves the others as they are. */
    async update(name: string, { id, data, previousData }: { id: unknown; data: object; previousData: object }) {
      const body = changesOf(previousData, data)
      const changed = await callWith(operation(name, 'update'), { params: pathOf(name, id), body }, {})
      return { data: withId(name, { ...previousData, ...data, ...(changed as object | null) }) }
    },
    async delete(name: string, { id, previousData }: { id: unknown; previousData?: RaRecord }) {
      await remove(name, id)
      return { data: previousData ?? { id: id as RaRecord['id'] } }
    },
    /** One after the other, and it stops at the first refusal: the caller sees which rows are left. */
    async deleteMany(name: string, { ids }: { ids: readonly unknown[] }) {
      for (const id of ids) await remove(name, id)
      return { data: [...ids] }
    },
    updateMany(name: string) {
      return Promise.reject(new Error(`${name} has no operation that updates several rows`))
    },
  }
  return provider as unknown as DataProvider
}

const pageOf = (pagination: { page: number; perPage: number } = { page: 1, perPage: 25 }) => ({
  page: pagination.page,
  size: Math.min(100, pagination.perPage),
})

/** `id` is react-admin's default and stands for the order of the server. */
const sortOf = (sort: { field: string; order: string } | undefined) =>
  sort === undefined || sort.field === 'id' ? {} : { sort: `${sort.order === 'DESC' ? '-' : ''}${sort.field}` }

function changesOf(before: object, after: object): Record<string, unknown> {
  const old = before as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name])),
  )
}

/** Pages of lists: `page` from 1, `size` rows each (contract §3). */

export interface PageInput {
  readonly page: number
  readonly size: number
}

export interface Page<T> {
  items: T[]
  total: number
  page: number
  size: number
}

/** Rows before the page. */
export const offsetOf = ({ page, size }: PageInput): number => (page - 1) * size

/**
 * A page by LIMIT and OFFSET, for filtered and short lists; its cost grows with the offset. Long lists without a filter: lists.ts.
 * `total` gives one row `{ n }`, as of `db.select({ n: count() })`.
 */
export async function plainPage<Row>(
  input: PageInput,
  rows: (limit: number, offset: number) => PromiseLike<Row[]>,
  total: () => PromiseLike<{ n: number }[]>,
): Promise<Page<Row>> {
  const [items, counted] = await Promise.all([rows(input.size, offsetOf(input)), total()])
  return { items, total: counted[0]!.n, page: input.page, size: input.size }
}

/** The page with each row turned into its view. */
export const mapPage = <Row, View>({ items, ...rest }: Page<Row>, view: (row: Row) => View): Page<View> => ({
  ...rest,
  items: items.map(view),
})

/** The columns of the table of assets. */

import type { Asset } from '../../api/types.ts'
import { day, number } from '../../i18n/format.ts'
import type { ListColumn } from '../../ui/table/ListView.tsx'
import { useNames } from './places.ts'
import { useColumn } from './words.ts'

export function useAssetColumns(): readonly ListColumn<Asset>[] {
  const label = useColumn()
  const names = useNames()
  const column = <Source extends Parameters<typeof label>[0]>(source: Source) => ({ source, label: label(source) })
  return [
    { ...column('name'), sortable: true },
    { ...column('assetNo'), sortable: true },
    { ...column('categoryId'), render: ({ categoryId }) => names.category(categoryId) },
    { ...column('locationId'), render: ({ locationId }) => names.location(locationId) },
    { ...column('custodianId'), render: ({ custodianId }) => names.person(custodianId) },
    { ...column('status'), kind: 'enum', of: 'assetStatus', sortable: true },
    { ...column('brand'), isOptional: true },
    { ...column('model'), isOptional: true },
    { ...column('purchaseDate'), sortable: true, isOptional: true, render: ({ purchaseDate }) => day(purchaseDate) },
    {
      ...column('purchasePrice'),
      kind: 'count',
      sortable: true,
      render: ({ purchasePrice }) => (purchasePrice === null ? '' : number(Number(purchasePrice))),
    },
    {
      ...column('warrantyExpiry'),
      sortable: true,
      isOptional: true,
      render: ({ warrantyExpiry }) => day(warrantyExpiry),
    },
    {
      ...column('nextMaintenance'),
      sortable: true,
      isOptional: true,
      render: ({ nextMaintenance }) => day(nextMaintenance),
    },
    { ...column('nextCountOn'), isOptional: true, render: ({ nextCountOn }) => day(nextCountOn) },
    { source: 'createdAt', kind: 'time', sortable: true, isOptional: true },
  ]
}

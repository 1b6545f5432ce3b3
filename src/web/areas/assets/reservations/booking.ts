/** Which categories members may reserve. Pure. */

import type { AssetCategoryNode } from '../../../api/types.ts'
import type { Place } from '../../../ui/tree/tree.ts'

/** Categories whose assets are bookable, by their own rules or those of the nearest category above. */
export function bookableCategories(categories: readonly Place<AssetCategoryNode>[]): Place<AssetCategoryNode>[] {
  /** By depth, the categories above the current one. */
  const above: boolean[] = []
  return categories.filter(({ depth, node }) => {
    const isBookable = node.booking?.bookable ?? (depth > 0 && (above[depth - 1] ?? false))
    above[depth] = isBookable
    return isBookable
  })
}

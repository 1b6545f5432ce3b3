/** Passes: their views for those who may see them. */

import type { AppContext } from '#context'

import { contentOf } from '../pass-keys/service.ts'
import type { PassView } from './model.ts'
import type { PassRow } from './store.ts'
import { viewOf } from './view.ts'

/** `showsContent`: the caller manages the activity or holds the pass. */
export const toPassView = async (
  ctx: AppContext,
  row: PassRow,
  { showsContent }: { readonly showsContent: boolean },
): Promise<PassView> => viewOf(ctx, row, showsContent ? await contentOf(ctx, row) : null)

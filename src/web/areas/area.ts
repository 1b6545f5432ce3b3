/**
 * An area of the web application is a record, as a domain of the server is: its pages and its entries in the menu. `areas/index.ts` and
 * `admin/index.ts` list them. Pages are loaded when they are opened, so a record imports only icons and names.
 */

import type { SvgIconComponent } from '@mui/icons-material'
import type { ComponentType } from 'react'

import type { OperationId } from '../api/types.ts'
import type { Localized } from '../i18n/locale.ts'

/** Sections of the menu. The first four are for all users, the others for administrators. */
export type MenuGroup =
  'codes' | 'things' | 'community' | 'account' | 'overview' | 'people' | 'content' | 'messages' | 'system'

export interface MenuItem {
  readonly group: MenuGroup
  /** Path below `/console`. */
  readonly to: string
  readonly label: Localized
  readonly icon: SvgIconComponent
  /** Shown only to users who may call this operation. */
  readonly needs?: OperationId
  /** Entries are shown in ascending order; 50 by default. */
  readonly order?: number
  /** A number on the entry, of messages or notifications that were not read, or of open reports of finders. */
  readonly badge?: 'messages' | 'notifications' | 'found'
  /** Shown only in the workspace of an organization. */
  readonly inOrganization?: true
}

export interface Page {
  /** Path below `/console`, with `:name` for parameters. */
  readonly path: string
  /** `part(() => import('./CodeList.tsx'))` */
  readonly component: ComponentType
  /** Users who may not call this operation see a sentence about it instead of the page. */
  readonly needs?: OperationId
}

/** Something of the user that only this browser has until it is sent. */
export interface Unsent {
  /** Called once, when the page is loaded. */
  readonly start: () => void
  /** Tries to send it now. Rejects if its part of the application cannot be loaded, which may happen without a connection. */
  readonly send: () => Promise<void>
  /** It survives the end of the page, which therefore ends without a question. */
  readonly outlivesPage?: true
  /** Says how much is left and what happens to it. Undefined if everything was sent. */
  readonly notice: () => Localized | undefined
}

export interface Area {
  readonly menu?: readonly MenuItem[]
  readonly pages?: readonly Page[]
  readonly unsent?: Unsent | readonly Unsent[]
  /** Reads what its pages show without a connection: a few small requests, once a day. May reject. */
  readonly keep?: (userId: number) => Promise<unknown>
}

/** Checks the record's type and keeps it. */
export const area = (record: Area): Area => record

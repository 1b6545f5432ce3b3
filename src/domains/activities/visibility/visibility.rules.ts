/** Who sees an activity. Details, check-in, passes, registration, scans, files and landing pages all decide by `sightOf`. */

import type { ActivityStatus, ActivityVisibility } from '#db/schema/activities.ts'

export interface Viewer {
  /** Manages the activity. */
  readonly isManager: boolean
  /** Is a member of the organization that owns it, with the point `activity:read`. */
  readonly isReader: boolean
  /** Gave the invite code, or has registered with it. */
  readonly hasCode: boolean
}

/** `unknown`: the viewer may not know that the activity exists. `code required`: only that the invite code is missing or wrong. */
export type Sight = 'seen' | 'unknown' | 'code required'

export function sightOf(
  { status, visibility }: { readonly status: ActivityStatus; readonly visibility: ActivityVisibility },
  { isManager, isReader, hasCode }: Viewer,
): Sight {
  if (isManager) return 'seen'
  if (status === 'DRAFT') return 'unknown'
  switch (visibility) {
    case 'PUBLIC':
      return 'seen'
    case 'RESTRICTED':
      return isReader ? 'seen' : 'unknown'
    case 'INVITE_ONLY':
      return hasCode ? 'seen' : 'code required'
  }
}

/** 24 letters and 8 digits that cannot be mistaken for one another. */
export const INVITE_CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
export const INVITE_CODE_LENGTH = 10

/** The invite code in a text that a user typed: case, spaces and dashes are ignored. */
export const normalizeInviteCode = (text: string): string => text.replaceAll(/[\s-]/g, '').toUpperCase()

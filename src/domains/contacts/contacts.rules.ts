/** Pure decisions about contacts, cards and requests. */

import type { RequestStatus, WhoMayRequest } from '#db/schema/contacts.ts'
import { CODE_ALPHABET } from '#platform/ids.ts'

import { CARD_CODE_LENGTH, CARD_PREFIX } from './contacts.model.ts'

/** The card code in a text that was typed or scanned, with or without prefix. Undefined if the text cannot be a code. */
export function cardCodeIn(text: string): string | undefined {
  const bare = text.trim().toLowerCase().startsWith(CARD_PREFIX) ? text.trim().slice(CARD_PREFIX.length) : text
  const code = bare.replaceAll(/[\s-]/g, '').toUpperCase()
  return code.length === CARD_CODE_LENGTH && [...code].every((c) => CODE_ALPHABET.includes(c)) ? code : undefined
}

/** The status of a request at a moment: a pending one expires without a write. */
export const requestStatusAt = (
  request: { readonly status: RequestStatus; readonly expiresAt: number },
  now: number,
): RequestStatus => (request.status === 'PENDING' && request.expiresAt <= now ? 'EXPIRED' : request.status)

/** Whether the recipient takes requests from the sender. */
export function takesRequests(
  whoMayRequest: WhoMayRequest,
  { byCard, inCommonOrganization }: { readonly byCard: boolean; readonly inCommonOrganization: boolean },
): boolean {
  switch (whoMayRequest) {
    case 'EVERYONE':
      return true
    case 'ORG_MEMBERS':
      return inCommonOrganization
    case 'CARD_ONLY':
      return byCard
    case 'NOBODY':
      return false
  }
}

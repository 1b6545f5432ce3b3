/**
 * Whose a row is, in one column: the id of the organization, or the negated id of the user for a personal row. One column instead of two
 * gives trees one owner and lists one index for both kinds of owners.
 */

export type OwnerKey = number

export const ownerKey = ({ userId, orgId }: { readonly userId: number; readonly orgId: number }): OwnerKey =>
  orgId === 0 ? -userId : orgId

/** The organization that owns the row; 0 for a personal row. */
export const orgOf = (key: OwnerKey): number => Math.max(0, key)

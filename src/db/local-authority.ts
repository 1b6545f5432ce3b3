/** The authority of a private network on the command line. A running server notices a change within a minute, because it reads the row. */

import { type Place, withDatabase } from './maintenance.ts'

export interface StoredAuthority {
  /** PEM. */
  readonly certificate: string
  readonly sealedKey: string
  readonly names: readonly string[]
}

export const readLocalAuthority = (place: Place): Promise<StoredAuthority | undefined> =>
  withDatabase(place, async (query) => {
    const [row] = await query('SELECT certificate, sealed_key, names FROM local_authority')
    return (
      row && {
        certificate: String(row['certificate']),
        sealedKey: String(row['sealed_key']),
        names: JSON.parse(String(row['names'])) as string[],
      }
    )
  })

/** False if there is none. */
export const deleteLocalAuthority = (place: Place): Promise<boolean> =>
  withDatabase(place, async (query) => (await query('DELETE FROM local_authority RETURNING id')).length > 0)

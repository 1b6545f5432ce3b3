/**
 * The format of API keys: `tsk_`, 34 random characters and 6 characters of a checksum, all of them letters and digits. Scanners for leaked
 * secrets recognize a key by its prefix and its checksum, and a mistyped one is refused without a look into the database.
 */

export const API_KEY_PREFIX = 'tsk_'
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^34 is more than 2^202. */
export const API_KEY_RANDOM = 34
const CHECKSUM = 6

/** Whether the text is meant to be a key. */
export const isApiKey = (text: string): boolean => text.startsWith(API_KEY_PREFIX)

const FORMAT = new RegExp(`^${API_KEY_PREFIX}[0-9A-Za-z]{${API_KEY_RANDOM + CHECKSUM}}$`)

/** CRC-32 of the random characters in base 62, with leading zeros. 62^6 is more than 2^32. */
function checksumOf(random: string): string {
  let rest = Bun.hash.crc32(random)
  let text = ''
  for (let i = 0; i < CHECKSUM; i++) {
    text = BASE62[rest % 62]! + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** `random`: API_KEY_RANDOM characters of BASE62. */
export const apiKeyOf = (random: string): string => API_KEY_PREFIX + random + checksumOf(random)

export function isWellFormedKey(text: string): boolean {
  if (!FORMAT.test(text)) return false
  const random = text.slice(API_KEY_PREFIX.length, -CHECKSUM)
  return text.endsWith(checksumOf(random))
}

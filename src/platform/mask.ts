/** Masks secrets in the log, and shortens contact details to a hint. */

const SECRET_KEY =
  /token|secret|password|passwd|authorization|cookie|api-?key|signature|deviceid|device-id|credential|setup/i
const CONTACT_KEY = /^(e-?mail|phone|mobile|account)s?$/i
/** A field with such a name is masked only if its value looks like a verification code: error codes have the same names. */
const CODE_KEY = /code$/i
const CODE = /^\d{6}$/

const JWT = /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g
const BEARER = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi
/** A secret in a query string or in a text such as `name=value` or `name: value`. */
const PAIR = /\b([\w-]*(?:token|secret|password|ticket|signature|credential)["']?\s?[=:]\s?["']?)([^\s&"',;)]+)/gi
const CODE_PAIR = /(code["']?\s?[=:]\s?["']?)\d{6}(?!\d)/gi
const EMAIL = /\b([\w+.-])[\w+.-]*@((?:[\w-]+\.)+[a-z]{2,})\b/gi
/** E.164 with its plus sign, or the 11 digits of a mainland Chinese number. */
const PHONE = /(?<![\w.-])(\+\d{2}(?=\d{6,13}(?!\d))|1[3-9]\d(?=\d{8}(?!\d)))\d+(\d{2})(?![\w-]|\.\d)/g
/** User and password of a connection string. */
const URL_LOGIN = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi

const MAYBE = /[@+=:]|eyJ|Bearer|Basic|1[3-9]\d{9}/i

/** Masks tokens, codes, phone numbers and e-mail addresses inside a text, as far as it can recognize them. */
export function maskText(text: string): string {
  if (!MAYBE.test(text)) return text
  return text
    .replace(URL_LOGIN, '$1***@')
    .replace(BEARER, '$1 ***')
    .replace(JWT, '***')
    .replace(PAIR, '$1***')
    .replace(CODE_PAIR, '$1***')
    .replace(EMAIL, '$1***@$2')
    .replace(PHONE, '$1***$2')
}

/** Deeper values and longer lists would not help a reader of the log. */
const MAX_DEPTH = 5
const MAX_ITEMS = 50

/** A masked copy of a field's value. Errors become objects with name, message, code and stack. */
export function maskField(key: string, value: unknown, depth = 0): unknown {
  if (value === undefined || value === null || typeof value === 'boolean') return value
  if (SECRET_KEY.test(key)) return '***'
  if (typeof value === 'number') return CODE_KEY.test(key) && CODE.test(String(value)) ? '***' : value
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string') {
    if (CODE_KEY.test(key) && CODE.test(value)) return '***'
    const masked = maskText(value)
    return masked === value && CONTACT_KEY.test(key) ? `${value.slice(0, 1)}***` : masked
  }
  if (typeof value !== 'object') return typeof value
  if (depth >= MAX_DEPTH) return '…'
  if (value instanceof Error) return maskError(value, depth)
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => maskField(key, item, depth + 1))
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  const out: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value).slice(0, MAX_ITEMS)) out[name] = maskField(name, inner, depth + 1)
  return out
}

function maskError(error: Error, depth: number): Record<string, unknown> {
  const { code } = error as Error & { code?: unknown }
  return {
    name: error.name,
    message: maskText(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(error.cause === undefined ? {} : { cause: maskField('cause', error.cause, depth + 1) }),
    // Trouble of the storage makes every operation fail, wherever it is: a stack says nothing about it.
    stack:
      error.stack === undefined || ['StorageError', 'BlobError'].includes(error.name)
        ? undefined
        : maskText(error.stack),
  }
}

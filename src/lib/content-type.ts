/** Recognizes the type of a QR code's content by the forms that phones act on. */

export const CONTENT_TYPES = ['TEXT', 'URL', 'WIFI', 'VCARD', 'EMAIL', 'PHONE', 'SMS', 'GEO', 'EVENT', 'OTHER'] as const
export type ContentType = (typeof CONTENT_TYPES)[number]

/**
 * Tried in this order, ignoring case. The prefixes come from the ZXing project's list of barcode contents (including MECARD,
 * BIZCARD, MATMSG and SMTP) and from RFC 3966, 5724, 5870 and 6068. A bare mail address and a number with a leading + count too.
 */
const FORMS: readonly (readonly [type: ContentType, form: RegExp])[] = [
  ['WIFI', /^WIFI:/i],
  ['VCARD', /^(?:BEGIN:VCARD\b|MECARD:|BIZCARD:)/i],
  ['EVENT', /^BEGIN:(?:VEVENT|VCALENDAR)\b/i],
  ['EMAIL', /^(?:mailto:\S|MATMSG:|SMTP:\S)/i],
  ['EMAIL', /^[^\s@:/]+@[^\s@.]+(?:\.[^\s@.]+)+$/],
  ['PHONE', /^tel:\+?[\d*#(]/i],
  ['PHONE', /^\+(?:[ ().-]{0,2}\d){7,15}$/],
  ['SMS', /^(?:sms|smsto|mms|mmsto):/i],
  ['GEO', /^geo:-?\d+(?:\.\d+)?,-?\d+(?:\.\d+)?/i],
  ['URL', /^https?:\/\/[^\s/?#]\S*$/i],
  // Links that open other applications, and this platform's own codes.
  ['OTHER', /^(?:[a-z][a-z\d+.-]*:\/\/|activity:|org-join:|user:|urn:|bitcoin:|ethereum:|magnet:|data:)\S+$/i],
]

/** Returns TEXT if no form matches. White space around the content is ignored. */
export function contentTypeOf(content: string): ContentType {
  const text = content.trim()
  for (const [type, form] of FORMS) if (form.test(text)) return type
  return 'TEXT'
}

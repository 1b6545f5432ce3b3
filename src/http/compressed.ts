/** A text that many ask for and that changes only with the program, in the coding that each client prefers. */

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import { cached } from './respond.ts'
import { chooseCoding, type Coding } from './web-app/coding.ts'

/** Brotli at its highest quality would take seconds for a few kilobytes less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } }

async function compress(body: string, coding: Coding): Promise<Blob> {
  if (coding === 'br') return new Blob([await promisify(brotliCompress)(body, BROTLI)])
  return new Blob([coding === 'gzip' ? await promisify(gzip)(body) : body])
}

export interface Compressed {
  /** `headers` without those of the coding and the cache. `vary` is added to. */
  answer(request: Request, headers: Readonly<Record<string, string>>): Promise<Response>
}

/** Each coding is made once, when it is first asked for, and not on the event loop. */
export function compressedText(body: string): Compressed {
  const tag = tagOf(body)
  const made = new Map<Coding, Promise<Blob>>()
  const bytes = (coding: Coding): Promise<Blob> => {
    let blob = made.get(coding)
    if (blob === undefined) made.set(coding, (blob = compress(body, coding)))
    return blob
  }
  return {
    async answer(request, { vary, ...headers }) {
      const coding = chooseCoding(request.headers.get('accept-encoding'), ['br', 'gzip'])
      const isCompressed = coding !== 'identity'
      // A strong tag names the bytes, which are others in each coding.
      return cached(request, await bytes(coding), isCompressed ? `${tag.slice(0, -1)}-${coding}"` : tag, {
        ...headers,
        vary: vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`,
        ...(isCompressed && { 'content-encoding': coding }),
      })
    },
  }
}

/** A strong entity tag for a text. */
export const tagOf = (text: string): string => `"${Bun.hash(text).toString(36)}"`

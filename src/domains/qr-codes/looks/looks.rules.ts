/** The look that a request asks for. Pure. */

import type { QrLook } from '#db/schema/qr-designs.ts'
import type { Level } from '#lib/qr/spec.ts'

import type { LookInput } from './looks.model.ts'

export const PLAIN: QrLook = {
  fg: '000000',
  bg: 'ffffff',
  margin: 4,
  level: null,
  modules: 'SQUARE',
  eyes: 'SQUARE',
  eyeColor: null,
  gradient: null,
  logo: null,
  frame: null,
}

/** `before` with the fields of the request. */
export function lookOf(before: QrLook, input: LookInput): QrLook {
  const { gradient = before.gradient, logo = before.logo, frame = before.frame, eyeColor = before.eyeColor } = input
  return {
    fg: (input.fg ?? before.fg).toLowerCase(),
    bg: (input.bg ?? before.bg).toLowerCase(),
    margin: input.margin ?? before.margin,
    level: input.level === undefined ? before.level : input.level,
    modules: input.modules ?? before.modules,
    eyes: input.eyes ?? before.eyes,
    eyeColor: eyeColor?.toLowerCase() ?? null,
    gradient: gradient && { type: gradient.type, to: gradient.to.toLowerCase(), angle: gradient.angle },
    logo: logo && { fileId: logo.fileId, size: logo.size, plate: logo.plate },
    frame: frame && {
      position: frame.position,
      text: frame.text,
      textFileId: frame.textFileId ?? null,
      color: frame.color?.toLowerCase() ?? null,
    },
  }
}

/** The ids of the pictures in a look. */
export const filesOf = ({ logo, frame }: QrLook): number[] =>
  [logo?.fileId, frame?.textFileId].filter((id) => id != null)

/** The look without these pictures. */
export const withoutFiles = (look: QrLook, ids: readonly number[]): QrLook => ({
  ...look,
  logo: look.logo && ids.includes(look.logo.fileId) ? null : look.logo,
  frame:
    look.frame?.textFileId != null && ids.includes(look.frame.textFileId)
      ? { ...look.frame, textFileId: null }
      : look.frame,
})

/** The level of the symbol, as far as the content does not decide it. */
export const levelOf = ({ level, logo }: QrLook): Level => level ?? (logo ? 'H' : 'M')

import type { Budget } from '#http/budget.ts'
import { AnyText, Enum, Id, InOrg, Line, Model, Nullable, type Static, Text, Type } from '#http/schema.ts'
import { PROBLEMS } from '#lib/qr/design/index.ts'
import { LEVELS } from '#lib/qr/spec.ts'
import { MINUTE } from '#platform/clock.ts'

import { Content } from '../codes/codes.model.ts'
import { lookInput } from '../looks/looks.model.ts'
import { Size } from '../render/render.model.ts'

export const CHECKS: Budget = {
  name: 'checks of designs',
  counts: { en: 'checks of designs', zh: '外观检查' },
  per: 'user',
  limit: 30,
  windowMs: MINUTE,
}

/** Millimetres. */
const WidthMm = Type.Number({
  minimum: 8,
  maximum: 1000,
  description: 'Outer width on paper in millimetres, with margin and frame',
  examples: [50],
})

export const CheckDesign = Model('CheckQrCodeDesign', {
  design: Type.Optional(Nullable(Model('QrCodeDesignToCheck', lookInput))),
  designId: Type.Optional(Nullable({ ...Id, description: 'With `design`: the design whose absent fields are taken' })),
  content: Type.Optional(Nullable({ ...Content, description: 'Text of the picture' })),
  qrCodeId: Type.Optional(Nullable({ ...Id, description: 'Instead of `content`: the code of the picture' })),
  widthMm: Type.Optional(Nullable(WidthMm)),
  orgId: Type.Optional(Nullable(Id)),
})
export type CheckDesign = Static<typeof CheckDesign>

export const DesignCheck = Model('QrCodeDesignCheck', {
  ok: Type.Boolean({ description: 'The picture can be read: there are no problems' }),
  symbol: Nullable(
    Model('QrCodeSymbol', {
      version: Type.Integer({ minimum: 1, maximum: 40 }),
      level: Enum(LEVELS),
      modules: Type.Integer({ minimum: 21, maximum: 177, description: 'On each side, without the margin' }),
    }),
  ),
  moduleMm: Nullable(
    Type.Number({ description: 'Width of a module on paper; null without `widthMm`', examples: [0.9] }),
  ),
  spare: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: 'Percent of the error correction that the logo leaves',
  }),
  problems: Type.Array(
    Model('QrCodeDesignProblem', {
      code: Enum(PROBLEMS),
      path: Text('logo.size', { description: 'The field of the design that is to blame' }),
      message: Text('is too large for this content'),
    }),
  ),
  hints: Type.Array(
    Model('QrCodeDesignHint', {
      code: Enum(['SMALL_MODULE', 'READABLE_FROM']),
      message: Text('Can be read from about 50 cm'),
    }),
  ),
})
export type DesignCheck = Static<typeof DesignCheck>

const Frame = Type.Optional(Enum(['0', '1'], { description: '`0` leaves the frame out' }))

export const PictureQuery = Type.Object({
  ...InOrg.properties,
  format: Enum(['png', 'svg', 'pdf'], { default: 'png' }),
  size: Type.Optional({
    ...Size,
    description: 'Width of PNG and SVG in pixels. Default: 300 dots per inch of `widthMm`',
  }),
  widthMm: Type.Optional({
    ...WidthMm,
    description: `${WidthMm.description}. The page of a PDF is exactly as wide (default 50), an SVG names it, and a PNG has it as its resolution`,
  }),
  frame: Frame,
})
export type PictureQuery = Static<typeof PictureQuery>

/** Other keys are answered with 404. */
export const ByKey = Type.Object({ key: Line(64, 0, { examples: ['4kQ9vB2cXz7TnR1mLp0WsY'] }) })
export const DesignQuery = Type.Object({ format: Enum(['png', 'svg'], { default: 'png' }), size: Size, frame: Frame })
export type DesignQuery = Static<typeof DesignQuery>

/** Of a request that may have other parameters. */
export const FrameQuery = Type.Object({
  frame: Type.Optional(AnyText(10, { description: '`0` leaves the frame of a design out', examples: ['0'] })),
})

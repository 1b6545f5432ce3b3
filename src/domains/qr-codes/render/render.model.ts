import { Enum, Raw, type Static, Type } from '#http/schema.ts'

import { Color, Level, Margin, MAX_CONTENT_BYTES } from '../codes/codes.model.ts'

export const DEFAULT_SIZE = 300

/** Side of the picture, in pixels. */
export const Size = Type.Integer({ minimum: 64, maximum: 2048, default: DEFAULT_SIZE })

export const RenderQuery = Type.Object({
  content: Raw(MAX_CONTENT_BYTES, 1, {
    description: `The content to encode, at most ${MAX_CONTENT_BYTES} bytes in UTF-8`,
    examples: ['https://example.com'],
  }),
  size: Size,
  format: Enum(['png', 'svg'], { default: 'png' }),
  margin: { ...Margin, default: 4, description: 'Light modules around the code; scanners need 4' },
  level: Type.Optional({
    ...Level,
    description: 'Error correction; M when absent, or L where M cannot hold the content',
  }),
  fg: { ...Color, default: '000000' },
  bg: { ...Color, default: 'ffffff' },
})
export type RenderQuery = Static<typeof RenderQuery>

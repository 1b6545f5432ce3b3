/** Looks of pictures in requests and answers: the visible part of a design. */

import { Enum, Id, Line, Model, Named, Nullable, type Static, Text, Type } from '#http/schema.ts'
import { LEVELS } from '#lib/qr/spec.ts'

const Color = Type.String({ pattern: '^[0-9a-fA-F]{6}$', description: 'Six hex digits', examples: ['1a2b3c'] })

const Modules = Named('QrModuleShape', Enum(['SQUARE', 'ROUNDED', 'DOTS']))
const Eyes = Named('QrEyeShape', Enum(['SQUARE', 'ROUNDED', 'CIRCLE']))

const Gradient = Model('QrGradient', {
  type: Enum(['LINEAR', 'RADIAL']),
  to: { ...Color, description: 'The colour in which it ends; it begins with `fg`' },
  angle: Type.Integer({ minimum: 0, maximum: 359, description: 'Degrees; 0 runs to the right, 90 downwards' }),
})

const logo = {
  fileId: { ...Id, description: 'A PNG, JPEG or WebP that you have uploaded as `type` `qr_code`, at most 2 MB' },
  size: Type.Integer({
    minimum: 10,
    maximum: 25,
    description: 'Per cent of the width of the symbol without its margin',
  }),
  plate: Enum(['NONE', 'SQUARE', 'CIRCLE'], { description: 'The light shape behind it' }),
}
const frame = {
  position: Enum(['BELOW', 'ABOVE']),
  text: Line(60, 0, { description: 'The words in the picture, for those who cannot see it', examples: ['Scan me'] }),
  textFileId: Nullable({
    ...Id,
    description:
      'A picture of the words, uploaded as `type` `qr_code`: at most 2,400 × 600 pixels and 2 MB. Without one the frame is a plain bar',
  }),
  color: Nullable({ ...Color, description: 'Null: `fg`' }),
}
const Url = Nullable(
  Text(
    'https://qr.example.org/api/files/7/content?variant=ORIGINAL&disposition=inline&expires=1900000000&signature=s',
    {
      description: 'Signed address of the picture, for an hour or two',
    },
  ),
)

/** Quiet zone, in modules. */
const Margin = Type.Integer({ minimum: 2, maximum: 10 })
const level = 'Null: H with a logo, otherwise M'

/** Absent fields have their default, or in a change the value that the design has. */
export const lookInput = {
  fg: Type.Optional(Color),
  bg: Type.Optional({ ...Color, examples: ['ffffff'] }),
  margin: Type.Optional(Margin),
  level: Type.Optional(Nullable({ ...Enum(LEVELS), description: level })),
  modules: Type.Optional(Modules),
  eyes: Type.Optional(Eyes),
  eyeColor: Type.Optional(Nullable(Color)),
  gradient: Type.Optional(Nullable(Gradient)),
  // The example has none, because it would need an uploaded picture.
  logo: Type.Optional({ ...Nullable(Model('QrLogoInput', logo)), examples: [null] }),
  frame: Type.Optional(
    Nullable(
      Model('QrFrameInput', {
        ...frame,
        textFileId: Type.Optional(frame.textFileId),
        color: Type.Optional(frame.color),
      }),
    ),
  ),
}
const Input = Type.Object(lookInput)
export type LookInput = Static<typeof Input>

export const lookFields = {
  fg: Color,
  bg: Color,
  margin: Margin,
  level: Nullable({ ...Enum(LEVELS), description: level }),
  modules: Modules,
  eyes: Eyes,
  eyeColor: Nullable(Color),
  gradient: Nullable(Gradient),
  logo: Nullable(Model('QrLogo', { ...logo, url: Url })),
  frame: Nullable(Model('QrFrame', { ...frame, url: Url })),
}

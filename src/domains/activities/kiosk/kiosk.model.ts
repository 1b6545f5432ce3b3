import { Line, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

export const KioskLink = Model('KioskLink', {
  url: Text('http://localhost:8080/s/kiosk/3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', {
    description: 'The page for a screen. Anyone who knows it sees the present check-in code',
  }),
})
export type KioskLink = Static<typeof KioskLink>

/** Whatever somebody made of the link is the same 404. */
export const BySecret = Type.Object({
  secret: Line(200, 1, { examples: ['3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'] }),
})

export const KioskState = Model('KioskState', {
  content: Nullable(
    Text('http://localhost:8080/s/check-in/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f?t=KQ7MPX2W', {
      description: 'The content of the QR code to show; null while nobody can check in',
    }),
  ),
  validUntil: {
    ...Nullable(Time),
    description: 'When the next code follows; this one is good for one step longer. Null if the code does not rotate',
  },
  checkIns: Type.Integer({ minimum: 0, examples: [128] }),
})
export type KioskState = Static<typeof KioskState>

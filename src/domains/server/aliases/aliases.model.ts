import { Model, type Static, Text, Time, Type } from '#http/schema.ts'

export const AliasView = Model('ServerAlias', {
  origin: Text('https://old.example.org', { description: 'An earlier public address' }),
  since: { ...Time, description: 'When another address became the public one' },
  printed: Type.Integer({
    minimum: 0,
    description:
      'How many codes, labels, passes and posters were fetched while it was the public address: each at most once a second. After a crash it may be too small',
    examples: [240],
  }),
})
export type AliasView = Static<typeof AliasView>

export const PrintReport = Model('PrintReport', {
  things: Type.Integer({
    minimum: 1,
    maximum: 2000,
    description: 'How many codes, labels, passes or posters are printed',
    examples: [24],
  }),
})

/** The JSON form of the landing page of an asset. */

import { FoundForm } from '#domains/found/index.ts'
import { Model, Nullable, Text, Type } from '#http/schema.ts'

export const PublicAsset = Model('PublicAsset', {
  uuid: Text('7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'),
  kind: Text('ASSET'),
  fields: Type.Array(
    Model('LandingField', {
      key: Text('brand', { description: 'A column, or `field:` and the id of a field' }),
      label: Text('Brand'),
      value: Type.Unknown({ description: 'Null if it is empty', examples: ['Epson'] }),
      text: Type.Optional(Text('12 kg', { description: 'The value of a field of metadata as people read it' })),
    }),
    { description: 'Those that the owner made public' },
  ),
  found: { ...Nullable(FoundForm), description: 'The finder card; null if the page shows none' },
})

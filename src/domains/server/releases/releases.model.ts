import { Enum, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

export const PROBLEMS = ['UNREACHABLE', 'NOT_SIGNED', 'NOT_A_NOTICE'] as const

export const UpdateView = Model('ServerUpdate', {
  locked: Nullable(
    Text('needs TESSERA_UPDATE_URL, which is not set', {
      description: 'Why this server cannot look for newer versions; the end of a sentence that begins with the setting',
    }),
  ),
  enabled: Type.Boolean({ description: 'The setting `update.check`' }),
  checkedAt: Nullable({ ...Time, description: 'The last look for a newer version, of any process' }),
  problem: Nullable(Enum(PROBLEMS, { description: 'Why the last look had no result' })),
  available: Nullable(
    Model(
      'Release',
      { description: 'A newer version than that of the process that answers' },
      {
        version: Text('1.4.0'),
        date: Text('2027-03-01'),
        notesUrl: Text('https://example.org/tessera/1.4.0'),
        sha256sumsUrl: Text('https://example.org/tessera/1.4.0/SHA256SUMS'),
      },
    ),
  ),
})
export type UpdateView = Static<typeof UpdateView>

import { Enum, Named, Nullable, type Static, Text, Type } from '#http/schema.ts'

/** Where a value comes from. The last three are read when the program starts, and are not changed in the browser. */
export const SOURCES = ['DEFAULT', 'DATABASE', 'FILE', 'ENVIRONMENT', 'FLAG'] as const
export const Source = Enum(SOURCES, {
  description: 'FILE is `tessera.toml`. Only values with DEFAULT and DATABASE can be changed in the browser.',
})
export type Source = Static<typeof Source>

export const Sources = Named(
  'ServerSources',
  Type.Record(Type.String(), Source, {
    description: 'Where each field comes from',
    examples: [{ name: 'DATABASE' }],
  }),
)

export const ServerVersion = Type.Integer({
  minimum: 1,
  'x-version': true,
  description: 'Rises with each change of any of these values; also the `ETag` of the answer, for `If-Match`',
  examples: [1_767_225_600_000],
})

/** For the API document (PEM). */
export const EXAMPLE_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBgDCCASegAwIBAgIUfCo5AIpeDnoZGH4rBvpB74LqJeowCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKRXhhbXBsZSBDQTAgFw0yNjExMjkwNTE2NTdaGA8yMTI2MTEw
NTA1MTY1N1owFTETMBEGA1UEAwwKRXhhbXBsZSBDQTBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABA6ASU9RjGNoF65O8PvyjOKlnnx4IJXR6tnw6Vx8LuZ+0m2BKrM7
tjLPbq4ryq1pHdDaprmm1pfWWbyKrjffeUujUzBRMB0GA1UdDgQWBBQcYlkhjMUg
YaMNWy+xFH8DsUYLWTAfBgNVHSMEGDAWgBQcYlkhjMUgYaMNWy+xFH8DsUYLWTAP
BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIBqDH9bBd4DpuxTUgf2Z
+CJAHy3aRuz2wIe/YyCbXZQRAiAVxH/PXqSQBzzruMOCLlfv8lBm4DDU4havgfCt
/g2MvA==
-----END CERTIFICATE-----`

export const LockedBy = Nullable(
  Text('--host', { description: 'The start value that sets this, which is then not changed in the browser' }),
)

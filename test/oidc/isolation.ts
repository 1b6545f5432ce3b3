import type { IsolationFixture } from '../contract/isolation-fixture.ts'

/**
 * Only a real provider makes identities, so no row of the victim is behind these ids: sign-in.test.ts calls the operations with those of
 * somebody else.
 */
export const isolation: IsolationFixture = {
  make: async () => ({ oidcIdentity: 999_999_999, oidcKey: 'nobody' }),
  paths: [
    [/^\/api\/auth\/oidc\/identities\/:/, 'oidcIdentity'],
    [/^\/api\/auth\/oidc\/:key/, 'oidcKey'],
  ],
  fields: {},
  reads: () => ['/api/auth/oidc/identities'],
}

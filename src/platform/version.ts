import manifest from '../../package.json' with { type: 'json' }

/** Set by the build; undefined if the server runs from the sources. */
declare const TESSERA_COMMIT: string
/** Time of the commit, epoch milliseconds. */
declare const TESSERA_BUILT_AT: number
/** The public key of the release, in minisign's form; empty if the build was not signed. */
declare const TESSERA_RELEASE_KEY: string

export const version: string = manifest.version
export const commit: string = typeof TESSERA_COMMIT === 'string' ? TESSERA_COMMIT : 'source'
export const builtAt: number = typeof TESSERA_BUILT_AT === 'number' ? TESSERA_BUILT_AT : 0
export const releaseKey: string | undefined =
  (typeof TESSERA_RELEASE_KEY === 'string' && TESSERA_RELEASE_KEY) || undefined

import manifest from '../../package.json' with { type: 'json' }

/** Set by the build; undefined if the server runs from the sources. */
declare const TESSERA_COMMIT: string
/** Time of the commit, epoch milliseconds. */
declare const TESSERA_BUILT_AT: number

export const version: string = manifest.version
export const commit: string = typeof TESSERA_COMMIT === 'string' ? TESSERA_COMMIT : 'source'
export const builtAt: number = typeof TESSERA_BUILT_AT === 'number' ? TESSERA_BUILT_AT : 0

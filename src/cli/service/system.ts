/** A service, and what the three operating systems have in common. */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

import type { Step } from './steps.ts'

/** The facts that uninstalling needs. They are kept as a comment in the definition of the service. */
export interface Installed {
  readonly dataDir: string
  /** Whether the user of the service was made for it. */
  readonly madeUser: boolean
  readonly user: string
}

export interface Service extends Installed {
  readonly name: string
  /** Where the copy of the executable is, or will be. */
  readonly program: string
  /** A port below 1024 is asked for. */
  readonly lowPort: boolean
  /** Folders outside of the data directory that the server writes to. */
  readonly folders: readonly string[]
  /** Files that the server reads. */
  readonly files: readonly string[]
}

/** The work of installing besides writing the definition. */
export interface Installation {
  /** The executable to copy; undefined if the program is there already. */
  readonly from: string | undefined
  readonly makeUser: boolean
  /** There is a service of this name. */
  readonly isReplaced: boolean
  /** Those of the folders outside of the data directory that do not exist yet. Others keep their rights. */
  readonly makeFolders: readonly string[]
  /** tessera.toml in the data directory; undefined if it stays as it is. */
  readonly settings: { readonly text: string; readonly shown: string } | undefined
}

export type State = 'RUNNING' | 'STOPPED' | 'FAILED'

export interface ServiceSystem {
  /** Why services cannot be installed on this machine; undefined if they can. */
  obstacle(): string | undefined
  isAdministrator(): boolean
  userExists(user: string): boolean
  /** Finds a mistake in a service that was asked for. */
  mistake(service: Service): string | undefined
  defaults(name: string): { readonly user: string; readonly dataDir: string; readonly program: string }
  /** The path of the file that defines the service. */
  definition(name: string): string
  install(service: Service, installation: Installation): readonly Step[]
  uninstall(service: Service): readonly Step[]
  start(service: Service): readonly Step[]
  stop(service: Service): readonly Step[]
  restart(service: Service): readonly Step[]
  state(service: Service): State
  /** The lines that the server has printed since its last start. */
  lines(service: Service): readonly string[]
  /** The newest lines about the service, also those of the system. `since`: epoch milliseconds. */
  lastLines(service: Service, count: number, since: number): readonly string[]
}

const MARK = 'Of "tessera service":'

/** A dash could end a comment of XML. */
export const markOf = ({ dataDir, user, madeUser }: Installed): string =>
  `${MARK} ${JSON.stringify({ dataDir, user, madeUser }).replaceAll('--', String.raw`-\u002d`)}`

/** Undefined if the definition was not written by this command. */
export function readMark(definition: string): Installed | undefined {
  const line = definition.split('\n').find((text) => text.includes(MARK))
  const json = line === undefined ? undefined : /\{.*\}/.exec(line)?.[0]
  return json === undefined ? undefined : (JSON.parse(json) as Installed)
}

/** The file of the settings, which the server and commands read. */
export const SETTINGS_FILE = 'tessera.toml'
/** Where the output goes if the system keeps none. */
export const LOG_FILE = 'service.log'

/** Bytes: the lines of a start are fewer. */
const LOG_END = 64 * 1024

/** The last lines of a file; none if it cannot be read. */
export function endOfFile(path: string): string[] {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return []
  }
  try {
    const { size } = fstatSync(fd)
    const buffer = Buffer.alloc(Math.min(size, LOG_END))
    const length = readSync(fd, buffer, 0, buffer.length, size - buffer.length)
    return linesOf(buffer.subarray(0, length).toString())
  } finally {
    closeSync(fd)
  }
}

export const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line !== '')

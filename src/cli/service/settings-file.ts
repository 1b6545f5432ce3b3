/** tessera.toml of a service: the settings of the command that installed it. */

import { existsSync } from 'node:fs'

import { readConfig, type Reading } from '#config/read.ts'
import { maskedValue, settings, settingText, tomlName } from '#config/settings.ts'

import type { Call } from '../verb.ts'

/** The settings of the command, and below them those of a file that is there already, unless --config names another one. */
export function readSettings(call: Call, file: string, dataDir: string): Reading {
  if (!existsSync(file) || call.options.has('config')) return call.reading
  return readConfig({
    flags: call.options,
    directory: process.cwd(),
    configFile: file,
    configDirectory: dataDir,
    terminal: false,
  })
}

const HEADER = '# The settings of the service: docs/operations.md, "Configuration". Restart it after a change.\n'

/** The file: every setting that has a source, and the data directory. `shown` has no secrets. */
export function settingsFile(
  { config, origins }: Reading,
  dataDir: string,
  extra: Readonly<Record<string, string>>,
): { text: string; shown: string } {
  let text = HEADER
  let shown = HEADER
  for (const setting of settings) {
    const { key } = setting
    const name = tomlName(key)
    const given = origins.has(key) ? config[key] : undefined
    const value = key === 'dataDir' ? dataDir : given === undefined ? extra[name] : settingText(given)
    if (value === undefined) continue
    text += `${name} = ${toml(value)}\n`
    shown += `${name} = ${toml(setting.secret && given !== undefined ? maskedValue(setting, given) : value)}\n`
  }
  return { text, shown }
}

/** TOML has the escapes of JSON, and forbids one more character. */
const toml = (value: string): string =>
  /^\d{1,9}$/.test(value) ? String(Number(value)) : JSON.stringify(value).replaceAll('\u007F', String.raw`\u007f`)

/** Whether the command has settings that the file does not have yet. */
export const hasNews = ({ origins, file }: Reading, path: string): boolean =>
  file !== path || [...origins.values()].some((origin) => !origin.endsWith(` in ${path}`))

import { envName, flagName, type SettingKey, settings, tomlName } from '#config/settings.ts'
import { didYouMean } from '#lib/nearest.ts'
import { version } from '#platform/version.ts'

import type { Option } from './args.ts'
import { EXIT, Refusal } from './exit-codes.ts'
import { columns, say } from './terminal.ts'
import type { Run, Verb } from './verb.ts'

const CODES = `Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 3 data directory or port in use,
4 data unusable, 5 disk full or not writable, 6 database, mail server or gateway does not answer.`

export function overview(verbs: readonly Verb[]): string {
  return `Tessera ${version}: the QR-code platform server.

Usage: tessera [COMMAND] [OPTIONS]

${columns(
  verbs.map((verb) => [verb.name, verb.summary]),
  '  ',
)}

Run "tessera COMMAND --help" for the details of a command, "tessera help settings" for all settings.

${CODES}
`
}

const SOME_SETTINGS: Partial<Record<Verb['settings'], readonly SettingKey[]>> = {
  data: ['dataDir', 'databaseUrl'],
  backup: ['dataDir', 'databaseUrl', 'databaseReadUrl', 'backupDir'],
  gateways: ['smtpUrl', 'mailFrom', 'smsUrl'],
}

export function verbHelp(verb: Verb): string {
  const parts = [
    `${verb.summary}\n\nUsage: tessera ${verb.name}${verb.words === '' ? '' : ` ${verb.words}`} [OPTIONS]`,
    verb.about,
  ]
  if (verb.options.length > 0) parts.push(`Options:\n${columns(verb.options.map(optionRow), '  ')}`)
  if (verb.settings === 'all') parts.push(settingsHelp())
  const some = SOME_SETTINGS[verb.settings]
  if (some !== undefined)
    parts.push(
      `Settings of this command (all settings: "tessera help settings"):\n${columns(
        [...settings.filter(({ key }) => some.includes(key)).map(settingOption), configOption].map(optionRow),
        '  ',
      )}`,
    )
  return parts.join('\n\n') + '\n'
}

export const configOption: Option = { name: 'config', value: 'FILE', help: 'Read this file instead of tessera.toml.' }

const optionRow = ({ name, value, help }: Option): string[] => [
  `--${name}${value === undefined ? '' : ` ${value}`}`,
  help,
]
const settingOption = ({ key, value, isSwitch, help }: (typeof settings)[number]): Option => ({
  name: flagName(key),
  ...(!isSwitch && { value }),
  help,
})

export function settingsHelp(): string {
  const secrets = settings.filter((s) => s.secret).map((s) => envName(s.key))
  const about = `Settings: a flag overrides an environment variable, which overrides tessera.toml in the working directory (or the file of --config), which overrides the default in [brackets]. In the file, TESSERA_PUBLIC_URL is called public_url. Secrets (${secrets.join(', ')}) can also be read from a file: add _FILE or -file to the name. Every user of the machine can see the flags of a process.`
  const rows = settings.map(
    (s) =>
      `  --${flagName(s.key)}${s.isSwitch ? '' : ` ${s.value}`}, ${envName(s.key)}${s.isSwitch ? `=${s.value}` : ''}\n${wrapped(`${s.help} [${s.fallback}]`, '      ')}`,
  )
  return `${wrapped(about)}\n\n${rows.join('\n')}\n  --config FILE\n      ${configOption.help}`
}

const WIDTH = 110

function wrapped(text: string, indent = ''): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line) => indent + line).join('\n')
}

/** The settings as a Markdown table for the documentation. */
export function settingsMarkdown(): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<')
  const rows = settings.map(({ key, help, fallback, secret }) => {
    const names = secret ? `\`${envName(key)}\`, \`…_FILE\`` : `\`${envName(key)}\``
    return `| ${names} | \`${tomlName(key)}\` | ${cell(help)} | ${cell(fallback)} |`
  })
  return ['| variable | in tessera.toml | what it does | default |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** The command `help`. */
export const helpAbout =
  (verbs: readonly Verb[]): Run =>
  ({ words: [topic] }) => {
    const verb = verbs.find((v) => v.name === topic)
    if (topic === undefined) say(overview(verbs).trimEnd())
    else if (topic === 'settings') say(settingsHelp())
    else if (verb) say(verbHelp(verb).trimEnd())
    else {
      const topics = [...verbs.map((v) => v.name), 'settings']
      throw new Refusal(`There is no help on ${topic}${didYouMean(topic, topics) || '.'}`, EXIT.usage)
    }
    return Promise.resolve(EXIT.ok)
  }

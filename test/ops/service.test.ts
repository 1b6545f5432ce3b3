/**
 * The command `service` on Linux. The executable runs in a place with mounts of its own, where systemctl, journalctl and useradd are scripts: they
 * start and stop the program of the unit, and make a user with the id of the caller.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { buildApart } from '../../scripts/build-apart.ts'
import { sources } from '../harness/program.ts'
import { Installation, type Outcome, OWN_MOUNTS } from './cli.ts'

const given = process.env['TEST_BINARY']
const onLinux = process.platform === 'linux'
const EMPTY = { TESSERA_DATA_DIR: '', TESSERA_DATABASE_URL: '', TESSERA_PORT: '' }

let place: Installation
let binary = ''
let tools = ''
beforeAll(() => {
  place = new Installation()
  binary = given ?? buildApart()
  tools = join(place.home, 'tools')
  mkdirSync(tools)
  for (const [name, script] of Object.entries(SCRIPTS)) {
    writeFileSync(join(tools, name), `#!/bin/sh\nS=${place.home}/state\necho "${name} $*" >>$S/calls\n${script}`)
    chmodSync(join(tools, name), 0o755)
  }
})
afterAll(async () => {
  await place.dispose()
  if (given === undefined && binary !== '') rmSync(dirname(binary), { recursive: true, force: true })
})

const SCRIPTS = {
  systemctl: String.raw`
start() {
  unit=/etc/systemd/system/$1.service
  : >$S/lines
  cd "$(sed -n 's/^WorkingDirectory=//p' $unit)" || exit 1
  env -i PATH="$PATH" setsid $(sed -n 's/^ExecStart=//p' $unit) >>$S/lines 2>&1 &
  echo $! >$S/pid
}
stop() {
  [ -f $S/pid ] || return 0
  kill "$(cat $S/pid)" 2>/dev/null
  while kill -0 "$(cat $S/pid)" 2>/dev/null; do sleep 0.05; done
  rm $S/pid
}
case "$1" in
  start) start "$2" ;;
  stop) stop ;;
  restart) stop; start "$2" ;;
  disable) stop ;;
  show) case "$3" in
    --property=ActiveState)
      if [ ! -f $S/pid ]; then echo inactive
      elif kill -0 "$(cat $S/pid)" 2>/dev/null; then echo active
      else echo failed; fi ;;
    --property=InvocationID) echo f00d ;;
  esac ;;
esac
`,
  journalctl: 'case "$*" in *--lines=10*) tail -n 10 $S/lines ;; *) cat $S/lines ;; esac\n',
  useradd: 'for user; do :; done\necho "$user:x:0:0::/:/bin/false" >>/etc/passwd\n',
  // The file is a mount, so it cannot be replaced.
  userdel: 'grep -v "^$1:" /etc/passwd >$S/passwd; cat $S/passwd >/etc/passwd\n',
}

/** Runs commands in a machine of their own, one after the other; `$T` is the program. The result has the output of each one. */
async function machine(commands: readonly string[]): Promise<Outcome[]> {
  const state = join(place.home, 'state')
  rmSync(state, { recursive: true, force: true })
  mkdirSync(state)
  const script = `
set -e
cp /etc/passwd ${state}/accounts
for folder in /etc/systemd/system /usr/local/bin /var/lib /srv /run; do mount -t tmpfs tmpfs $folder; done
mount --bind ${state}/accounts /etc/passwd
mkdir -p /run/systemd/system
export PATH=${tools}:/usr/sbin:/usr/bin:/sbin:/bin T=${binary} S=${state}
set +e
${commands
  .map((command, i) => `( ${command} ) >${state}/${i}.out 2>${state}/${i}.err; echo $? >${state}/${i}.code`)
  .join('\n')}
systemctl stop
`
  const outcome = await place.run([], { before: [...OWN_MOUNTS, script], program: [], env: EMPTY })
  expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' })
  const read = (i: number, name: string): Promise<string> => Bun.file(join(state, `${i}.${name}`)).text()
  return Promise.all(
    commands.map(async (_, i) => ({
      code: Number(await read(i, 'code')),
      stdout: await read(i, 'out'),
      stderr: await read(i, 'err'),
    })),
  )
}

describe.skipIf(!onLinux)('service', () => {
  test('install starts the service and prints the setup link; uninstall leaves only the data', async () => {
    const secret = 'a secret that nobody may see in the unit'
    const [none, installed, status, files, again, forced, kept, stopped, off, started, calls, removed, left] =
      await machine([
        '$T service status',
        `$T service install --port 0 --secret '${secret}'`,
        '/usr/local/bin/tessera service status',
        'cat /etc/systemd/system/tessera.service; stat -c "%a %n" /var/lib/tessera /var/lib/tessera/tessera.toml /usr/local/bin/tessera; stat -c %i /var/lib/tessera/tessera.db >$S/database; cat /var/lib/tessera/tessera.toml >&2',
        '$T service install',
        '$T service install --force --log-level warn',
        'stat -c %i /var/lib/tessera/tessera.db | cmp - $S/database && cat /var/lib/tessera/tessera.toml',
        '/usr/local/bin/tessera service stop',
        '$T service status',
        '$T service start',
        'cat $S/calls',
        '$T service uninstall',
        'ls /usr/local/bin /etc/systemd/system /var/lib/tessera; grep -c tessera: /etc/passwd; stat -c %i /var/lib/tessera/tessera.db | cmp - $S/database',
      ])
    expect(none).toEqual({ code: 3, stdout: '', stderr: 'The service tessera is not installed.\n' })
    expect(installed!.stderr).toBe('')
    expect(installed!.code).toBe(0)
    const link =
      /^The service tessera is listening on (http:\/\/127\.0\.0\.1:\d+)\nThere is no administrator yet\. .*: \1\/setup\?token=\S+$/m
    expect(installed!.stdout).toMatch(link)
    expect(status!.code).toBe(0)
    expect(status!.stdout).toMatch(/^The service tessera is running on http:\/\/127\.0\.0\.1:\d+\.\n/)

    expect(files!.stdout).toContain('\nUser=tessera\nStateDirectory=tessera\n')
    expect(files!.stdout).not.toContain(secret)
    expect(files!.stdout).toEndWith(
      '700 /var/lib/tessera\n600 /var/lib/tessera/tessera.toml\n755 /usr/local/bin/tessera\n',
    )
    expect(files!.stderr).toContain(`port = 0\ndata_dir = "/var/lib/tessera"\nsecret = "${secret}"\n`)

    expect(again!.code).toBe(3)
    expect(again!.stderr).toContain('already there')
    expect([forced!.code, forced!.stderr]).toEqual([0, ''])
    // The settings of before are kept, and so is the data.
    expect(kept!.code).toBe(0)
    expect(kept!.stdout).toContain(`secret = "${secret}"\nlog_level = "warn"\n`)
    expect([stopped!.code, off!.code, started!.code]).toEqual([0, 1, 0])
    expect(calls!.stdout).toContain(
      'useradd --system --user-group --no-create-home --home-dir /var/lib/tessera --shell /usr/sbin/nologin tessera\n',
    )
    expect(calls!.stdout).toContain(
      'systemctl daemon-reload\nsystemctl enable tessera\nsystemctl reset-failed tessera\nsystemctl restart tessera\n',
    )

    expect(removed!.code).toBe(0)
    expect(removed!.stdout).toMatch(
      /^The data is kept: \/var\/lib\/tessera \(\d.*\)\nThe backups are kept: \/var\/lib\/tessera\/backups /m,
    )
    const [, names] = left!.stdout.split('/var/lib/tessera:\n')
    expect(left!.stdout).toStartWith('/etc/systemd/system:\n\n/usr/local/bin:\n\n')
    expect(names!.split('\n')).toContain('tessera.db')
    // No user; the database is the same.
    expect(names).toEndWith('\n0\n')
    expect(left!.stderr).toBe('')
  })

  test('--purge deletes the data only with --yes and the directory of the service', async () => {
    const [, , wrong, unsure, bare, there, purged, gone] = await machine([
      '$T service install --port 0 --data-dir /srv/tessera --user root',
      'mkdir /srv/precious && touch /srv/precious/file',
      '$T service uninstall --purge /srv/precious --yes',
      '$T service uninstall --purge /srv/tessera',
      '$T service uninstall --yes --purge',
      'ls /srv/tessera/tessera.db /etc/systemd/system/tessera.service',
      '$T service uninstall --purge /srv/tessera --yes',
      'ls /srv /srv/precious; grep -c ^root: /etc/passwd',
    ])
    for (const refused of [wrong, unsure, bare]) expect(refused!.code).toBe(2)
    expect(wrong!.stderr).toContain('--purge /srv/tessera --yes')
    expect(there!.code).toBe(0)
    expect(purged!.code).toBe(0)
    expect(purged!.stdout).toContain('The data is deleted: /srv/tessera\n')
    // The user was there before.
    expect(gone!.stdout).toBe('/srv:\nprecious\n\n/srv/precious:\nfile\n1\n')
  })

  test('install prints the last lines of the log if the server does not start', async () => {
    const [, installed, status] = await machine([
      'mkdir -p /srv/data/keys && touch /srv/data/lock.db && echo short >/srv/data/keys/signing.key',
      '$T service install --port 0 --data-dir /srv/data',
      '$T service status',
    ])
    expect(installed!.code).toBe(1)
    expect(installed!.stderr).toContain('The service tessera does not answer. Its last lines:\n')
    expect(installed!.stderr).toContain('signing.key')
    expect(installed!.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(11)
    expect(status!.code).toBe(1)
  })

  test('install changes nothing if it cannot be done', async () => {
    const nobody = 'unshare --user --map-user=12345 '
    const [root, foreign, home, other, mistake, port, stray, dry, after] = await machine([
      `${nobody} $T service install --port 80 --public-url 'https://qr.example.org'`,
      'mkdir -p /srv/photos/2026 && $T service install --data-dir /srv/photos',
      '$T service install --data-dir /home/ann/data',
      'echo other >/usr/local/bin/tessera; $T service install; code=$?; cat /usr/local/bin/tessera; rm /usr/local/bin/tessera; exit $code',
      '$T service install --port 99999 --name Bad.Name',
      '$T service install --port 99999',
      '$T service start --force',
      `${nobody} $T service install --dry-run --port 443 --secret 12345678901234567890123456789012`,
      'ls /usr/local/bin /etc/systemd/system /var/lib; grep -c tessera: /etc/passwd; cat $S/calls',
    ])
    expect(root).toEqual({
      code: 5,
      stdout: '',
      stderr: `Only root can do this:\nsudo ${binary} service install --port 80 --public-url https://qr.example.org\n`,
    })
    for (const [refused, code, words] of [
      [foreign, 2, '/srv/photos is not empty'],
      [home, 2, 'no access to /home'],
      [other, 3, '/usr/local/bin/tessera is already there'],
      [mistake, 2, '--name takes'],
      [port, 2, '--port is "99999"'],
      [stray, 2, '--force is not an option of "service start"'],
    ] as const) {
      expect(refused!.stderr).toContain(words)
      expect(refused!.code).toBe(code)
    }
    expect(other!.stdout).toBe('other\n')
    expect(dry!.code).toBe(0)
    expect(dry!.stdout).toContain('AmbientCapabilities=CAP_NET_BIND_SERVICE\n')
    expect(dry!.stdout).toContain('systemctl restart tessera\n')
    expect(dry!.stdout).toContain('secret = "***"\n')
    expect(dry!.stdout).not.toContain('1234567890')
    expect(after!.stdout).toBe('/etc/systemd/system:\n\n/usr/local/bin:\n\n/var/lib:\n0\n')
  })

  test('a unit that another program wrote is only replaced with --force', async () => {
    const [, stopped, refused, forced, unit] = await machine([
      'echo "[Service]" >/etc/systemd/system/tessera.service',
      '$T service stop',
      '$T service install --port 0',
      '$T service install --port 0 --force',
      'cat /etc/systemd/system/tessera.service',
    ])
    expect([stopped!.code, refused!.code, forced!.code]).toEqual([2, 3, 0])
    expect(stopped!.stderr).toContain('was not written by this command')
    expect(unit!.stdout).toContain('[Unit]\nDescription=Tessera\n')
  })

  test('a second service has a name, a program, a user and data of its own', async () => {
    const [, second, files, , left] = await machine([
      '$T service install --port 0',
      '$T service install --port 0 --name training',
      'ls /usr/local/bin /etc/systemd/system /var/lib',
      '$T service uninstall --name training',
      'ls /usr/local/bin /etc/systemd/system',
    ])
    expect(second!.code).toBe(0)
    expect(files!.stdout).toBe(
      '/etc/systemd/system:\ntessera.service\ntraining.service\n\n/usr/local/bin:\ntessera\ntraining\n\n/var/lib:\ntessera\ntraining\n',
    )
    expect(left!.stdout).toBe('/etc/systemd/system:\ntessera.service\n\n/usr/local/bin:\ntessera\n')
  })
})

test('from the sources the command says that a service needs the executable', async () => {
  const outcome = await place.run(['service', 'install'], { program: sources() })
  expect(outcome).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('run "bun run build"') })
})

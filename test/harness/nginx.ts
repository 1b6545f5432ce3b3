/** nginx before several servers, with the configuration that docs/operations.md gives. TEST_NGINX is the path of the program. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Proxy } from './proxy.ts'
import { until } from './until.ts'

const DOCS = join(import.meta.dir, '../../docs/operations.md')
const MAP = "map $http_upgrade $connection_upgrade { default upgrade; '' ''; }"

/** A port that nobody uses now: nginx cannot choose one. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

function configuration(targets: readonly string[], port: number): string {
  const given = /```nginx\n(upstream [^`]*)```/.exec(readFileSync(DOCS, 'utf8'))![1]!
  const servers = targets.map((target) => `  server ${new URL(target).host} max_fails=1 fail_timeout=5s;\n`)
  const http = given
    .replace(/(?: {2}server \d.*\n)+/, servers.join(''))
    .replace('server {\n', `server {\n  listen 127.0.0.1:${port};\n`)
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  return `${user}pid nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${MAP}\n${http}}\n`
}

export async function startNginx(program: string, targets: readonly string[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-nginx-'))
  mkdirSync(join(folder, 'logs'))
  const [port, file] = [await freePort(), join(folder, 'nginx.conf')]
  const configure = (to: readonly string[]): void => writeFileSync(file, configuration(to, port))
  configure(targets)
  const child = Bun.spawn([program, '-p', folder, '-c', file, '-e', 'error.log', '-g', 'daemon off;'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'))
    return (await fetch(`${url}/actuator/health/live`).catch(() => undefined))?.ok === true
  })
  return {
    url,
    use(others) {
      configure(others)
      child.kill('SIGHUP')
    },
    async stop() {
      child.kill()
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

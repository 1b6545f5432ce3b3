import { connect, type TLSSocket } from 'node:tls'

/** The certificate that a new connection gets. */
export async function handshake(
  port: string,
  servername: string,
  ca: string,
): Promise<{ isTrusted: boolean; serial: string }> {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const options = { host: 'localhost', port: Number(port), servername, ...(ca !== '' && { ca }) }
    const made: TLSSocket = connect({ ...options, rejectUnauthorized: false }, () => resolve(made))
    made.on('error', reject)
  })
  const { serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return { isTrusted: socket.authorized, serial: serialNumber }
}

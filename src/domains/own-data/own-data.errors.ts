import { badRequest, forbidden, limited, unavailable } from '#http/errors.ts'

export const oneADay = (seconds: number) => limited('Data can be exported once a day', '每天只能导出一次数据', seconds)
export const notReady = () => badRequest('The export is not ready', '导出尚未就绪')
export const diskFull = () =>
  unavailable('The server has too little disk space for an export, try again later', '服务器磁盘空间不足，请稍后再试')
export const badLink = () =>
  forbidden('This link has expired: get a new one where you found it', '此链接已失效，请重新获取')

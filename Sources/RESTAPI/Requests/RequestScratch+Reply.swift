import Bytes
import HTTPServer
import StoreService

extension RequestScratch {
    /// What was written to ``reply``, which is empty afterwards.
    func takeReply() -> HTTPServer.Bytes {
        if reply.count <= Self.copiedByteCountMax {
            let bytes = HTTPServer.Bytes(copying: reply.bytes)
            reply.removeAll()
            return bytes
        }
        let (base, count) = reply.takeStorage()
        return HTTPServer.Bytes(adopting: base, count: count)
    }
}

import HoldfastBytes
import HoldfastHTTPServer
import HoldfastStoreService

extension RequestScratch {
    /// The bytes of ``reply``, which is empty afterwards.
    func takeReply() -> Bytes {
        if reply.count <= Self.copiedByteCountMax {
            let bytes = Bytes(copying: reply.bytes)
            reply.removeAll()
            return bytes
        }
        return Bytes(taking: reply)
    }
}

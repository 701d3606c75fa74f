import Glibc
import HoldfastHTTPServer
import HoldfastObjectStore
import HoldfastStoreService

/// The body of an export, made while it is sent. The snapshot ends with the reply, also when the client
/// leaves.
final class ExportSource: PullSource {
    private let export: Export
    private let service: RESTService
    private var piece = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Makes the body.
    init(_ export: Export, _ service: RESTService) {
        self.export = export
        self.service = service
    }

    func read(into target: UnsafeMutableRawBufferPointer) -> Pull {
        if piece.isEmpty {
            do {
                piece = try export.pieces.next()
            } catch {
                // The connection is cut for that.
                _ = service.served.fault(error)
                return .failed
            }
        }
        guard let from = piece.baseAddress, let to = target.baseAddress, !piece.isEmpty else {
            return .end
        }
        let count = min(piece.count, target.count)
        memcpy(to, from, count)
        piece = UnsafeRawBufferPointer(rebasing: piece[count...])
        export.limit.count(count)
        return .bytes(count)
    }

    var heldByteCount: Int { export.pieces.heldByteCount }

    func close() { service.endExport(export) }
}

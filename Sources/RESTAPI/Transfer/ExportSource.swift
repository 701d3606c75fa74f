import Glibc
import HTTPServer
import ObjectStore
import StoreService

/// The body of an export, made while it is sent. The snapshot ends with the reply, also when the client
/// leaves.
final class ExportSource: PullSource {
    private let export: Export
    private let transfers: Transfers
    private let onFailure: (StoreError) -> Void
    private var piece = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Makes the body.
    ///
    /// - `onFailure`: Told why the store can't be read, when the connection is cut for that.
    init(
        _ export: Export, of transfers: Transfers, onFailure: @escaping (StoreError) -> Void
    ) {
        self.export = export
        self.transfers = transfers
        self.onFailure = onFailure
    }

    func read(into target: UnsafeMutableRawBufferPointer) -> Pull {
        if piece.isEmpty {
            do {
                piece = try export.pieces.next()
            } catch {
                onFailure(error)
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

    func close(_ completion: Completion) { transfers.end(export) }
}

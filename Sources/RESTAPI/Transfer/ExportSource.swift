import Glibc
import HTTPServer
import ObjectStore
import StoreService

/// The body of an export, made while it is sent. The snapshot ends with the reply, also when the client
/// leaves.
final class ExportSource: PullSource {
    private let cursor: any ExportPieces
    private let limit: ExportLimit
    private let exports: OpenExports
    private let onFailure: (StoreError) -> Void
    private var piece = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Makes the body.
    ///
    /// - `onFailure`: Told why the store can't be read, when the connection is cut for that.
    init(
        _ cursor: any ExportPieces, _ limit: ExportLimit, in exports: OpenExports,
        onFailure: @escaping (StoreError) -> Void
    ) {
        self.cursor = cursor
        self.limit = limit
        self.exports = exports
        self.onFailure = onFailure
    }

    func read(into target: UnsafeMutableRawBufferPointer) -> Pull {
        if piece.isEmpty {
            do {
                piece = try cursor.next()
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
        limit.count(count)
        return .bytes(count)
    }

    func close(_ completion: Completion) {
        cursor.close()
        exports.close(limit)
    }
}

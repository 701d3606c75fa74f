import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

/// Unpacks the body of an import that is gzip, within a bound of what it may become.
// @unchecked: one thread at a time uses it.
final class GzipUnpacker: ImportUnpacker, @unchecked Sendable {
    /// The bytes that every body may become.
    private static let byteCountMin = 1 << 20

    private let reader: GzipReader
    private let ratioMax: Int
    private var packedByteCount = 0
    private var byteCount = 0

    /// Makes an unpacker; nil without memory.
    ///
    /// - `ratioMax`: How many bytes each packed byte may become, beyond the first MiB.
    init?(ratioMax: Int) {
        guard let reader = GzipReader() else { return nil }
        self.reader = reader
        self.ratioMax = ratioMax
    }

    func unpack(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(RequestFault) -> Void
    ) throws(RequestFault) {
        packedByteCount += bytes.count
        var fault: RequestFault?
        do throws(GzipReader.Fault) {
            try reader.read(bytes) { piece in
                do throws(RequestFault) {
                    byteCount += piece.count
                    guard byteCount <= Self.byteCountMin + ratioMax * packedByteCount else {
                        throw inflationTooLarge
                    }
                    try body(piece)
                } catch {
                    fault = error
                }
                return fault == nil
            }
        } catch {
            throw fault ?? Self.broken
        }
    }

    func complete() throws(RequestFault) {
        if packedByteCount > 0, !reader.isOver { throw Self.broken }
    }

    private var inflationTooLarge: RequestFault {
        RequestFault(
            .tooLarge, "inflation-too-large",
            "The compressed body becomes more than \(ratioMax) times as long. Send it uncompressed, or let the "
                + "service take more (--max-inflation).")
    }

    private static let broken = RequestFault(
        .malformed, "bad-encoding",
        "The body is not well-formed gzip, although Content-Encoding says so.")
}

import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastThreads
import HoldfastTransfer
import Synchronization

/// Feeds the body of a request to an import, and answers with its report.
final class ImportSink: UploadSink {
    private struct State {
        var exchange: Exchange?
        var response: Response?
        var isWhole = false
    }

    private let session: ImportSession
    private let upload: Upload
    private let slot: Lease
    private let state = Mutex(State())

    /// Makes a sink; ``start(_:)`` follows.
    ///
    /// - `slot`: The slot of a user's import, which is free again when it is over.
    init(_ session: ImportSession, _ upload: Upload, _ slot: Lease) {
        self.session = session
        self.upload = upload
        self.slot = slot
    }

    /// Starts the import.
    ///
    /// - Parameter makeResponse: Makes the reply from its report; nil when no client waits for one.
    func start(
        _ makeResponse: @escaping @Sendable (Result<ImportReport, RequestFault>?) -> Response?
    ) {
        session.start { result in
            // Free again when its client hears of the end.
            self.slot.end()
            guard let response = makeResponse(result) else {
                self.state.withLock { $0.exchange.take() }?.abandon()
                return
            }
            let (exchange, isWhole) = self.state.withLock { state in
                if state.exchange == nil { state.response = response }
                return (state.exchange.take(), state.isWhole)
            }
            if let exchange {
                exchange.respond(response)
            } else if !isWhole, case .failure(let fault) = result, fault.endsUpload {
                // The next piece, with which another refusal is told, may not come.
                self.upload.end(response)
            }
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> UploadFlow {
        // An import that has ended without its text was refused for that.
        if let response = state.withLock({ $0.response.take() }) { return .refuse(response) }
        return session.feed.append(bytes) ? .more : .wait
    }

    func finish() -> Outcome {
        state.withLock { $0.isWhole = true }
        session.feed.complete()
        return .later { exchange in
            self.session.feed.abandon { exchange.isGone }
            let response = self.state.withLock { state in
                if state.response == nil { state.exchange = exchange }
                return state.response.take()
            }
            if let response { exchange.respond(response) }
        }
    }

    func abort() { session.feed.abandon() }
}

/// Unpacks the gzip body of an import, within a limit of unpacked bytes.
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
                } catch { fault = error }
                return fault == nil
            }
        } catch { throw fault ?? Self.broken }
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

import CHoldfastMemory
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastThreads
import Synchronization

/// An import of lines into one class or a whole store: text goes in by pieces, a report comes out.
///
/// The sender's thread only copies bytes. They are unpacked, converted, cut into lines and read into drafts on a
/// thread of the session's own; transactions of a few MiB of text are written while the next one is being read.
/// Good lines are kept even if others fail. Links are checked at the end: a line with a missing target
/// waits until all lines have come. Memory is bounded: the sender has to wait. It knows nothing of HTTP.
package final class ImportSession: Sendable {
    private let store: Store
    private let target: ImportTarget
    private let options: ImportOptions
    /// The text, which the sender hands over.
    package let feed: ImportFeed
    private let longLines: LongLineGate
    private let unpacker: (any ImportUnpacker)?
    private let onEnd: @Sendable () -> Void
    private let lineCount = Atomic<Int>(0)

    /// Makes a session; ``start(_:)`` follows.
    ///
    /// - `longLines`: The gate of the service's imports; an import without it gets its own gate.
    /// - `unpacker`: Unpacks the text; nil for plain text.
    /// - `onRoom`: As in ``ImportFeed``.
    /// - `onEnd`: Called once when all is done, before the completion.
    package init(
        _ store: Store, _ target: ImportTarget, _ options: ImportOptions,
        longLines: LongLineGate = LongLineGate(), unpacker: (any ImportUnpacker)? = nil,
        onRoom: @escaping @Sendable () -> Void = {}, onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.target = target
        self.options = options
        self.longLines = longLines
        self.unpacker = unpacker
        self.onEnd = onEnd
        feed = ImportFeed(onRoom: onRoom)
    }

    /// Starts the thread.
    ///
    /// - Parameter completion: Called once, on the thread, at the end, or at once if the system has no thread
    ///   left; with nil when the sender went away.
    package func start(
        _ completion: @escaping @Sendable (Result<ImportReport, RequestFault>?) -> Void
    ) {
        let isStarted = startThreadIfPossible {
            let run = ImportRun(self.store, self.target, self.options, self.feed) {
                self.lineCount.wrappingAdd($0, ordering: .relaxed)
            }
            let result = run.run { () throws(RequestFault) in try self.cut(for: run) }
            self.feed.close()
            // Tens of MiB of text and drafts are free now, in pieces that the allocator would keep.
            shim_trim_memory()
            self.onEnd()
            completion(result)
        }
        if isStarted { return }
        feed.abandon()
        onEnd()
        completion(.failure(.tooBusy))
    }

    /// Runs the import for a sender that waits for it: starts it, has `body` send the text, and
    /// returns when all is done; nil when it was given up.
    ///
    /// - Throws: Errors of `body`; the import is abandoned then.
    package func run<Failure: Error>(
        _ body: (ImportFeed) throws(Failure) -> Void
    ) throws(Failure) -> Result<ImportReport, RequestFault>? {
        let result = Monitor<Result<ImportReport, RequestFault>??>(nil)
        start { outcome in result.update { $0 = .some(outcome) } }
        do throws(Failure) {
            try body(feed)
        } catch {
            feed.abandon()
            _ = result.wait { $0 }
            throw error
        }
        feed.complete()
        return result.wait { $0 }
    }

    /// How many lines were dealt with so far.
    package var progress: Int { lineCount.load(ordering: .relaxed) }

    // MARK: The import's thread

    /// Cuts the text into lines as it comes, which a run takes; false when no more is wanted.
    private func cut(for run: ImportRun) throws(RequestFault) -> Bool {
        let cutter = LineCutter(options, longLines, feed, run.take)
        var rate = ImportRate(
            byteRateMin: options.limits.importByteRateMin, over: options.limits.rateSeconds)
        var mark = ByteOrderMark()
        let first = try makeSource(cutter, for: run)
        func take(_ bytes: UnsafeRawBufferPointer) throws(RequestFault) {
            try mark.strip(bytes) { bytes throws(RequestFault) in try first.append(bytes) }
            // Nothing more is unpacked for an import that has failed.
            if let failure = run.failure { throw failure }
        }
        while true {
            switch try feed.receive(&rate) {
            case .text(let text):
                if let unpacker {
                    try unpacker.unpack(text.bytes, take)
                } else {
                    try take(text.bytes)
                }
            case .end:
                try unpacker?.complete()
                try mark.complete { bytes throws(RequestFault) in try first.append(bytes) }
                try first.complete()
                return true
            case .unwanted: return false
            }
        }
    }

    /// The stage that makes lines of JSON of the text.
    private func makeSource(
        _ cutter: LineCutter, for run: ImportRun
    ) throws(RequestFault) -> any LineSource {
        var (rows, visibility): (RowSchema, Visibility?) = (store.catalog.rows, nil)
        if let rights = options.rights { (_, rows, visibility) = try rights.known() }
        guard case .objects(let className) = target, let rowClass = rows.rowClass(named: className)
        else { return cutter }
        return switch options.format {
        case .ndjson: cutter
        case .csv:
            options.csv.encoding.source(
                CSVConverter(rowClass, rows, seenBy: visibility, cutter, options) {
                    run.header = $0
                })
        case .extendedJSON:
            ObjectConverter(
                ExtendedJSONForm(rowClass: rowClass, schema: rows, options: options), cutter,
                options)
        case .geoJSON:
            ObjectConverter(
                try GeoJSONForm(rowClass, rows, options.names), cutter, options,
                seeksFeatures: true)
        }
    }
}

/// A stage of an import's text on its way to lines of JSON. One thread at a time.
protocol LineSource: AnyObject {
    /// Takes the next bytes, which are valid during the call.
    ///
    /// - Throws: ``RequestFault`` when the text can't be an import.
    func append(_ bytes: UnsafeRawBufferPointer) throws(RequestFault)
    /// Ends the text.
    ///
    /// - Throws: As ``append(_:)``.
    func complete() throws(RequestFault)
}

/// Something that unpacks the text of an import that comes compressed. One thread at a time.
package protocol ImportUnpacker: AnyObject, Sendable {
    /// Unpacks the next bytes and passes the text on, piece by piece.
    ///
    /// - Throws: ``RequestFault`` for bytes that can't be unpacked, or unpack to too many; errors of `body`.
    func unpack(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(RequestFault) -> Void) throws(RequestFault)
    /// Ends the packed bytes.
    ///
    /// - Throws: ``RequestFault`` when they are cut.
    func complete() throws(RequestFault)
}

/// Where the objects of an import go.
package enum ImportTarget: Sendable {
    /// Into the class of this name: a line is an object.
    case objects(className: String)
    /// Into their own classes: a whole store, as `GET /v1/export` writes it.
    case store

    /// Makes sure that an import can go there.
    ///
    /// - Throws: ``RequestFault`` `.notFound` when there is no such class; when its objects are not created
    ///   by themselves, or not by this mode.
    package func check(_ schema: RowSchema, _ mode: WriteMode) throws(RequestFault) {
        guard case .objects(let className) = self else { return }
        guard let rowClass = schema.rowClass(named: className) else {
            throw .unknownClass(className, schema)
        }
        try rowClass.requireCreatable()
        try rowClass.requireCreation(mode)
    }
}

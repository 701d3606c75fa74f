import CMemory
import ObjectJSON
import ObjectStore
import Synchronization
import Threads

/// An import of NDJSON into one class or a whole store: text goes in by pieces, a report comes out.
///
/// Lines are read into drafts on a thread of the session's own and written in transactions of a few MiB
/// of text, the next one being read while the last is being committed. Good lines are kept whatever
/// becomes of others. Links are checked at the end: a line whose links lead nowhere yet waits until all
/// lines are there. Memory is bounded: the feeder is told to wait. Knows nothing of HTTP.
package final class ImportSession: Sendable {
    private let store: Store
    private let target: ImportTarget
    private let options: ImportOptions
    private let feed: ImportFeed
    private let onEnd: @Sendable () -> Void
    private let lineCount = Atomic<Int>(0)
    /// What makes NDJSON of the text; nil when it is that.
    private let converter: CSVConverter?

    /// Makes a session; ``start(_:)`` follows.
    ///
    /// - `onRoom`: Called once after each ``append(_:)`` that returned false, perhaps before that
    ///   call has returned. Any thread.
    /// - `onEnd`: Called once when all is done, before the completion.
    package init(
        _ store: Store, _ target: ImportTarget, _ options: ImportOptions,
        onRoom: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.onEnd = onEnd
        self.target = target
        self.options = options
        let feed = ImportFeed(options, onRoom: onRoom)
        self.feed = feed
        if options.format == .csv, case .objects(let className) = target {
            let rows = store.catalog.rows
            converter = rows.rowClass(named: className).map {
                CSVConverter(
                    $0, rows, feed, recordByteCountMax: options.lineByteCountMax)
            }
        } else {
            converter = nil
        }
    }

    /// Starts the thread that reads.
    ///
    /// - Parameter completion: Called once, on that thread, when all is done, or at once when the system has none
    ///   left; with nil when the sender went away.
    package func start(
        _ completion: @escaping @Sendable (Result<ImportReport, RequestFault>?) -> Void
    ) {
        let isStarted = startThreadIfPossible {
            var run = ImportRun(self.store, self.target, self.options, self.feed) {
                self.lineCount.wrappingAdd($0, ordering: .relaxed)
            }
            let result = run.run()
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

    /// Takes the next piece of text; one thread at a time, as the two below.
    ///
    /// - Returns: False when no more is wanted until `onRoom` is called.
    package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        converter?.append(bytes) ?? feed.append(bytes)
    }

    /// The text is complete.
    package func complete() {
        converter?.complete()
        feed.complete()
    }

    /// The sender is gone; what was written stays.
    package func abandon() { feed.abandon() }

    /// Ends the import within a chunk when `isGone` says that nobody waits for it; any thread asks. What
    /// was written stays.
    package func abandon(when isGone: @escaping @Sendable () -> Bool) {
        feed.abandon(when: isGone)
    }

    /// How many lines were dealt with so far.
    package var progress: Int { lineCount.load(ordering: .relaxed) }
}

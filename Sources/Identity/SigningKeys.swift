import HoldfastThreads

/// The keys of an issuer, read again and again; while they can't be read the last ones hold. Thread-safe.
package final class SigningKeys: Sendable {
    /// Reads the document; may take seconds.
    package typealias Source = @Sendable () throws(SigningKeyFailure) -> [UInt8]

    /// When they are read again.
    package struct Times: Sendable {
        /// Milliseconds until they are read again by themselves.
        package var regular: UInt64 = 3_600_000
        /// Milliseconds between two readings at least.
        package var least: UInt64 = 60_000

        /// An hour, and a minute.
        package init() {}
    }

    private struct State {
        var document: [UInt8] = []
        var set: SigningKeySet?
        var revision: UInt64 = 0
        /// When they were read last, or that was tried.
        var readAt: UInt64?
        var isWanted = false
        var isStopped = false
    }

    private let source: Source
    private let allowsSecrets: Bool
    private let times: Times
    private let report: @Sendable (SigningKeyFailure) -> Void
    private let state = Monitor(State())

    /// Makes keys that are not read yet.
    ///
    /// - Parameters:
    ///   - allowsSecrets: Whether the source may have a secret, for HS256: a file may, an address never.
    ///   - times: When they are read again.
    ///   - source: Reads them.
    ///   - report: Is told, on the thread that reads, why the keys can't be read.
    package init(
        allowsSecrets: Bool, times: Times = Times(), source: @escaping Source,
        report: @escaping @Sendable (SigningKeyFailure) -> Void
    ) {
        self.allowsSecrets = allowsSecrets
        self.times = times
        self.source = source
        self.report = report
    }

    /// Reads them now, on the calling thread.
    ///
    /// - Throws: ``SigningKeyFailure``; the last ones hold.
    package func read() throws(SigningKeyFailure) {
        state.withLock {
            $0.readAt = monotonicMilliseconds()
            $0.isWanted = false
        }
        let document = try source()
        if state.withLock({ $0.document == document }) { return }
        let set = try SigningKeySet(document, allowsSecrets: allowsSecrets)
        state.withLock {
            $0.document = document
            $0.set = set
            $0.revision += 1
        }
    }

    /// Starts the thread that reads them again.
    package func start() {
        startThread(named: "signing keys") { [self] in
            var pause = times.regular
            if state.withLock({ $0.set == nil }) { pause = times.least }
            while true {
                let isStopped = state.wait(microseconds: Int(pause) * 1000) { state -> Bool? in
                    state.isStopped ? true : state.isWanted ? false : nil
                }
                if isStopped == true { return }
                do throws(SigningKeyFailure) {
                    try read()
                    pause = times.regular
                } catch {
                    report(error)
                    pause = times.least
                }
            }
        }
    }

    /// Ends the thread; one that is reading ends later.
    package func stop() { state.update { $0.isStopped = true } }

    /// The number of different documents that were read. Cost: a lock.
    package var revision: UInt64 { state.withLock { $0.revision } }

    /// The keys of now, and their revision; nil as long as none could be read.
    var current: (set: SigningKeySet, revision: UInt64)? {
        state.withLock { state in state.set.map { ($0, state.revision) } }
    }

    /// Has them read again because a key is missing, unless that was tried less than a minute ago. Does not wait.
    func want() {
        state.signal { state in
            let now = monotonicMilliseconds()
            if state.isWanted || state.readAt.map({ now - $0 < times.least }) ?? false {
                return false
            }
            state.isWanted = true
            return true
        }
    }
}

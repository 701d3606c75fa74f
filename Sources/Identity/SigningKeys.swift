import HoldfastThreads

/// An issuer's keys, which are read again regularly. If reading fails, the last keys remain in use. Thread-safe.
package final class SigningKeys: Sendable {
    /// Reads the key document; may take seconds.
    package typealias Source = @Sendable () throws(SigningKeyFailure) -> [UInt8]

    /// The times for reading the keys again.
    package struct Times: Sendable {
        /// The interval of regular readings, in milliseconds.
        package var regular: UInt64 = 3_600_000
        /// The minimum interval between two readings, in milliseconds.
        package var least: UInt64 = 60_000

        /// Makes the defaults: an hour, and a minute.
        package init() {}
    }

    private struct State {
        var document: [UInt8] = []
        var set: SigningKeySet?
        var revision: UInt64 = 0
        /// The time of the last reading, successful or not.
        var readAt: UInt64?
        var isWanted = false
        var isStopped = false
    }

    private let source: Source
    private let allowsSecrets: Bool
    private let times: Times
    private let report: @Sendable (SigningKeyFailure) -> Void
    private let state = Monitor(State())

    /// Makes an empty key set; no key is read yet.
    ///
    /// - Parameters:
    ///   - allowsSecrets: Whether the source may contain a secret, for HS256. A file may, a URL never.
    ///   - times: The times for reading the keys again.
    ///   - source: Reads the keys.
    ///   - report: Is called with each failure, on the reading thread.
    package init(
        allowsSecrets: Bool, times: Times = Times(), source: @escaping Source,
        report: @escaping @Sendable (SigningKeyFailure) -> Void
    ) {
        self.allowsSecrets = allowsSecrets
        self.times = times
        self.source = source
        self.report = report
    }

    /// Reads the keys now, on the calling thread.
    ///
    /// - Throws: ``SigningKeyFailure``. The last keys then remain in use.
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

    /// Starts the thread that reads the keys again.
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

    /// Ends the thread. If it is reading, it ends afterwards.
    package func stop() { state.update { $0.isStopped = true } }

    /// The number of different documents read so far. Cost: a lock.
    package var revision: UInt64 { state.withLock { $0.revision } }

    /// The present keys and their revision; nil until a reading succeeds.
    var current: (set: SigningKeySet, revision: UInt64)? {
        state.withLock { state in state.set.map { ($0, state.revision) } }
    }

    /// Requests another reading because a key is missing, unless the last reading was less than a minute ago. Does not wait.
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

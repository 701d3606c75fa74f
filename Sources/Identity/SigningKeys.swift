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
        /// The interval behind the first reading if it fails, in milliseconds. It doubles up to `least` until a reading succeeds:
        /// an issuer that starts at the same time as the service is there within seconds.
        package var first: UInt64 = 1000

        /// Makes the defaults: an hour, a minute, and a second.
        package init() {}
    }

    private struct State {
        var document: [UInt8] = []
        var set: SigningKeySet?
        var revision: UInt64 = 0
        /// The time of the last reading, successful or not.
        var readAt: UInt64?
        /// The number of readings before the first keys.
        var emptyReadingCount = 0
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
            if $0.set == nil { $0.emptyReadingCount += 1 }
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
            var pause = state.withLock { $0.set == nil ? least($0) : times.regular }
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
                    pause = state.withLock { least($0) }
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

    /// The present minimum interval between two readings, in milliseconds.
    private func least(_ state: State) -> UInt64 {
        guard state.set == nil, state.emptyReadingCount > 0 else { return times.least }
        return min(times.least, times.first << UInt64(min(state.emptyReadingCount - 1, 16)))
    }

    /// The seconds until the next reading, at least one.
    var retrySeconds: Int {
        state.withLock { state in
            let since = state.readAt.map { monotonicMilliseconds() - $0 } ?? 0
            let pause = least(state)
            return Int((pause > since ? pause - since : 0) / 1000) + 1
        }
    }

    /// Requests another reading because a key is missing, unless the last reading was too recent. Does not wait.
    func want() {
        state.signal { state in
            let now = monotonicMilliseconds()
            if state.isWanted || state.readAt.map({ now - $0 < least(state) }) ?? false {
                return false
            }
            state.isWanted = true
            return true
        }
    }
}

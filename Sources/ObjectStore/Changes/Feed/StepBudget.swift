import HoldfastThreads

/// The processor time of the feed's thread for one step. The clients with streams that the step concerns share it.
///
/// When half of it is used, clients are compared: the streams of clients that used an average share or more leave the step. When
/// all of it is used, every unfinished stream leaves the step. Workers report the missed changes to these streams, and the feed
/// goes on to the next step. Only processor time counts, so that no stream leaves because the thread waits for a core. On the
/// feed's thread.
package final class StepBudget {
    package static let microseconds: UInt64 = 100_000

    private let nanosecondsMax: UInt64
    private let clock: () -> UInt64
    private let start: UInt64
    /// The time after which the clock is read again, which takes a system call.
    private let lookNanoseconds: UInt64
    private var unseenNanoseconds: UInt64 = 0
    /// Whether clients have been compared.
    private var isShared = false
    /// The clients that have used more than their share.
    private(set) var excluded: Set<Int> = []
    private(set) var isOver: Bool
    /// The filters that were tested in the step, each once.
    var tested: [ObservedFilter] = []
    /// The time that the channels of each client have used to report the step.
    private var told: [Int: UInt64] = [:]
    private var telling: (client: Int, since: UInt64)?

    /// Allows a time.
    ///
    /// - Parameters:
    ///   - microseconds: 0 has every stream leave the step.
    ///   - lookMicroseconds: The time between two readings of the clock.
    ///   - clock: Nanoseconds that the thread has used.
    package init(
        microseconds: UInt64 = StepBudget.microseconds, lookMicroseconds: UInt64 = 1_000,
        clock: @escaping () -> UInt64 = threadNanoseconds
    ) {
        nanosecondsMax = microseconds * 1000
        lookNanoseconds = min(lookMicroseconds * 1000, nanosecondsMax / 16)
        self.clock = clock
        start = clock()
        isOver = microseconds == 0
    }

    /// Notes that about so much time was used. Cost: a system call if the clock was not read for some time.
    func note(_ nanoseconds: UInt64) {
        unseenNanoseconds += nanoseconds
        if unseenNanoseconds >= lookNanoseconds { look(at: clock()) }
    }

    private func look(at now: UInt64) {
        unseenNanoseconds = 0
        let used = now &- start
        if used >= nanosecondsMax { isOver = true }
        if isShared || used < nanosecondsMax / 2 { return }
        isShared = true
        charge(now)
        var uses = told
        for filter in tested {
            if let client = filter.client { uses[client, default: 0] += filter.used }
        }
        let average = uses.values.reduce(0, +) / UInt64(max(1, uses.count))
        excluded = Set(uses.lazy.filter { $0.value >= average }.map(\.key))
    }

    /// Charges the time until now to the client that has the channel.
    private func charge(_ now: UInt64) {
        guard let (client, since) = telling else { return }
        told[client, default: 0] += now &- since
        telling = (client, now)
    }

    // MARK: Telling

    /// Whether the streams of a client leave the step.
    ///
    /// - `client`: Nil for channels that receive every step.
    func refuses(_ client: Int?) -> Bool { client.map { isOver || excluded.contains($0) } ?? false }

    /// Runs `body`, in which a client's channel reports the step.
    func tell(_ client: Int?, _ body: () -> Void) {
        let now = clock()
        telling = client.map { ($0, now) }
        body()
        let end = clock()
        charge(end)
        telling = nil
        look(at: end)
    }

    /// Whether a channel that reports the step may write another part of it.
    package func mayGoOn() -> Bool {
        look(at: clock())
        return !refuses(telling?.client)
    }
}

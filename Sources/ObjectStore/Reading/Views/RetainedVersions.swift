import HoldfastThreads
import Synchronization

/// The commits that are retained for longer than a request, and their holders: a store's engine keeps their pages. Thread-safe.
package final class RetainedVersions: Sendable {
    /// A holder of a version.
    package enum Holder: String, CaseIterable, Sendable {
        /// Realms of the Swift library, each the version that it shows.
        case realm
        /// Frozen objects of the Swift library.
        case frozen
        /// Snapshots that clients have pinned.
        case snapshot
        /// Exports under way.
        case export
        /// Backups under way.
        case backup
    }

    /// The old versions that one kind of holder has.
    package struct Pile: Equatable, Sendable {
        package let holder: Holder
        package let versionCount: Int
        /// For how long the oldest has been held.
        package let seconds: Int
    }

    private struct Hold: Hashable {
        var commit: UInt64
        var holder: Holder
    }

    private struct State {
        /// How often each is held, and since when, in milliseconds of the monotonic clock.
        var holds: [Hold: (count: Int, since: UInt64)] = [:]
        /// When each kind of holder may be told of again.
        var dueAt: [Holder: UInt64] = [:]
        /// When the holds are looked at again.
        var nextLook: UInt64 = 0
    }

    private let state = Mutex(State())
    /// The time after which a version that is held is old.
    private let ageMillisecondsMin: UInt64
    private static let lookMilliseconds: UInt64 = 1000
    private static let tellMilliseconds: UInt64 = 60_000

    init(ageMillisecondsMin: Int) { self.ageMillisecondsMin = UInt64(ageMillisecondsMin) }

    /// Notes that a commit is held.
    package func begin(_ commit: UInt64, _ holder: Holder) {
        let now = monotonicMilliseconds()
        state.withLock { state in
            state.holds[Hold(commit: commit, holder: holder), default: (0, now)].count += 1
        }
    }

    /// Notes that it is held once less.
    package func end(_ commit: UInt64, _ holder: Holder) {
        let hold = Hold(commit: commit, holder: holder)
        state.withLock { state in
            guard let present = state.holds[hold] else { return }
            state.holds[hold] = present.count > 1 ? (present.count - 1, present.since) : nil
        }
    }

    /// Notes that a commit is held, until the result is let go of.
    package func hold(_ commit: UInt64, _ holder: Holder) -> Lease {
        begin(commit, holder)
        return Lease { self.end(commit, holder) }
    }

    /// How many commits there are that something holds.
    package var count: Int { state.withLock { Set($0.holds.keys.map(\.commit)).count } }

    /// How many commits a kind of holder holds.
    package func count(of holder: Holder) -> Int {
        state.withLock { $0.holds.keys.count { $0.holder == holder } }
    }

    /// The holders of versions that have become old while others were committed; each kind of holder is named once a minute.
    ///
    /// To be asked behind a commit: without one, nothing is kept that the newest version has not. Cost: a lock, but for one call
    /// in a second.
    ///
    /// - `now`: In milliseconds of the monotonic clock.
    package func takePiles(at now: UInt64 = monotonicMilliseconds()) -> [Pile] {
        state.withLock { state in
            guard now >= state.nextLook else { return [] }
            state.nextLook = now + Self.lookMilliseconds
            return Holder.allCases.compactMap { holder in
                let old = state.holds.filter {
                    $0.key.holder == holder && now >= $0.value.since + ageMillisecondsMin
                }
                guard let since = old.values.map(\.since).min(), now >= state.dueAt[holder] ?? 0
                else { return nil }
                state.dueAt[holder] = now + Self.tellMilliseconds
                return Pile(
                    holder: holder, versionCount: old.count, seconds: Int((now - since) / 1000))
            }
        }
    }
}

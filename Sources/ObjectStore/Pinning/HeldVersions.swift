import Synchronization

/// The commits that are held for longer than a request, and what holds them: a store's engine keeps their pages. Thread-safe.
package final class HeldVersions: Sendable {
    /// What holds a version.
    package enum Holder: String, CaseIterable, Sendable {
        /// Realms of the Swift library, each the version that it shows.
        case realm
        /// Frozen objects of the Swift library.
        case frozen
    }

    private struct Hold: Hashable {
        var commit: UInt64
        var holder: Holder
    }

    private let holds = Mutex<[Hold: Int]>([:])

    /// Notes that a commit is held.
    package func begin(_ commit: UInt64, _ holder: Holder) {
        holds.withLock { $0[Hold(commit: commit, holder: holder), default: 0] += 1 }
    }

    /// Notes that it is held once less.
    package func end(_ commit: UInt64, _ holder: Holder) {
        let hold = Hold(commit: commit, holder: holder)
        holds.withLock { holds in
            let count = holds[hold, default: 0]
            holds[hold] = count > 1 ? count - 1 : nil
        }
    }

    /// How many commits there are that something holds.
    package var count: Int { holds.withLock { Set($0.keys.map(\.commit)).count } }

    /// How many commits a kind of holder holds.
    package func count(of holder: Holder) -> Int {
        holds.withLock { $0.keys.count { $0.holder == holder } }
    }
}

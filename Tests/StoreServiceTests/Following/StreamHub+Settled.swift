@testable import HoldfastStreams
import Glibc
import HoldfastThreads
import Synchronization

@testable import HoldfastStoreService

extension StreamHub {
    /// Waits until followers, and streams of several queries, have been told everything up to a version.
    ///
    /// - `ids`: Of the streams of several queries.
    /// - Returns: Whether that came.
    func isSettled(_ followers: [Follower], groups ids: [String] = [], at version: UInt64) -> Bool {
        for _ in 0..<2_000 {
            let answer = Answer()
            perform { position in
                let isAll =
                    position.version >= version
                    && followers.allSatisfy { $0.isGone || $0.isAtPresent(position.version) }
                    && ids.compactMap { self.groups[$0] }
                        .allSatisfy {
                            $0.isUpToDate(at: position.version)
                                && self.hasLookedAtEnded($0, at: version)
                        }
                answer.value.withLock { $0 = isAll }
            } orElse: {
                answer.value.withLock { $0 = false }
            }
            while answer.value.withLock({ $0 }) == nil { usleep(500) }
            if answer.value.withLock({ $0 }) == true { return true }
            usleep(5_000)
        }
        return false
    }

    /// Whether the queries of a group that have ended stay so, by what was committed up to a version.
    private func hasLookedAtEnded(_ group: StreamGroup, at version: UInt64) -> Bool {
        if group.members.allSatisfy({ $0.querySink.ended == nil }) { return true }
        guard let looked = group.lookedAt, !group.isLookedAt else { return false }
        return looked.version >= version
            && looked.rulesGeneration == rulesGeneration.load(ordering: .sequentiallyConsistent)
    }

    /// Has all that `body` writes be one step of the feed.
    func inOneStep(_ body: () throws -> Void) rethrows {
        let gate = Monitor(false)
        perform { _ in gate.wait { $0 ? () : nil } }
        defer { gate.update { $0 = true } }
        try body()
    }

    private final class Answer: Sendable {
        let value = Mutex<Bool?>(nil)
    }
}

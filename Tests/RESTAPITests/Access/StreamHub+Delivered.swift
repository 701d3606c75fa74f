@testable import HoldfastStreams
import Glibc
import HoldfastThreads

@testable import HoldfastStoreService

extension StreamHub {
    /// Waits until there are so many live streams.
    ///
    /// - Returns: The streams; nil where that does not come.
    func liveFollowers(count: Int) -> [Follower]? {
        awaited { _ in
            let followers = self.channels.values.flatMap(\.followers)
                .filter { !$0.isPoll && !$0.isGone }
            return followers.count == count ? followers : nil
        }
    }

    /// How many long polls wait for a change.
    var waitingPollCount: Int {
        awaited { _ in self.channels.values.flatMap(\.followers).count(where: \.isPoll) } ?? 0
    }

    /// Waits until streams have been told everything up to a version, and their clients have been sent it.
    ///
    /// - Returns: Whether that came.
    func isDelivered(to followers: [Follower], at version: UInt64) -> Bool {
        awaited { position in
            // What has no channel is a worker's at the moment.
            let isDone =
                position >= version
                && followers.allSatisfy {
                    $0.isGone || $0.channel != nil && $0.isAtPresent(position) && $0.isIdle
                }
            return isDone ? true : nil
        } ?? false
    }

    /// Asks on the feed's thread, of its version, until there is an answer.
    private func awaited<Answer: Sendable>(
        _ body: @escaping @Sendable (UInt64) -> Answer?
    ) -> Answer? {
        for _ in 0..<60_000 {
            let asked = Monitor<Answer??>(nil)
            @Sendable func give(_ answer: Answer?) {
                asked.update { $0 = .some(answer) }
            }
            perform {
                give(body($0.version))
            } orElse: {
                give(nil)
            }
            if let answer = asked.wait({ $0 }) { return answer }
            usleep(500)
        }
        return nil
    }
}

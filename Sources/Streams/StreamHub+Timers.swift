import Synchronization
import HoldfastThreads

// Heartbeats and deadlines.
extension StreamHub {
    /// A timer, on the feed's thread.
    enum Timer {
        /// A stream is told that its connection holds, if it was told nothing for so long.
        case heartbeat(Follower)
        /// So is the client of several queries.
        case group(StreamGroup)
        /// Work that no worker took is tried again.
        case retry(@Sendable () -> Void)
    }

    /// How long what no worker took waits, in milliseconds.
    private static let retryMilliseconds: UInt64 = 100

    /// Timers that are served at once, before commits are told that came meanwhile: about half a millisecond's work.
    private static let timerCountMax = 64
    /// The pause behind as many, in milliseconds: the clients of thousands of heartbeats have work to do as well.
    private static let timerPauseMilliseconds: UInt64 = 2

    func tick(_ version: UInt64) {
        catchUp.folds.dropUnused()
        let now = monotonicMilliseconds()
        for (key, channel) in polled {
            channel.endPolls(now, version: version)
            if !channel.hasPolls { polled[key] = nil }
        }
        serveTimers(version)
        lookAtEnded(version)
    }

    /// Serves a part of what is due, with each tick and, where more is due, soon again: streams that began together are told together that their connections
    /// hold, and the events of others don't wait for all of them.
    private func serveTimers(_ version: UInt64) {
        let now = monotonicMilliseconds()
        let fresh = begun.withLock { begun in
            defer { begun = [] }
            return begun
        }
        for follower in fresh {
            timers.add(.heartbeat(follower), at: now + heartbeatMilliseconds)
        }
        let due = timers.takeDue(now, atMost: Self.timerCountMax)
        if due.count == Self.timerCountMax, !servesTimersSoon {
            servesTimersSoon = true
            feed?.perform(at: now + Self.timerPauseMilliseconds) { [weak self] position in
                self?.servesTimersSoon = false
                self?.serveTimers(position.version)
            }
        }
        for timer in due {
            switch timer {
            case .heartbeat(let follower):
                if follower.isGone {
                    follower.channel?.removeGone()
                    continue
                }
                guard let channel = follower.channel else {
                    // A worker's, which may take long to find something, or to come to it.
                    if follower.sink?.queuedByteCount == 0 {
                        _ = follower.sink?.send(events.heartbeat(nil))
                    }
                    timers.add(timer, at: now + heartbeatMilliseconds)
                    continue
                }
                if now >= follower.lastSent + heartbeatMilliseconds {
                    let through = channel.knownVersion(at: version)
                    let beat = events.heartbeat(
                        follower.outboxCursor?.description ?? cursor(through, of: follower.query))
                    if case .queued = follower.sendLive(beat, of: through, now: now) {
                        follower.state.know(through: through)
                    }
                    // A client that does not read is asked again later.
                    follower.lastSent = now
                    if follower.outboxCursor != nil { lookBehind(follower) }
                }
                timers.add(timer, at: follower.lastSent + heartbeatMilliseconds)
            case .retry(let body): body()
            case .group(let group):
                guard keep(group) else { continue }
                if now >= group.lastSent + heartbeatMilliseconds {
                    group.beat(version)
                    group.lastSent = now
                }
                timers.add(timer, at: group.lastSent + heartbeatMilliseconds)
            }
        }
    }

    /// Has a stream be looked after for as long as it is open. Any thread; the feed's is not woken for it.
    func keepAlive(_ follower: Follower) {
        begun.withLock { $0.append(follower) }
    }

    /// Has a client of several queries be looked after for as long as it is there. On the feed's thread.
    func keepAlive(_ group: StreamGroup) {
        group.lastSent = monotonicMilliseconds()
        timers.add(.group(group), at: group.lastSent + heartbeatMilliseconds)
    }

    private var heartbeatMilliseconds: UInt64 { UInt64(events.heartbeatSeconds) * 1000 }

    /// Tries again in a moment what no worker took. On the feed's thread.
    func retry(_ body: @escaping @Sendable () -> Void) {
        timers.add(.retry(body), at: monotonicMilliseconds() + Self.retryMilliseconds)
    }
}

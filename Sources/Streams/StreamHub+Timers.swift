import HoldfastThreads

// Heartbeats and deadlines.
extension StreamHub {
    /// A timer, on the feed's thread.
    enum Timer {
        /// A stream is sent a heartbeat if it was sent nothing for ``StreamEvents/heartbeatSeconds``.
        case heartbeat(Follower)
        /// The client of several queries is sent one.
        case group(StreamGroup)
        /// Work that no worker took is tried again.
        case retry(@Sendable () -> Void)
    }

    /// The wait before work that no worker took is tried again, in milliseconds.
    private static let retryMilliseconds: UInt64 = 100

    /// The number of timers that are served at once, before the commits that came meanwhile: about half a millisecond's work.
    private static let timerCountMax = 64
    /// The pause after so many timers, in milliseconds: the clients of thousands of heartbeats have work to do as well.
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

    /// Serves a part of the due timers with each tick, and soon again if more are due: streams that began together are due
    /// together, and the events of other streams do not wait for all their heartbeats.
    private func serveTimers(_ version: UInt64) {
        let now = monotonicMilliseconds()
        let fresh = begun.withLock { begun in
            defer { begun = [] }
            return begun
        }
        for follower in fresh { timers.add(.heartbeat(follower), at: now + heartbeatMilliseconds) }
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
                    // The follower belongs to a worker, which may take long to find something, or to come to it.
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
                        follower.state.advance(through: through)
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

    /// Sends a stream heartbeats for as long as it is open. Any thread. The feed's thread is not woken for it.
    func keepAlive(_ follower: Follower) { begun.withLock { $0.append(follower) } }

    /// Sends a client of several queries heartbeats for as long as it is there. On the feed's thread.
    func keepAlive(_ group: StreamGroup) {
        group.lastSent = monotonicMilliseconds()
        timers.add(.group(group), at: group.lastSent + heartbeatMilliseconds)
    }

    private var heartbeatMilliseconds: UInt64 { UInt64(events.heartbeatSeconds) * 1000 }

    /// Tries work that no worker took again in a moment. On the feed's thread.
    func retry(_ body: @escaping @Sendable () -> Void) {
        timers.add(.retry(body), at: monotonicMilliseconds() + Self.retryMilliseconds)
    }
}

/// Elements that are due at some time, taken out slot by slot. One thread at a time uses it.
struct TimerWheel<Element> {
    private let slotMilliseconds: UInt64
    private var slots: [UInt64: [Element]] = [:]
    /// The first slot that may have elements left.
    private var next: UInt64

    /// Makes a wheel with slots of a length.
    ///
    /// - `now`: The time of the monotonic clock, in milliseconds.
    init(slotMilliseconds: UInt64, now: UInt64) {
        self.slotMilliseconds = slotMilliseconds
        next = now / slotMilliseconds
    }

    /// Adds an element that is due at a time of the monotonic clock, in milliseconds. It comes out with the following slot.
    mutating func add(_ element: Element, at due: UInt64) {
        slots[max(next, due / slotMilliseconds + 1), default: []].append(element)
    }

    /// Takes out due elements, at most `countMax`, in any order. The rest stays due.
    ///
    /// Cost: the slots that have passed since the last call, and the taken elements.
    mutating func takeDue(_ now: UInt64, atMost countMax: Int) -> [Element] {
        let present = now / slotMilliseconds
        var due: [Element] = []
        while next <= present {
            var slot = slots.removeValue(forKey: next) ?? []
            let countLeft = countMax - due.count
            if slot.count > countLeft {
                due += slot[(slot.count - countLeft)...]
                slot.removeLast(countLeft)
                slots[next] = slot
                break
            }
            due += slot
            next += 1
        }
        return due
    }

    /// Takes out everything.
    mutating func takeAll() -> [Element] {
        defer { slots = [:] }
        return slots.values.flatMap { $0 }
    }
}

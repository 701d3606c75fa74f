import CHoldfastSodium
import HoldfastObjectJSON
import HoldfastObjectStore

// Followers that may not read everything: their views can change while they follow.
extension StreamHub {
    /// Reacts to new rules: streams begin again if their view changes. Any thread.
    package func accessChanged() {
        // A step that is sent before the feed comes to this must not be sent by the former rules.
        rulesGeneration.wrappingAdd(1, ordering: .sequentiallyConsistent)
        perform { _ in
            for channel in Array(self.channels.values) { self.lookAgainIfOutdated(channel) }
        }
    }

    // MARK: On the feed's thread

    /// Whether a follower's query was checked for its client's present view, and for the present schema.
    func isCurrent(_ follower: Follower, _ position: ChangeFeed.Position) -> Bool {
        let schema = follower.query.names.schema
        guard position.transaction.rows.identity == schema.identity else { return false }
        guard let visibility = follower.caller.visibility else { return true }
        follower.rulesGeneration = rulesGeneration.load(ordering: .sequentiallyConsistent)
        let read = position.transaction
        // A failure of this check does not count for later reads. A worker reports it.
        defer { read.beginFollowing() }
        let isSame = try? position.briefly { () throws(RequestFault) in
            follower.deciding = try visibility.decidingObject(in: read)
            return follower.query.isChecked(
                for: read.restricted(to: try visibility.visibility(in: read)))
        }
        return isSame ?? false && !read.isLate
    }

    /// Checks a live follower's view again when the object changes that decides about it.
    func watchView(of follower: Follower) {
        guard let query = follower.deciding else { return }
        let key = PrincipalDependency.Key(
            filter: query.filterKey, rulesGeneration: follower.rulesGeneration)
        let watch = principalDependencies[key] ?? PrincipalDependency(query, key, hub: self)
        if principalDependencies.updateValue(watch, forKey: key) == nil { feed?.add(watch) }
        watch.add(follower)
    }

    /// Forgets a watch that no view depends on any more.
    func forget(_ watch: PrincipalDependency) {
        if principalDependencies[watch.key] === watch { principalDependencies[watch.key] = nil }
        feed?.remove(watch)
    }

    /// Checks the views of a channel's followers again if other rules have been set since they joined it.
    ///
    /// - Returns: Whether it has no followers any more.
    @discardableResult
    func lookAgainIfOutdated(_ channel: StreamChannel) -> Bool {
        let generation = rulesGeneration.load(ordering: .sequentiallyConsistent)
        // Each step asks, and the answer is seldom yes. Until then the followers are not looked at.
        guard channel.oldestRules < generation, !channel.stream.viewMark.isEmpty else {
            return false
        }
        channel.oldestRules = generation
        recheck(channel.followers.filter { $0.rulesGeneration < generation })
        return channel.isEmpty
    }

    /// Lets workers find the followers' views and send the next changes.
    func recheck(_ followers: [Follower]) {
        for follower in detach(followers) { fallBehind(follower) }
    }
}

/// The end of a cursor of a user that may not read everything: a hash of the cursor's position, keyed by the secret name of the
/// user's view (``Visibility/mark``). So a client cannot construct a cursor for another position or another view.
enum ViewTag {
    /// The maximum number of bytes: 64 bits as digits of 5 bits.
    private static let byteCountMax = 13

    /// Makes the tag of a position. Cost: some tens of nanoseconds, because each event of a user has one.
    ///
    /// - `mark`: Its 16 bytes are the key; see ``ViewMark``.
    static func text(of position: some StringProtocol, in mark: String) -> String {
        var key = SIMD16<UInt8>()
        withUnsafeMutableBytes(of: &key) { $0.copyBytes(from: mark.utf8.prefix(16)) }
        var position = String(position)
        var rest = position.withUTF8 { shim_short_code(&key, $0.baseAddress, $0.count) }
        // Without divisions, which take as long as the hash: the last digit comes first.
        return String(unsafeUninitializedCapacity: byteCountMax) { digits in
            var count = 0
            repeat {
                let digit = UInt8(rest & 31)
                digits[count] = digit < 10 ? 48 + digit : 87 + digit
                rest >>= 5
                count += 1
            } while rest > 0
            return count
        }
    }

    /// Whether a text can be a tag: digits and small letters.
    static func isTag(_ text: Substring) -> Bool {
        (1...byteCountMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
    }
}

import HoldfastObjectJSON
import HoldfastObjectModel
import Synchronization

/// The tokens of a running service, in step with its store. Thread-safe.
///
/// Only this process has the store, so that the table knows of every change: tokens are changed through it
/// (``change(_:)``), and work that they no longer allow ends before that returns.
package final class TokenTable<Grant: AccessGrant>: Sendable {
    /// Those that hold, by number, and their numbers by hash.
    private struct Tokens {
        var known: [UInt64: TokenAccess<Grant>] = [:]
        var numbers: [TokenHash: UInt64] = [:]
    }

    /// Those of the store.
    private let stored: StoredTokens
    private let tokens = Mutex(Tokens())
    /// Held while the store is read, so that nothing older comes after.
    private let reading = Mutex(())
    private let isNeeded = Atomic<Bool>(false)
    /// The access of every request as long as no token is needed.
    package let open = TokenAccess<Grant>(nil)

    /// Reads the tokens of a store.
    package init(_ stored: StoredTokens) throws(RequestFault) {
        self.stored = stored
        try adopt()
    }

    /// Whether a request needs a token. Cost: an atomic load.
    package var isEnforced: Bool { isNeeded.load(ordering: .acquiring) }

    /// Whether there is any token.
    package var isEmpty: Bool { tokens.withLock { $0.known.isEmpty } }

    /// Returns the access of a token; nil for one that is unknown.
    ///
    /// Cost: one hash and two look-ups; nobody can choose the bytes of a hash, so that their time tells nothing of other tokens.
    package func access(of token: UnsafeRawBufferPointer) -> TokenAccess<Grant>? {
        guard let hash = TokenHash(of: token) else { return nil }
        return tokens.withLock { tokens in
            tokens.numbers[hash].flatMap { tokens.known[$0] }
        }
    }

    /// The users whom the store bars.
    package func barredUsers() throws(RequestFault) -> [UserAccess] { try stored.read().users }

    /// Returns the access of the token of a number; nil when there is none, or none any more.
    package func access(ofNumber number: UInt64) -> TokenAccess<Grant>? {
        tokens.withLock { $0.known[number] }
    }

    /// Returns the token of a number; nil when there is none, or none any more.
    package func token(ofNumber number: UInt64) -> Token? {
        tokens.withLock { $0.known[number]?.token }
    }

    /// Ends the tokens whose time is over. Call it once a second. Cost: a look at each.
    package func endOverdue(at now: Timestamp = .now()) {
        tokens.withLock { tokens in
            for (number, access) in tokens.known {
                guard let token = access.token, token.terms.hasEnded(at: now) else { continue }
                access.end()
                tokens.known[number] = nil
                tokens.numbers[token.hash] = nil
            }
        }
    }

    /// Lists or changes the tokens of the store, and then has the table know them.
    ///
    /// Waits for the commit; see ``StoredTokens``.
    package func change<Result>(
        _ body: (StoredTokens) throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        let result = try body(stored)
        try adopt()
        return result
    }

    /// Makes the tokens of the store those that are known.
    private func adopt() throws(RequestFault) {
        try reading.withLock { _ throws(RequestFault) in
            let (present, areNeeded, users) = try stored.read()
            // By bytes: texts that are equal to Swift may be two users.
            let horizons = Dictionary(
                users.map { (Array($0.id.utf8), $0.horizon) }, uniquingKeysWith: { $1 })
            let now = Timestamp.now()
            tokens.withLock { tokens in
                var left = Tokens()
                for token in present where !token.terms.hasEnded(at: now) {
                    let horizon = token.terms.user.flatMap { horizons[Array($0.utf8)] } ?? .min
                    if token.created.seconds < horizon { continue }
                    let former = tokens.known.removeValue(forKey: token.number)
                    var access = former ?? TokenAccess(token)
                    access.change(to: token)
                    // What was begun with other classes or claims is none of the token's.
                    if let before = former?.token?.terms,
                        before.classes != token.terms.classes
                            || before.claims != token.terms.claims
                    {
                        access.end()
                        access = TokenAccess(token)
                    }
                    left.known[token.number] = access
                    left.numbers[token.hash] = token.number
                }
                for revoked in tokens.known.values { revoked.end() }
                tokens = left
            }
            isNeeded.store(areNeeded, ordering: .releasing)
            if areNeeded { open.end() }
        }
    }
}

/// The right of a token, and the grants that end with it. Requests without a token have one too, as long as none is
/// needed.
package struct TokenAccess<Grant: AccessGrant>: Sendable {
    /// The right.
    package var right: Right { token?.terms.right ?? .admin }
    /// For each right up to its own the grant of the requests that need it.
    private var grants: [Grant] = []
    /// The token; nil where none is needed.
    private(set) var token: Token?

    /// Allows what a token does, or everything where none is needed.
    init(_ token: Token?) {
        self.token = token
        raise()
    }

    /// Returns the grant for requests that need a right; nil when they are refused. Cost: a reference.
    package func grant(_ needed: Right) -> Grant? {
        needed.rank < grants.count ? grants[needed.rank] : nil
    }

    /// Allows what the token does now, of which the right alone is another: grants beyond it end, others go on.
    mutating func change(to token: Token) {
        self.token = token
        for grant in grants.dropFirst(right.rank + 1) { grant.end(.lowered) }
        grants.removeLast(max(0, grants.count - right.rank - 1))
        raise()
    }

    /// Ends everything that it has admitted.
    func end() { for grant in grants { grant.end(.revoked) } }

    private mutating func raise() {
        while grants.count <= right.rank { grants.append(Grant(of: token)) }
    }
}

/// The admission of work, such as a request, for as long as a token allows it. Several pieces of work share one; each
/// looks at it and ends itself when the grant has ended. Thread-safe.
package protocol AccessGrant: AnyObject, Sendable {
    /// Makes a grant that holds.
    ///
    /// - `token`: The token that it is of; nil where none is needed.
    init(of token: Token?)

    /// Ends it.
    func end(_ reason: AccessEnd)
}

/// Why a grant has ended.
package enum AccessEnd: Sendable {
    /// The token is not known any more.
    case revoked
    /// The token may not do this any more.
    case lowered
}

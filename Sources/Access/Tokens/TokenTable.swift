import HoldfastObjectJSON
import HoldfastObjectModel
import Synchronization

/// The tokens of a running service, in step with its store. Thread-safe.
///
/// No other process uses the store, so the table sees every change: tokens are changed through ``change(_:)``. Work that a token
/// no longer allows ends before that call returns.
package final class TokenTable<Grant: AccessGrant>: Sendable {
    /// The valid tokens by number, and their numbers by hash.
    private struct Tokens {
        var known: [UInt64: TokenAccess<Grant>] = [:]
        var numbers: [TokenHash: UInt64] = [:]
    }

    private let stored: StoredTokens
    private let tokens = Mutex(Tokens())
    /// Locked while the store is read, so that an older state cannot replace a newer one.
    private let reading = Mutex(())
    private let isNeeded = Atomic<Bool>(false)
    /// The access of every request while the store needs no token.
    package let open = TokenAccess<Grant>(nil)

    package init(_ stored: StoredTokens) throws(RequestFault) {
        self.stored = stored
        try adopt()
    }

    /// Whether a request needs a token. Cost: an atomic load.
    package var isEnforced: Bool { isNeeded.load(ordering: .acquiring) }

    package var isEmpty: Bool { tokens.withLock { $0.known.isEmpty } }

    /// Returns the access of a token; nil for one that is unknown.
    ///
    /// Cost: one hash and two look-ups. A client cannot choose the bytes of a hash, so the time reveals nothing about other
    /// tokens.
    package func access(of token: UnsafeRawBufferPointer) -> TokenAccess<Grant>? {
        guard let hash = TokenHash(of: token) else { return nil }
        return tokens.withLock { tokens in tokens.numbers[hash].flatMap { tokens.known[$0] } }
    }

    /// The users with blocks or sign-in horizons in the store.
    package func barredUsers() throws(RequestFault) -> [UserAccess] { try stored.read().users }

    /// Returns the access of the token with a number; nil if there is no such token.
    package func access(ofNumber number: UInt64) -> TokenAccess<Grant>? {
        tokens.withLock { $0.known[number] }
    }

    /// Returns the token with a number; nil if there is no such token.
    package func token(ofNumber number: UInt64) -> Token? {
        tokens.withLock { $0.known[number]?.token }
    }

    /// Removes expired tokens and ends their access. Call it once a second. Cost: linear in the tokens.
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

    /// Lists or changes the tokens of the store, then updates the table.
    ///
    /// Waits for the commit; see ``StoredTokens``.
    package func change<Result>(
        _ body: (StoredTokens) throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        let result = try body(stored)
        try adopt()
        return result
    }

    /// Replaces the known tokens by the tokens of the store.
    private func adopt() throws(RequestFault) {
        try reading.withLock { _ throws(RequestFault) in
            let (present, areNeeded, users) = try stored.read()
            // Users are compared by bytes: two texts that are equal in Swift may be two users.
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
                    // Work that began under other classes or claims must not go on.
                    if let before = former?.token?.terms,
                        before.classes != token.terms.classes || before.claims != token.terms.claims
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

/// A token's right, and the grants that end with the token. While the store needs no token, requests without one have an access
/// as well.
package struct TokenAccess<Grant: AccessGrant>: Sendable {
    package var right: Right { token?.terms.right ?? .admin }
    /// The grants for each right up to the token's, in the order of the rights.
    private var grants: [Grant] = []
    /// The token; nil while none is needed.
    package private(set) var token: Token?

    /// Allows the rights of a token, or everything if no token is needed.
    init(_ token: Token?) {
        self.token = token
        raise()
    }

    /// Returns the grant for requests that need a right; nil if the token lacks it. Cost: a reference.
    package func grant(_ needed: Right) -> Grant? {
        needed.rank < grants.count ? grants[needed.rank] : nil
    }

    /// Adopts changed terms that differ only in the right. Grants beyond the new right end; others go on.
    mutating func change(to token: Token) {
        self.token = token
        for grant in grants.dropFirst(right.rank + 1) { grant.end(.lowered) }
        grants.removeLast(max(0, grants.count - right.rank - 1))
        raise()
    }

    func end() { for grant in grants { grant.end(.revoked) } }

    private mutating func raise() {
        while grants.count <= right.rank { grants.append(Grant(of: token)) }
    }
}

/// The permission for work, such as a request, while a token allows it. Several pieces of work share one grant. Each checks the
/// grant and stops when it has ended. Thread-safe.
package protocol AccessGrant: AnyObject, Sendable {
    /// Makes a grant that has not ended.
    ///
    /// - `token`: The token that it belongs to; nil if no token is needed.
    init(of token: Token?)

    func end(_ reason: AccessEnd)
}

/// The reason why a grant ended.
package enum AccessEnd: Sendable {
    /// The token is no longer valid.
    case revoked
    /// The token no longer has the right.
    case lowered
}

import HoldfastHTTPServer
import HoldfastStoreService

/// The grants of tokens that were verified, as many as there is room for: those that were not asked for go first. One thread at a time.
struct SeenTokens {
    private struct Seen {
        let grant: Grant
        let keyRevision: UInt64
        let byteCount: Int
    }

    private let byteCountMax: Int
    private var recent: [TokenHash: Seen] = [:]
    private var recentByteCount = 0
    /// Those that were recent before; what is asked for becomes recent again.
    private var former: [TokenHash: Seen] = [:]
    /// The memory of one beside its claims, about.
    private static let overheadByteCount = 400

    /// Room for so many bytes, twice.
    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// How many there are.
    var count: Int { recent.count + former.count }

    /// The grant of a token that was verified under these keys.
    mutating func grant(of hash: TokenHash, under keyRevision: UInt64) -> Grant? {
        if let seen = recent[hash] {
            return seen.keyRevision == keyRevision ? seen.grant : nil
        }
        guard let seen = former.removeValue(forKey: hash), seen.keyRevision == keyRevision else {
            return nil
        }
        add(seen, of: hash)
        return seen.grant
    }

    /// Adds the grant of a token, whose user's claims take so many bytes.
    mutating func add(
        _ grant: Grant, of hash: TokenHash, under keyRevision: UInt64, byteCount: Int
    ) {
        add(
            Seen(
                grant: grant, keyRevision: keyRevision,
                byteCount: byteCount + Self.overheadByteCount), of: hash)
    }

    private mutating func add(_ seen: Seen, of hash: TokenHash) {
        if recentByteCount + seen.byteCount > byteCountMax {
            former = recent
            recent = [:]
            recentByteCount = 0
        }
        recentByteCount +=
            seen.byteCount - (recent.updateValue(seen, forKey: hash)?.byteCount ?? 0)
    }
}

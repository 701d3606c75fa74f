import CHoldfastCrypto
import HoldfastHTTPServer

/// The SHA-256 of a token that is not stored.
struct TokenDigest: Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Hashes a token; nil when the library fails.
    init?(of token: UnsafeRawBufferPointer) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let isHashed = withUnsafeMutableBytes(of: &words) { target in
            shim_sha256(
                token.baseAddress, token.count,
                target.baseAddress?.assumingMemoryBound(to: UInt8.self)) == 1
        }
        guard isHashed else { return nil }
        self.words = words
    }

    static func == (left: TokenDigest, right: TokenDigest) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) {
        // Its parts are as random as a hash of it.
        hasher.combine(words.0)
    }
}

/// The grants of tokens that were verified, as many as there is room for: those that were not asked for go first. One thread at a time.
struct SeenTokens {
    private struct Seen {
        let grant: Grant
        let keyRevision: UInt64
        let byteCount: Int
    }

    private let byteCountMax: Int
    private var recent: [TokenDigest: Seen] = [:]
    private var recentByteCount = 0
    /// Those that were recent before; what is asked for becomes recent again.
    private var former: [TokenDigest: Seen] = [:]
    /// What one takes beside its claims, about.
    private static let overheadByteCount = 400

    /// Room for so many bytes, twice.
    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// How many there are.
    var count: Int { recent.count + former.count }

    /// The grant of a token that was verified under these keys.
    mutating func grant(of digest: TokenDigest, under keyRevision: UInt64) -> Grant? {
        if let seen = recent[digest] {
            return seen.keyRevision == keyRevision ? seen.grant : nil
        }
        guard let seen = former.removeValue(forKey: digest), seen.keyRevision == keyRevision else {
            return nil
        }
        add(seen, of: digest)
        return seen.grant
    }

    /// Adds the grant of a token, whose user's claims take so many bytes.
    mutating func add(
        _ grant: Grant, of digest: TokenDigest, under keyRevision: UInt64, byteCount: Int
    ) {
        add(
            Seen(
                grant: grant, keyRevision: keyRevision,
                byteCount: byteCount + Self.overheadByteCount), of: digest)
    }

    private mutating func add(_ seen: Seen, of digest: TokenDigest) {
        if recentByteCount + seen.byteCount > byteCountMax {
            former = recent
            recent = [:]
            recentByteCount = 0
        }
        recentByteCount +=
            seen.byteCount - (recent.updateValue(seen, forKey: digest)?.byteCount ?? 0)
    }
}

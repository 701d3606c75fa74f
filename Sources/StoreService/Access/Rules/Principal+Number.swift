import HoldfastBytes

extension Principal {
    /// The number of the user, the owner of what they have begun whatever token they come with; nil for an anonymous visitor.
    ///
    /// Unlike that of any token as random numbers are. Cost: a keyed hash the first time.
    ///
    /// - `key`: A secret of the store, the same each time: the number is theirs in every process, and cannot be chosen.
    package func number(_ key: [UInt8]) -> UInt64? {
        guard let user else { return nil }
        let known = knownNumber.load(ordering: .relaxed)
        if known != 0 { return known }
        let name = ByteBuffer(capacity: 64)
        name.append("holdfast user 1")
        name.append(user)
        guard let code = name.authenticationCode(under: key) else { return nil }
        let number = code.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } | 1
        knownNumber.store(number, ordering: .relaxed)
        return number
    }
}
